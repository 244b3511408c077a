// Turns a report into the elements of its page; plots are drawn by the function that it is given. Plain JavaScript
// without imports, since a build without npm embeds this file as it is (web/report_plain.html).

/** @typedef {import("./schema").Report} Report */
/** @typedef {import("./schema").Block} Block */
/** @typedef {import("./schema").Unit} Unit */

// Near is bright, far is dark; on the skin is quiet, off it glows. Both rise evenly in lightness on a dark ground.
const ramps = {
  depth: ["#fde725", "#c2df23", "#86d549", "#52c569", "#2ab07f", "#1e9b8a", "#25858e", "#2d708e", "#38588c", "#433e85",
    "#5a4a9c"],
  distance: ["#33506e", "#3f5f83", "#56708f", "#7a7f8f", "#a58f80", "#c99b6a", "#e8a354", "#f79a48", "#fb8545", "#fb6b46",
    "#f94d4d"],
};

/**
 * An element of a class with children.
 * @param {string} tag
 * @param {string} name of the class; "": none
 * @param {...(Node | string)} children
 */
export function make(tag, name, ...children) {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.append(...children);
  return made;
}

/** A text, with what stands between backquotes as code. @param {string} text */
const words = (text) => text.split("`").map((part, i) => (i % 2 === 0 ? part : make("code", "", part)));

/** @param {number} value @param {number} digits */
const short = (value, digits) => String(Number(value.toPrecision(digits)));

/**
 * A value as text.
 * @param {number} value
 * @param {Unit} unit
 */
export function withUnit(value, unit) {
  switch (unit) {
    case "milliseconds":
      if (value >= 1000) return `${short(value / 1000, 3)} s`;
      return value >= 1 || value <= 0 ? `${short(value, 3)} ms` : `${short(value * 1000, 3)} µs`;
    case "factor": return `${short(value, 3)}×`;
    case "percent": return `${short(100 * value, 3)} %`;
    case "count":
      if (value >= 999.5e3) return `${short(value / 1e6, 3)}M`;
      return value >= 999.5 ? `${short(value / 1e3, 3)}k` : short(value, 3);
    default: return short(value, 6);
  }
}

/** A text that may be broken after underscores. @param {string} text */
const breakable = (text) => text.split(/(?<=_)/).flatMap((part, i) => (i === 0 ? [part] : [make("wbr", ""), part]));

/** @param {import("./schema").Table} table */
function tableElement(table) {
  /** @param {string} tag @param {string} text @param {number} column */
  const cell = (tag, text, column) => make(tag, column < table.textColumns ? "text" : "", ...breakable(text));
  const body = make("tbody", "");
  for (const row of table.rows) {
    const line = make("tr", [row.group && "group", row.total && "total"].filter(Boolean).join(" "),
      ...row.cells.map((text, column) => cell("td", text, column)));
    const first = /** @type {HTMLTableCellElement} */ (line.firstChild);
    if (row.link) first.replaceChildren(Object.assign(make("a", "", ...breakable(row.cells[0])), { href: row.link }));
    const last = /** @type {HTMLTableCellElement} */ (line.lastChild);
    if (row.cells.length < table.columns.length) last.colSpan = table.columns.length - row.cells.length + 1;
    body.append(line);
  }
  const head = make("thead", "", make("tr", "", ...table.columns.map((text, column) => cell("th", text, column))));
  return make("section", "card", ...(table.title ? [make("h3", "", table.title)] : []),
    make("div", "scroll", make("table", "", head, body)));
}

/** @param {import("./schema").Bars} bars */
function barsElement({ title, axis, bars }) {
  const shown = bars.filter(({ value }) => value > 0 || !axis.logarithmic);
  const root = make("section", "card", make("h3", "", title));
  if (shown.length === 0) root.append(make("p", "note", "Nothing was measured."));
  const ends = shown.map(({ value, whisker }) => Math.max(value, whisker ?? 0));
  // whole decades, so that even the shortest bar has a length
  const low = axis.logarithmic ? Math.floor(Math.log10(Math.min(...ends)) - 0.2) : 0;
  const high = axis.logarithmic ? Math.log10(Math.max(...ends)) : Math.max(...ends, 1e-9);
  /** @param {number} value in percent of the axis */
  const place = (value) => (100 * ((axis.logarithmic ? Math.log10(value) : value) - low)) / (high - low);
  const grid = make("div", "bars");
  for (const { name, value, colour, note, whisker } of shown) {
    const bar = make("div", `bar colour${colour}`);
    bar.style.width = `${place(value)}%`;
    const track = make("div", "track", bar);
    if (whisker && whisker > value) {
      const line = make("div", "whisker");
      line.style.left = `${place(value)}%`;
      line.style.width = `${place(whisker) - place(value)}%`;
      track.append(line);
    }
    const text = make("div", "value", withUnit(value, axis.unit));
    if (note) text.append(make("small", "", note));
    grid.append(make("div", "name", name), track, text);
  }
  root.append(grid, make("p", "note", axis.label + (axis.logarithmic ? ", logarithmic" : "")));
  return root;
}

/** @param {import("./schema").Film} film */
function filmElement({ file, text }) {
  const film = Object.assign(document.createElement("video"),
    { src: file, controls: true, loop: true, muted: true, playsInline: true, preload: "auto",
      autoplay: !matchMedia("(prefers-reduced-motion: reduce)").matches });
  film.setAttribute("aria-label", text);
  const link = Object.assign(make("a", "", file), { href: file });
  const caption = make("figcaption", "", `${text} `, link);
  film.addEventListener("error", () => film.remove()); // its codec is not known, or it lies elsewhere: the link remains
  return make("figure", "film", film, caption);
}

/**
 * The outline of a capsule as an SVG path: the hull of the circles of its two ends.
 * @param {number[]} ends
 */
function outlinePath([ax, ay, ar, bx, by, br]) {
  if (ar < br) [ax, ay, ar, bx, by, br] = [bx, by, br, ax, ay, ar];
  const distance = Math.hypot(bx - ax, by - ay);
  if (distance <= ar - br + 1e-9) return `M${ax - ar} ${ay}a${ar} ${ar} 0 1 0 ${2 * ar} 0a${ar} ${ar} 0 1 0 ${-2 * ar} 0`;
  // both tangents touch the circles at the same angle to the axis
  const axis = Math.atan2(by - ay, bx - ax), off = Math.acos((ar - br) / distance);
  /** @param {number} x @param {number} y @param {number} r @param {number} angle */
  const at = (x, y, r, angle) => `${(x + r * Math.cos(angle)).toFixed(1)} ${(y + r * Math.sin(angle)).toFixed(1)}`;
  return `M${at(ax, ay, ar, axis - off)}L${at(bx, by, br, axis - off)}A${br} ${br} 0 0 1 ${at(bx, by, br, axis + off)}` +
    `L${at(ax, ay, ar, axis + off)}A${ar} ${ar} 0 1 1 ${at(ax, ay, ar, axis - off)}Z`;
}

/** @param {import("./schema").Scene} scene */
function sceneElement(scene) {
  const [left, top, width, height] = scene.box;
  const count = scene.points.reduce((sum, level) => sum + level.length / 2, 0);
  // the dots leave no gaps at any size of the frame
  const dot = 0.95 * Math.sqrt((0.35 * width * height) / (count + 1));
  const ramp = ramps[scene.ramp];
  const levels = scene.points.map((level, i) => {
    let path = "";
    for (let k = 0; k < level.length; k += 2) path += `M${level[k]} ${level[k + 1]}h0`;
    return `<path stroke="${ramp[i]}" d="${path}"/>`;
  });
  const picture = make("div", "scene");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", scene.alternative);
  picture.innerHTML = `<svg viewBox="${left} ${top} ${width} ${height}"><g stroke-width="${dot}">${levels.join("")}</g>` +
    `<path class="outline${scene.dashed ? " dashed" : ""}" stroke-width="${height / 480}" d="${
      scene.outlines.map(outlinePath).join("")}"/></svg>`;
  const ground = make("span", "ramp");
  ground.style.background = `linear-gradient(90deg, ${ramp.join(", ")})`;
  return make("figure", "card", picture, make("figcaption", "", make("strong", "", scene.title), scene.text,
    make("span", "legend", scene.low, ground, scene.high)));
}

/** @param {import("./schema").Pictures} block */
function picturesElement({ pictures }) {
  const strip = make("div", "strip");
  const widest = Math.max(...pictures.map(({ width, height }) => width / height));
  strip.style.setProperty("--columns", String(pictures.length === 1 ? 1 : widest > 1 ? 3 : 6));
  for (const { source, width, height, alternative, caption } of pictures) {
    const image = Object.assign(document.createElement("img"), { src: source, width, height, alt: alternative });
    strip.append(make("figure", "", image, ...(caption ? [make("figcaption", "", caption)] : [])));
  }
  return strip;
}

/**
 * @param {Block} block
 * @param {import("./schema").DrawPlot} drawPlot
 * @returns {HTMLElement}
 */
function blockElement(block, drawPlot) {
  switch (block.kind) {
    case "text": {
      const text = make("p", "note", ...words(block.text));
      if (block.link) text.append(" ", Object.assign(make("a", "", block.link), { href: block.link }), ".");
      return text;
    }
    case "figures":
      return make("section", "card figures",
        ...block.figures.map(({ value, label }) => make("div", "", make("b", "", value), label)));
    case "list":
      return make("dl", "card",
        ...block.entries.flatMap(({ term, text }) => [make("dt", "", term), make("dd", "", text)]));
    case "table": return tableElement(block);
    case "bars": return barsElement(block);
    case "pictures": return picturesElement(block);
    case "film": return filmElement(block);
    case "scenes": return make("div", "scenes", ...block.scenes.map(sceneElement));
    case "commands": return make("pre", "card", ...block.lines.map((line) =>
      make("code", "", ...line.split(" ").flatMap((word, i) => [...(i > 0 ? [" "] : []), make("span", "", word)]))));
    case "plot": {
      const place = make("div", "plot");
      const card = make("section", "card", make("h3", "", block.title), place);
      if (block.series.some(({ y }) => y.some((value) => value !== null))) drawPlot(block, place);
      else place.append(make("p", "note", "Nothing was measured."));
      return card;
    }
  }
}

/**
 * Plots are drawn once their place is part of the page and has its size: `drawPlot` must wait for that.
 * @param {Report} report
 * @param {HTMLElement} root
 * @param {import("./schema").DrawPlot} drawPlot
 */
export function render(report, root, drawPlot) {
  document.title = `kinema: ${report.title}`;
  root.append(make("h1", "", report.title));
  if (report.text) root.append(make("p", "lead", report.text));
  for (const section of report.sections) {
    if (section.title) root.append(make("h2", "", section.title));
    if (section.text) root.append(make("p", "lead", ...words(section.text)));
    /** @type {HTMLElement | undefined} */
    let row; // of plots that stand beside each other
    for (const block of section.blocks) {
      const made = blockElement(block, drawPlot);
      if (block.kind !== "plot" && block.kind !== "bars") {
        row = undefined;
        root.append(made);
        continue;
      }
      if (!row) root.append((row = make("div", "plots")));
      row.append(made);
    }
  }
  if (report.footer) root.append(make("footer", "", ...words(report.footer)));
}
