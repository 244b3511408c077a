// Plots of a page that was built without npm, and so without uPlot: the curves, the ends of the axes, and no more.
/* global withUnit, make */

function plainPlot(plot, place) {
  const [width, height, left, bottom] = [600, 260, 70, 225];
  const scaled = (axis, value) => (axis.logarithmic ? Math.log10(value) : value);
  const usable = (axis, value) => value !== null && (value > 0 || !axis.logarithmic);
  const range = (axis, values) => {
    const kept = values.filter((value) => usable(axis, value));
    const ends = [axis.from ?? Math.min(...kept), axis.to ?? Math.max(...kept)];
    return ends[0] < ends[1] ? ends : [ends[0] * 0.9 - 1e-9, ends[1] * 1.1 + 1e-9];
  };
  const xs = range(plot.x, plot.series.flatMap(({ x }) => x)), ys = range(plot.y, plot.series.flatMap(({ y }) => y));
  const share = (axis, [from, to], value) =>
    (scaled(axis, value) - scaled(axis, from)) / (scaled(axis, to) - scaled(axis, from));
  const at = (x, y) => [left + (width - left - 10) * share(plot.x, xs, x), bottom - (bottom - 10) * share(plot.y, ys, y)];
  const curves = plot.series.map(({ x, y, style, colour }) => {
    let path = "", drawing = false;
    x.forEach((value, i) => {
      const shown = usable(plot.x, value) && usable(plot.y, y[i]);
      if (shown) path += `${drawing && style !== "dots" ? "L" : "M"}${at(value, y[i]).map((pixel) => pixel.toFixed(1)).join(" ")}h0`;
      drawing = shown;
    });
    return `<path class="colour${colour}" d="${path}" fill="none" stroke="currentColor" stroke-linecap="round" stroke-width="${
      style === "dots" ? 6 : style === "thin" ? 1 : 2}"${style === "dashed" ? ' stroke-dasharray="5 4"' : ""}/>`;
  });
  const label = (value, unit) => withUnit(Number(value.toPrecision(4)), unit);
  const word = (x, y, anchor, text) => `<text x="${x}" y="${y}" text-anchor="${anchor}">${text}</text>`;
  place.innerHTML = `<svg viewBox="0 0 ${width} ${height}"><path d="M${left} 10V${bottom}H${width - 10}" fill="none" ` +
    `stroke="currentColor"/>${curves.join("")}${word(left, bottom + 16, "start", label(xs[0], plot.x.unit))}` +
    word(width - 10, bottom + 16, "end", label(xs[1], plot.x.unit)) +
    (plot.y.hidden ? "" : word(left - 6, bottom, "end", label(ys[0], plot.y.unit)) +
      word(left - 6, 20, "end", label(ys[1], plot.y.unit))) + "</svg>";
  const axes = plot.y.hidden ? plot.x.label : `${plot.y.label} against ${plot.x.label}`;
  place.append(make("p", "key", ...plot.series.map(({ name, colour }) => make("span", `colour${colour}`, name)), axes));
}
