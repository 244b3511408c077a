// The plots of a report, by uPlot: linear or logarithmic axes, gaps, limits and spreads.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { withUnit } from "./render";
import type { Axis, Plot, Series } from "./schema";

const height = 320;
const dark = matchMedia("(prefers-color-scheme: dark)");
const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// 1, 2 and 5 of each decade are labelled where there is room, else whole decades.
function logarithmicTicks(from: number, to: number) {
  const decades = Math.log10(to / from);
  const ticks: { value: number; labelled: boolean }[] = [];
  for (let power = Math.floor(Math.log10(from)); 10 ** power <= to; ++power) {
    for (let digit = 1; digit < 10; ++digit) {
      const value = Number(`${digit}e${power}`);
      if (value < from || value > to) continue;
      const labelled = digit === 1 ? decades < 7 || power % 2 === 0 : decades < 2.5 && (digit === 2 || digit === 5);
      ticks.push({ value, labelled });
    }
  }
  return ticks;
}

function rangeOf(axis: Axis, values: number[]): [number, number] {
  const low = Math.min(...values), high = Math.max(...values);
  if (axis.logarithmic) {
    const margin = low < high ? (high / low) ** 0.04 : 2;
    return [axis.from ?? low / margin, axis.to ?? high * margin];
  }
  const margin = low < high ? 0.03 * (high - low) : 0.1 * Math.abs(high) || 1;
  return [axis.from ?? low - margin, axis.to ?? high + margin];
}

// Steps between ticks where values are whole, such as frames.
const wholeSteps = Array.from({ length: 10 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

// `size` in pixels: room for the labels of the ticks.
function axisOptions(axis: Axis, size: number, whole: boolean): uPlot.Axis {
  const made: uPlot.Axis = {
    show: !axis.hidden,
    label: axis.label,
    labelSize: 22,
    labelGap: 2,
    labelFont: "13px system-ui, sans-serif",
    font: "12px system-ui, sans-serif",
    size,
    stroke: colour("quiet"),
    grid: { stroke: colour("rule"), width: 1 },
    ticks: { stroke: colour("rule"), width: 1 },
    values: (_, splits) => splits.map((value) => (value === null ? "" : withUnit(value, axis.unit))),
  };
  if (!axis.logarithmic) return whole ? { ...made, incrs: wholeSteps } : made;
  made.splits = (_, __, from, to) => logarithmicTicks(from, to).map(({ value }) => value);
  made.filter = (self, splits, which) => {
    const { min, max } = self.scales[which === 0 ? "x" : "y"];
    const ticks = logarithmicTicks(min as number, max as number);
    return splits.map((value) => (ticks.some((tick) => tick.labelled && tick.value === value) ? value : null));
  };
  return made;
}

function seriesOptions({ name, colour: index, style, y }: Series, plot: Plot): uPlot.Series {
  const stroke = colour(`colour${index}`);
  return {
    label: name,
    stroke,
    width: style === "thin" ? 1 : 2,
    dash: style === "dashed" ? [5, 4] : undefined,
    paths: style === "dots" ? () => null : undefined,
    // a long line shows a mark only where a value stands alone between two gaps
    points: { show: style === "dots" || y.length <= 40 || undefined, size: style === "dots" ? 6 : 5, fill: stroke },
    value: (_, value) => (value === null ? "–" : withUnit(value, plot.y.unit)),
  };
}

// What lies beneath the curves: gaps as shaded ranges, limits as dashed lines.
function drawBeneath(self: uPlot, plot: Plot) {
  const { ctx: context, bbox: box } = self;
  context.save();
  context.fillStyle = colour("gap");
  for (const [from, to] of plot.gaps) {
    const left = Math.max(self.valToPos(from, "x", true), box.left);
    const right = Math.min(self.valToPos(to, "x", true), box.left + box.width);
    context.fillRect(left, box.top, Math.max(right - left, 1), box.height);
  }
  context.strokeStyle = colour("quiet");
  context.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  for (const { vertical, at } of plot.limits) {
    const place = self.valToPos(at, vertical ? "x" : "y", true);
    const end = vertical ? box.top + box.height : box.left + box.width;
    if (place < (vertical ? box.left : box.top) || place > (vertical ? box.left + box.width : box.top + box.height)) continue;
    context.beginPath();
    context.moveTo(vertical ? place : box.left, vertical ? box.top : place);
    context.lineTo(vertical ? place : end, vertical ? end : place);
    context.stroke();
  }
  context.restore();
}

// The names of the limits, over the curves, each beside its line where the fewest points lie.
function drawLimitNames(self: uPlot, plot: Plot) {
  const { ctx: context, bbox: box } = self;
  const ratio = devicePixelRatio, gap = 5 * ratio, height = 16 * ratio;
  const points = plot.series.flatMap(({ x, y }) => x.flatMap((value, i) => {
    const other = y[i];
    return other === null ? [] : [{ x: self.valToPos(value, "x", true), y: self.valToPos(other, "y", true) }];
  }));
  context.save();
  context.font = `${12 * ratio}px system-ui, sans-serif`;
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const { vertical, at, label } of plot.limits) {
    if (!label) continue;
    const place = self.valToPos(at, vertical ? "x" : "y", true);
    const [least, most] = vertical ? [box.left, box.left + box.width] : [box.top, box.top + box.height];
    if (place < least || place > most) continue;
    const width = context.measureText(label).width + 2 * gap;
    const right = box.left + box.width - width, bottom = box.top + box.height - height;
    const places = vertical
      ? [box.top, bottom].flatMap((y) => [{ x: place - width - 1, y }, { x: place + 1, y }])
      : [place - height - 1, place + 1].flatMap((y) => [{ x: right, y }, { x: box.left, y }]);
    const covered = (at: { x: number; y: number }) =>
      points.filter(({ x, y }) => x > at.x - gap && x < at.x + width + gap && y > at.y - gap && y < at.y + height + gap).length;
    const inside = places.map(({ x, y }) =>
      ({ x: Math.max(Math.min(x, right), box.left), y: Math.max(Math.min(y, bottom), box.top) }));
    const chosen = inside.sort((a, b) => covered(a) - covered(b))[0]; // of equal ones the first
    context.globalAlpha = 0.8;
    context.fillStyle = colour("card");
    context.fillRect(chosen.x, chosen.y, width, height);
    context.globalAlpha = 1;
    context.fillStyle = colour("quiet");
    context.fillText(label, chosen.x + gap, chosen.y + height / 2);
  }
  context.restore();
}

function drawSpreads(self: uPlot, plot: Plot) {
  const { ctx: context } = self;
  context.save();
  context.lineWidth = 2 * devicePixelRatio;
  plot.series.forEach(({ spreads, colour: index }, i) => {
    if (!spreads || !self.series[i + 1].show) return;
    context.strokeStyle = colour(`colour${index}`);
    for (const [x, low, high] of spreads) {
      const place = self.valToPos(x, "x", true);
      context.beginPath();
      context.moveTo(place, self.valToPos(low, "y", true));
      context.lineTo(place, self.valToPos(high, "y", true));
      context.stroke();
    }
  });
  context.restore();
}

/** A plot as wide as its place; it is made anew where the page turns light or dark. */
export function drawPlot(plot: Plot, place: HTMLElement) {
  const usable = (axis: Axis, value: number | null) => value !== null && (value > 0 || !axis.logarithmic);
  const series = plot.series.map((one) => {
    const kept = one.x.map((x, i) => ({ x, y: one.y[i] }))
      .filter(({ x, y }) => usable(plot.x, x) && (y === null || usable(plot.y, y)));
    return { ...one, x: kept.map(({ x }) => x), y: kept.map(({ y }) => y) };
  });
  const x = rangeOf(plot.x, series.flatMap((one) => one.x));
  const y = rangeOf(plot.y, series.flatMap((one) => [
    ...one.y.filter((value) => value !== null), ...(one.spreads ?? []).flatMap(([, low, high]) => [low, high])]));
  const data = uPlot.join(series.map((one) => [one.x, one.y] as uPlot.AlignedData));

  const longest = Math.max(...y.map((value) => withUnit(Number(value.toPrecision(2)), plot.y.unit).length), 4);
  const whole = series.every((one) => one.x.every(Number.isInteger));
  const abscissa = plot.x.label.length < 20 ? plot.x.label : "x";

  let made: uPlot | undefined;
  const draw = () => {
    made?.destroy();
    made = new uPlot({
      width: Math.max(place.clientWidth, 200),
      height,
      scales: {
        x: { time: false, distr: plot.x.logarithmic ? 3 : 1, range: x },
        y: { distr: plot.y.logarithmic ? 3 : 1, range: y },
      },
      axes: [axisOptions(plot.x, 34, whole), axisOptions(plot.y, 28 + 7 * longest, false)],
      series: [{ label: abscissa, value: (_, value) => (value === null ? "–" : withUnit(value, plot.x.unit)) },
        ...series.map((one) => seriesOptions(one, plot))],
      cursor: { drag: { x: false, y: false } },
      hooks: { drawAxes: [(self) => drawBeneath(self, plot)], draw: [(self) => {
        drawSpreads(self, plot);
        drawLimitNames(self, plot);
      }] },
    }, data, place);
  };
  let width = 0;
  new ResizeObserver(() => {
    if (place.clientWidth === width || place.clientWidth === 0) return;
    width = place.clientWidth;
    if (made) made.setSize({ width, height });
    else draw();
  }).observe(place);
  dark.addEventListener("change", () => made && draw());
}
