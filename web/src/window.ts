// The Window page: the screen becomes a window, drawn for the place of the head that looks through it. On a phone or tablet
// the motion sensors hold the room still while the device is tilted.
import { Camera, cameraButton } from "./camera";
import type { Connection } from "./connection";
import { HandHeld } from "./hand_held";
import { HeadSource, type HeadFrame } from "./head_source";
import { MotionSensors, screenAngle } from "./motion_sensors";
import { awayFromAxis, eyeOf, lensOf, type Eye } from "./off_axis";
import { element, Figures, Rate, type OpenPage, type Page } from "./page";
import { Room } from "./room";
import { identity, type Rotation } from "./rotation";

const beyondEdge = 0.01; // metres from the edge of the screen to the camera's lens
const restingEye: Eye = { x: 0, y: 0, z: 0.6 };
const handHeld = matchMedia("(pointer: coarse)").matches;
const pixelsPerInch = 160; // of a page, not of the screen: what phones and tablets agree on
const usualWidth = 34; // cm, of a screen on a desk

class WindowPage implements Page {
  private readonly camera: Camera;
  private readonly source: HeadSource;
  private readonly room = new Room();
  private readonly figures = new Figures(["head", "x", "y", "distance", "latency", "drawn"]);
  private readonly width = element("input", { type: "number", value: usualWidth, min: 5, max: 400, step: 0.5, name: "width",
    input: () => {
      this.measured = true;
      this.resize();
    } });
  private measured = false; // the user has told the screen's width
  private readonly held = new HandHeld();
  private readonly sensors = new MotionSensors({
    turn: (rate, time) => this.held.turn.turn(rate, time),
    absolute: (orientation, time) => this.held.turn.absolute(orientation, time),
  });
  private readonly sensing = element("p", { class: "verdict", "data-figure": "sensors" });
  // for browsers that ask for permission only when a button is pressed
  private readonly permission = element("button", { type: "button", "data-action": "sensors", click: () => void this.sense() },
    "use the motion sensors");
  private readonly sensorRow: HTMLElement;
  private staysPut = true;
  private steady = false; // the sensors are used
  private readonly stage: HTMLElement;
  private readonly watcher: ResizeObserver;
  private readonly rate = new Rate();
  private eye = restingEye;
  private screen = { width: 0.34, height: 0.2 };
  private newest?: HeadFrame;
  private captured?: number; // when the camera took what is drawn next
  private latencies: number[] = [];
  private lastHead = -Infinity;
  private drawn: { eye: Eye; turned: Rotation } = { eye: restingEye, turned: identity };
  private pointed = false; // a finger or the mouse stands in for the head
  private running = true;
  private stale = true; // the eye or the screen is another than when it was drawn

  constructor(root: HTMLElement, connection: Connection) {
    this.camera = new Camera(connection, "person");
    const trouble = element("p", { class: "verdict" });
    const button = cameraButton(this.camera, (_, why) => (trouble.textContent = why ?? ""));
    this.stage = element("div", { class: "stage", pointermove: (event) => this.point(event as PointerEvent) },
      this.room.canvas);
    const fullScreen = element("button", { type: "button", click: () => void this.stage.requestFullscreen() }, "full screen");
    fullScreen.hidden = !document.fullscreenEnabled; // which phones of one maker lack
    this.sensorRow = element("div", { class: "row" },
      element("label", {}, element("input", { type: "checkbox", checked: true, name: "stays",
        change: (event) => (this.staysPut = (event.target as HTMLInputElement).checked) }), "the room stays put"),
      element("button", { type: "button", "data-action": "straighten",
        click: () => this.held.straighten(screenAngle(), performance.now()) }, "set it straight"));
    this.sensorRow.hidden = this.permission.hidden = true;
    root.append(
      element("div", { class: "window page" }, this.stage,
        element("div", { class: "side" }, this.figures.root,
          element("p", { class: "hint" },
            "The room lies behind the screen. Switch the camera on, look at it and move your head: what you see moves as if " +
            "the screen were a window. Without a camera, " +
            (handHeld ? "a finger on the picture" : "the mouse") + " stands in for your head."),
          element("div", { class: "row" }, button, fullScreen), trouble,
          this.permission, this.sensorRow, this.sensing,
          element("div", { class: "row" }, element("label", {}, "the room is ", this.width, " cm wide on your screen")))),
    );
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.stage);
    this.resize();
    this.source = new HeadSource(connection, this.camera, { head: (frame) => this.receive(frame) });
    void this.sense();
    requestAnimationFrame(() => this.draw());
  }

  private async sense() {
    try {
      this.permission.hidden = (await this.sensors.start()) === "on";
    } catch (error) {
      this.permission.hidden = true;
      // a computer on a desk has none, and needs none
      if (handHeld) this.sensing.textContent = `Camera alone: ${error instanceof Error ? error.message : error}.`;
    }
  }

  private resize() {
    const { clientWidth, clientHeight } = this.stage;
    if (clientWidth === 0 || clientHeight === 0) return;
    if (handHeld && !this.measured) this.width.value = ((clientWidth / pixelsPerInch) * 2.54).toFixed(1);
    const width = Math.max(5, Number(this.width.value)) / 100;
    this.screen = { width, height: (width * clientHeight) / clientWidth };
    this.room.setScreen(this.screen);
    this.room.resize(clientWidth, clientHeight);
    this.stage.dataset.depth = this.room.depth.toFixed(4);
    this.stale = true;
  }

  // Only a device that is turned has its camera at another edge: that of a screen on a desk stays above it.
  private eyeSeen(position: [number, number, number], angle: number) {
    return eyeOf(position, lensOf(this.screen, angle, beyondEdge));
  }

  private receive(frame: HeadFrame) {
    this.newest = frame;
    this.captured = frame.latency === undefined ? undefined : performance.now() - frame.latency;
    if (!frame.found) return;
    this.lastHead = performance.now();
    this.pointed = false;
    if (this.captured === undefined || !frame.rawPosition) return;
    const angle = screenAngle();
    this.held.head(this.eyeSeen(awayFromAxis(frame.rawPosition), angle), angle, this.captured);
  }

  // The mouse stands in while nobody is tracked.
  private point(event: PointerEvent) {
    if (performance.now() - this.lastHead < 2000) return;
    const box = this.stage.getBoundingClientRect();
    this.pointed = true;
    this.eye = { x: 0.5 * ((event.clientX - box.left) / box.width - 0.5),
      y: 0.4 * (0.5 - (event.clientY - box.top) / box.height), z: 0.6 };
    this.stale = true;
  }

  private draw() {
    if (!this.running) return;
    const now = performance.now();
    this.useSensors(this.held.turn.known(now));
    const frame = this.newest;
    this.newest = undefined;
    if (frame) {
      this.figures.set("head", frame.found ? (frame.position ? "found" : "no distance: calibrate") : frame.why);
      if (frame.found && frame.position) {
        this.eye = this.eyeSeen(frame.position, this.steady ? screenAngle() : 0);
        this.stage.dataset.frame = String(frame.index);
      }
    }
    const angle = screenAngle();
    const followed = this.steady && !this.pointed && this.held.known(now); // a head that is not seen is kept where it was
    if (followed) this.eye = this.held.eye(angle, now);
    const turned = followed && this.staysPut ? this.held.room(angle, now) : identity;
    if (frame || this.stale || (followed && this.moved(turned))) this.drawRoom(now, turned, frame);
    if (followed) this.stage.dataset.delay = this.held.delay.toFixed(0);
    this.figures.set("drawn", `${this.rate.value()} / s`);
    requestAnimationFrame(() => this.draw());
  }

  private useSensors(known: boolean) {
    if (known === this.steady) return;
    this.steady = known;
    this.stale = true;
    this.sensorRow.hidden = !known;
    this.sensing.textContent = known ? "" : "Camera alone: the motion sensors fell silent.";
  }

  // Whether it would be seen: a device that rests in the hand trembles less than this.
  private moved(turned: Rotation) {
    const { eye, turned: before } = this.drawn;
    return Math.hypot(this.eye.x - eye.x, this.eye.y - eye.y, this.eye.z - eye.z) > 1e-4 ||
      Math.hypot(...turned.map((value, i) => value - before[i])) > 1e-4;
  }

  private drawRoom(now: number, turned: Rotation, frame?: HeadFrame) {
    this.stale = false;
    this.drawn = { eye: this.eye, turned };
    const sides = this.room.draw(this.eye, turned);
    const { dataset } = this.stage;
    [dataset.left, dataset.right, dataset.bottom, dataset.top] = [sides.left, sides.right, sides.bottom, sides.top]
      .map((side) => side.toFixed(6));
    const { x, y } = this.room.corner;
    dataset.corner = `${x.toFixed(5)} ${y.toFixed(5)}`;
    dataset.eye = [this.eye.x, this.eye.y, this.eye.z].map((metres) => metres.toFixed(4)).join(" ");
    dataset.drawn = now.toFixed(2);
    this.rate.add(now);
    if (frame && this.captured !== undefined) this.measure(performance.now() - this.captured);
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
    this.sensors.stop();
    this.source.close();
    this.room.close();
  }
}

export const openWindow: OpenPage = (root, connection) => new WindowPage(root, connection);
