// The document behind a report page, as JSON in the page itself. src/report/report.h states the same types for C++, and
// the two must agree.

/** How a value is written: "12.5"; "43k"; "1.2 ms"; "310×"; a share of 1 as "12 %". */
export type Unit = "number" | "count" | "milliseconds" | "factor" | "percent";

export interface Axis {
  label: string;
  unit: Unit;
  logarithmic: boolean;
  from?: number; // else as the data has it
  to?: number;
  hidden?: boolean;
}

export interface Text { kind: "text"; text: string; link?: string }

export interface Figures { kind: "figures"; figures: { value: string; label: string }[] }

export interface List { kind: "list"; entries: { term: string; text: string }[] }

export interface Table {
  kind: "table";
  title: string;
  columns: string[];
  textColumns: number; // leading columns that are text; the others are numbers
  rows: { cells: string[]; group?: boolean; total?: boolean; link?: string }[]; // of the first cell
}

export interface Series {
  name: string;
  colour: number; // 0 to 5, of the style sheet's palette
  style: "line" | "dashed" | "thin" | "dots";
  x: number[];
  y: (number | null)[]; // null: the line is broken here
  spreads?: [x: number, low: number, high: number][];
}

export interface Plot {
  kind: "plot";
  title: string;
  x: Axis;
  y: Axis;
  series: Series[];
  limits: { vertical: boolean; at: number; label: string }[]; // dashed lines across the plot
  gaps: [from: number, to: number][]; // ranges of x without data
}

export interface Bars {
  kind: "bars";
  title: string;
  axis: Axis;
  bars: { name: string; value: number; colour: number; note: string; whisker?: number }[];
}

export interface Pictures {
  kind: "pictures";
  pictures: { source: string; width: number; height: number; alternative: string; caption: string }[];
}

/** A film beside the page. */
export interface Film { kind: "film"; file: string; text: string }

/** Points and capsules as a camera sees them, in pixels. */
export interface Scene {
  title: string;
  text: string;
  alternative: string;
  box: [left: number, top: number, width: number, height: number];
  ramp: "depth" | "distance";
  low: string; // what the ends of the ramp mean
  high: string;
  points: number[][]; // by level of the ramp: x, y, x, y, ...
  outlines: [number, number, number, number, number, number][]; // the two ends of a capsule as circles: x, y, radius
  dashed: boolean;
}

export interface Scenes { kind: "scenes"; scenes: Scene[] }

export interface Commands { kind: "commands"; lines: string[] }

export type Block = Text | Figures | List | Table | Plot | Bars | Pictures | Film | Scenes | Commands;

export interface Section { title: string; text: string; blocks: Block[] }

export interface Report { title: string; text: string; sections: Section[]; footer: string }

/** Draws a plot into its place. */
export type DrawPlot = (plot: Plot, place: HTMLElement) => void;
