// The camera's picture with what the tracker sees in it: degrees of skin, the head's outline, its centre, and the oval
// that the user draws with the mouse to calibrate.
import { chosen } from "./camera";
import type { HeadFrame } from "./head_source";
import { painted } from "./painted";

export type Oval = [number, number, number, number]; // centre and radii, pixels of the tracked picture

export class HeadPicture {
  readonly canvas = document.createElement("canvas");
  private readonly pictureCanvas = document.createElement("canvas");
  private readonly degreesCanvas = document.createElement("canvas");
  private frame?: HeadFrame;
  private live = false; // from this page's camera
  private width = 320;
  private height = 240;
  private stale = true; // something changed since it was drawn
  private degrees = true;
  oval?: Oval;

  /** `drawn` is called when the user has drawn an oval. */
  constructor(private readonly video: HTMLVideoElement, private readonly drawn: (oval: Oval) => void) {
    this.canvas.className = "picture";
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
  }

  set(frame: HeadFrame) {
    this.frame = frame;
    this.stale = true;
    if (frame.width > 0) [this.width, this.height] = [frame.width, frame.height];
    if (frame.picture) painted(frame.picture, this.pictureCanvas);
    if (frame.degrees) painted(frame.degrees, this.degreesCanvas);
  }

  showDegrees(on: boolean) {
    this.degrees = on;
    this.stale = true;
  }

  // From the centre to a corner of its box.
  private press(event: PointerEvent) {
    const start = this.place(event);
    this.canvas.setPointerCapture(event.pointerId);
    const move = (next: PointerEvent) => {
      const at = this.place(next);
      this.oval = [start[0], start[1], Math.max(4, Math.abs(at[0] - start[0])), Math.max(4, Math.abs(at[1] - start[1]))];
    };
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", () => {
      this.canvas.removeEventListener("pointermove", move);
      if (this.oval) this.drawn(this.oval);
    }, { once: true });
  }

  // Of the pointer, in pixels of the tracked picture.
  private place(event: PointerEvent): [number, number] {
    const box = this.canvas.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.width;
    return [chosen.mirrored && this.live ? this.width - 1 - x : x, ((event.clientY - box.top) / box.height) * this.height];
  }

  draw(live: boolean) {
    const scale = 2;
    const { canvas, frame } = this;
    if (!live && !this.stale && this.live === live) return;
    this.live = live;
    this.stale = false;
    const mirrored = chosen.mirrored && live; // in a recording, words would be
    if (canvas.width !== scale * this.width) canvas.width = scale * this.width;
    if (canvas.height !== scale * this.height) canvas.height = scale * this.height;
    const context = canvas.getContext("2d");
    if (!context) return;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.setTransform(mirrored ? -scale : scale, 0, 0, scale, mirrored ? canvas.width : 0, 0);
    if (live) context.drawImage(this.video, 0, 0, this.width, this.height);
    else if (frame?.picture) context.drawImage(this.pictureCanvas, 0, 0, this.width, this.height);
    if (frame?.degrees && this.degrees) context.drawImage(this.degreesCanvas, 0, 0, this.width, this.height);
    const ellipse = ([cx, cy, rx, ry]: Oval, colour: string, dash: number[]) => {
      context.beginPath();
      context.ellipse(cx, cy, rx, ry, 0, 0, 2 * Math.PI);
      context.strokeStyle = colour;
      context.lineWidth = 2;
      context.setLineDash(dash);
      context.stroke();
      context.setLineDash([]);
    };
    if (this.oval) ellipse(this.oval, "#ffb454", [6, 4]);
    if (!frame?.found) return;
    if (frame.oval) ellipse(frame.oval, "#7ee787", []);
    const places = frame.landmarks?.data ?? [];
    context.fillStyle = "#ffb454";
    for (let i = 0; i + 1 < places.length; i += 2) context.fillRect(places[i] - 1, places[i + 1] - 1, 2, 2);
    context.strokeStyle = "#7ee787";
    context.beginPath();
    context.moveTo(frame.x - 8, frame.y);
    context.lineTo(frame.x + 8, frame.y);
    context.moveTo(frame.x, frame.y - 8);
    context.lineTo(frame.x, frame.y + 8);
    context.stroke();
  }
}
