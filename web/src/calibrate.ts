// The Calibrate page: what both cameras see of the board, and which parts of the picture it has been shown in.
import type { Connection } from "./connection";
import type { ArrayPart, Header, Message, Numbers } from "./message";
import { element, Figures, hint, type OpenPage, type Page } from "./page";
import { painted } from "./painted";

const channel = "calibrate";
const parts = 4; // of the picture, across and down

class CalibratePage implements Page {
  private readonly canvases = { left: element("canvas"), right: element("canvas") };
  private readonly pictures = { left: document.createElement("canvas"), right: document.createElement("canvas") };
  private readonly figures = new Figures(["board", "boards", "covered"]);
  private readonly grid = element("div", { class: "coverage" });
  private readonly lacking = element("p", { class: "verdict" });
  private readonly result = element("p", { class: "hint" });
  private readonly source = element("span", { class: "source" });
  private readonly empty = hint("No pair is calibrated. Start `kinema stereo calibrate --input stereo:0 --view`, and move " +
    "the board around in front of the cameras: near and far, in all corners, tilted to all sides.");
  private wanted = 0;

  constructor(root: HTMLElement, private readonly connection: Connection) {
    for (let i = 0; i < parts * parts; ++i) this.grid.append(element("i"));
    root.append(
      element("div", { class: "calibrate page" },
        element("div", { class: "stage pair" }, this.canvases.left, this.canvases.right, this.source, this.empty),
        element("div", { class: "side" }, this.figures.root, element("h3", {}, "where boards were seen"), this.grid,
          this.lacking, this.result)),
    );
    connection.follow(channel, {
      opening: (opening) => this.open(opening),
      frame: (message) => this.show(message),
    });
  }

  private open(opening: Header) {
    this.wanted = opening.wanted as number;
    this.source.textContent = String(opening.source);
    this.result.textContent = String(opening.result);
    if (opening.result) this.lacking.textContent = "";
  }

  private show({ header, arrays }: Message) {
    this.empty.hidden = true;
    const coverage = header.coverage as boolean[];
    this.draw("left", header, arrays.left, arrays.left_corners?.data, coverage);
    this.draw("right", header, arrays.right, arrays.right_corners?.data);
    [...this.grid.children].forEach((part, i) => part.toggleAttribute("data-seen", coverage[i]));
    this.figures.set("board", header.found ? (header.taken ? "taken" : "seen") : "not seen");
    this.figures.set("boards", `${header.views} of ${this.wanted}`);
    this.figures.set("covered", `${Math.round((100 * coverage.filter(Boolean).length) / coverage.length)} %`);
    this.lacking.textContent = header.lacking ? String(header.lacking) : "Enough for a calibration; more make it better.";
  }

  private draw(side: "left" | "right", header: Header, picture: ArrayPart, corners?: Numbers, coverage?: boolean[]) {
    const canvas = this.canvases[side];
    const [width, height] = [header.width as number, header.height as number];
    if (canvas.width !== width) canvas.width = width;
    if (canvas.height !== height) canvas.height = height;
    const context = canvas.getContext("2d");
    if (!context) return;
    context.drawImage(painted(picture, this.pictures[side]), 0, 0, width, height);
    context.fillStyle = "#7ee78733";
    coverage?.forEach((seen, i) => {
      if (seen) context.fillRect(((i % parts) * width) / parts, (Math.floor(i / parts) * height) / parts, width / parts, height / parts);
    });
    context.fillStyle = header.taken ? "#7ee787" : "#ffb454";
    for (let i = 0; corners && i < corners.length; i += 2) {
      context.beginPath();
      context.arc(corners[i], corners[i + 1], width / 160, 0, 2 * Math.PI);
      context.fill();
    }
  }

  close() {
    this.connection.leave(channel);
  }
}

export const openCalibrate: OpenPage = (root, connection) => new CalibratePage(root, connection);
