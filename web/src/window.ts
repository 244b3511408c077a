// The Window page: the screen becomes a window, drawn for the place of the head that looks through it.
import { Camera, cameraButton } from "./camera";
import type { Connection } from "./connection";
import { HeadSource, type HeadFrame } from "./head_source";
import { eyeOf, type Eye } from "./off_axis";
import { element, Figures, Rate, type OpenPage, type Page } from "./page";
import { Room } from "./room";

const aboveEdge = 0.01; // metres from the upper edge of the screen to the camera's lens
const restingEye: Eye = { x: 0, y: 0, z: 0.6 };

class WindowPage implements Page {
  private readonly camera: Camera;
  private readonly source: HeadSource;
  private readonly room = new Room();
  private readonly figures = new Figures(["head", "x", "y", "distance", "latency", "drawn"]);
  private readonly width = element("input", { type: "number", value: 34, min: 5, max: 400, step: 0.5, name: "width",
    input: () => this.resize() });
  private readonly stage: HTMLElement;
  private readonly watcher: ResizeObserver;
  private readonly rate = new Rate();
  private eye = restingEye;
  private height = 0.2;
  private newest?: HeadFrame;
  private captured?: number; // when the camera took what is drawn next
  private latencies: number[] = [];
  private lastHead = -Infinity;
  private running = true;
  private stale = true; // the eye or the screen is another than when it was drawn

  constructor(root: HTMLElement, connection: Connection) {
    this.camera = new Camera(connection);
    const trouble = element("p", { class: "verdict" });
    const button = cameraButton(this.camera, (_, why) => (trouble.textContent = why ?? ""));
    this.stage = element("div", { class: "stage", pointermove: (event) => this.point(event as PointerEvent) },
      this.room.canvas);
    root.append(
      element("div", { class: "window page" }, this.stage,
        element("div", { class: "side" }, this.figures.root,
          element("p", { class: "hint" },
            "The room lies behind the screen. Calibrate on the Head page, come back, and move your head: what you see " +
            "moves as if the screen were a window. Without a camera, the mouse stands in for your head."),
          element("div", { class: "row" }, button), trouble,
          element("div", { class: "row" }, element("label", {}, "the room is ", this.width, " cm wide on your screen")),
          element("div", { class: "row" }, element("button", { type: "button",
            click: () => void this.stage.requestFullscreen() }, "full screen")))),
    );
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.stage);
    this.resize();
    this.source = new HeadSource(connection, this.camera, { head: (frame) => this.receive(frame) });
    requestAnimationFrame(() => this.draw());
  }

  private resize() {
    const { clientWidth, clientHeight } = this.stage;
    if (clientWidth === 0 || clientHeight === 0) return;
    const width = Math.max(5, Number(this.width.value)) / 100;
    this.height = (width * clientHeight) / clientWidth;
    this.room.setScreen({ width, height: this.height });
    this.room.resize(clientWidth, clientHeight);
    this.stale = true;
  }

  private receive(frame: HeadFrame) {
    this.newest = frame;
    this.captured = frame.latency === undefined ? undefined : performance.now() - frame.latency;
    if (frame.found) this.lastHead = performance.now();
  }

  // The mouse stands in while nobody is tracked.
  private point(event: PointerEvent) {
    if (performance.now() - this.lastHead < 2000) return;
    const box = this.stage.getBoundingClientRect();
    this.eye = { x: 0.5 * ((event.clientX - box.left) / box.width - 0.5),
      y: 0.4 * (0.5 - (event.clientY - box.top) / box.height), z: 0.6 };
    this.stale = true;
  }

  private draw() {
    if (!this.running) return;
    const frame = this.newest;
    this.newest = undefined;
    if (frame) {
      this.figures.set("head", frame.found ? (frame.position ? "found" : "no distance: calibrate") : frame.why);
      if (frame.found && frame.position) {
        this.eye = eyeOf(frame.position, this.height / 2 + aboveEdge);
        this.stage.dataset.frame = String(frame.index);
      }
    }
    if (frame || this.stale) this.drawRoom(frame);
    this.figures.set("drawn", `${this.rate.value()} / s`);
    requestAnimationFrame(() => this.draw());
  }

  private drawRoom(frame?: HeadFrame) {
    this.stale = false;
    const sides = this.room.draw(this.eye);
    const { dataset } = this.stage;
    [dataset.left, dataset.right, dataset.bottom, dataset.top] = [sides.left, sides.right, sides.bottom, sides.top]
      .map((side) => side.toFixed(6));
    const now = performance.now();
    this.rate.add(now);
    if (frame && this.captured !== undefined) this.measure(now - this.captured);
    this.figures.set("x", `${(1000 * this.eye.x).toFixed(0)} mm`);
    this.figures.set("y", `${(1000 * this.eye.y).toFixed(0)} mm`);
    this.figures.set("distance", `${(1000 * this.eye.z).toFixed(0)} mm`);
  }

  // From the camera's frame to its drawing: the median of the last few.
  private measure(latency: number) {
    this.latencies.push(latency);
    if (this.latencies.length > 31) this.latencies.shift();
    const sorted = [...this.latencies].sort((a, b) => a - b);
    this.figures.set("latency", `${sorted[Math.floor(sorted.length / 2)].toFixed(0)} ms`);
  }

  close() {
    this.running = false;
    this.watcher.disconnect();
    this.source.close();
    this.room.close();
  }
}

export const openWindow: OpenPage = (root, connection) => new WindowPage(root, connection);
