// Where each joint is, and how sure that is.
import { element } from "./page";
import type { Numbers } from "./message";

const widest = 100; // millimetres at which a bar is full

export class JointTable {
  readonly root: HTMLTableElement;
  private readonly body = element("tbody");

  constructor() {
    const heads = ["joint", "x", "y", "z", "± mm"].map((head) => element("th", {}, head));
    this.root = element("table", { class: "joints" }, element("thead", {}, element("tr", {}, ...heads)), this.body);
  }

  setJoints(names: string[]) {
    this.body.replaceChildren(
      ...names.map((name) =>
        element("tr", { "data-joint": name }, element("th", {}, name.replace("_", " ")),
          ...["", "", "", ""].map(() => element("td")))),
    );
  }

  set(joints?: Numbers, deviation?: Numbers) {
    Array.from(this.body.rows).forEach((row, i) => {
      const texts = [0, 1, 2].map((axis) => (joints ? joints[3 * i + axis].toFixed(2) : "–"));
      const spread = deviation ? 1000 * deviation[i] : NaN;
      [...texts, Number.isNaN(spread) ? "–" : spread.toFixed(0)].forEach((text, column) => {
        const cell = row.cells[column + 1];
        if (cell.textContent !== text) cell.textContent = text;
      });
      row.cells[4].style.setProperty("--share", `${Math.min(100, (100 * (spread || 0)) / widest)}%`);
    });
  }
}
