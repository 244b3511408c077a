// Running plots: values by frame, the last few hundred of them.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { element } from "./page";

const colours = ["#5cc8ff", "#ffb454", "#7ee787", "#ff7b9c", "#c792ea", "#8f9ba8", "#e6db74", "#4dd0b5"];
const kept = 600;

// Never so narrow that all labels of the axis would be equal: uPlot would then search for others forever.
function rangeOf(least: number | null, most: number | null): [number, number] {
  if (least === null || most === null) return [0, 1];
  const middle = (least + most) / 2;
  const half = Math.max(most - least, 1e-3 * Math.max(Math.abs(least), Math.abs(most), 1e-3)) / 2;
  return uPlot.rangeNum(middle - half, middle + half, 0.1, true) as [number, number];
}

export class RunningPlot {
  readonly root: HTMLElement;
  private readonly plot: uPlot;
  private names: string[] = [];
  private data: (number | null)[][] = [[]];
  private stale = false;
  private readonly watcher: ResizeObserver;

  /** `range`: of possible values, where known. */
  constructor(title: string, unit: string, range?: [number, number]) {
    const height = 120;
    this.root = element("section", { class: "plot" }, element("h3", {}, title, element("small", {}, unit)));
    const place = this.root.appendChild(element("div"));
    const axis = { stroke: "#8f9ba8", grid: { stroke: "#252c34" }, ticks: { stroke: "#252c34" }, font: "11px sans-serif" };
    this.plot = new uPlot(
      {
        width: 320,
        height,
        series: [{ label: "frame" }],
        scales: { x: { time: false }, y: { range: range ?? ((_, least, most) => rangeOf(least, most)) } },
        axes: [{ ...axis, size: 26 }, { ...axis, size: 48 }],
        legend: { live: false, show: true },
        cursor: { show: false },
      },
      [[]],
      place,
    );
    this.watcher = new ResizeObserver(() => {
      if (place.clientWidth > 0) this.plot.setSize({ width: place.clientWidth, height });
    });
    this.watcher.observe(place);
  }

  /** The values of a frame; one that was there before is replaced. */
  add(index: number, values: Record<string, number>) {
    for (const name of Object.keys(values)) {
      if (this.names.includes(name)) continue;
      this.names.push(name);
      this.data.push(this.data[0].map(() => null));
      const stroke = colours[(this.names.length - 1) % colours.length];
      // a line needs two frames: where a page has got one, as after the end of a run, it is a dot
      const points = { show: (plot: uPlot) => plot.data[0].length === 1, size: 5, fill: stroke };
      this.plot.addSeries({ label: name, stroke, width: 1.4, spanGaps: true, points });
    }
    const frames = this.data[0] as number[];
    let at = frames.length;
    while (at > 0 && frames[at - 1] >= index) --at;
    const replace = frames[at] === index ? 1 : 0;
    this.data[0].splice(at, replace, index);
    this.names.forEach((name, i) => this.data[i + 1].splice(at, replace, values[name] ?? null));
    if (frames.length > kept) for (const column of this.data) column.shift();
    this.stale = true;
  }

  clear() {
    for (const column of this.data) column.length = 0;
    this.stale = true;
  }

  /** Called once per drawn frame; the plot is redrawn only if there is something new. */
  draw() {
    if (!this.stale) return;
    this.stale = false;
    this.plot.setData(this.data as uPlot.AlignedData);
  }

  close() {
    this.watcher.disconnect();
    this.plot.destroy();
  }
}
