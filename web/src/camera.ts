// The viewer's camera. A frame is sent once the one before was answered, and then the newest: nothing queues up, here or on
// the way.
import type { Connection } from "./connection";
import { element } from "./page";

// Width of what is sent: enough for a head, and 9 MB per second at 30 frames per second; landmarks need more.
const widths = { head: 320, face: 400, person: 400 };

/** What the viewer chose on one page holds on the others. */
export const chosen = { on: false, mirrored: true };

export class Camera {
  readonly video = document.createElement("video");
  /** The frame that was sent last. */
  readonly canvas = document.createElement("canvas");
  private stream?: MediaStream;
  private sequence = 0;
  private waiting = false; // for an answer
  private sent = 0; // when the last frame was
  closed = false; // its page is gone
  on = false;

  constructor(private readonly connection: Connection, private tracker: keyof typeof widths = "head") {
    this.video.muted = true;
    this.video.playsInline = true;
  }

  /** Throws where there is no camera, or no permission to use it. */
  async start() {
    if (!navigator.mediaDevices) throw new Error("browsers give the camera to https pages and to localhost only");
    this.stream = await navigator.mediaDevices.getUserMedia({
      video: { facingMode: "user", width: { ideal: 640 }, height: { ideal: 480 }, frameRate: { ideal: 30 } },
    });
    if (this.closed) return this.stop();
    this.video.srcObject = this.stream;
    await this.video.play();
    if (this.closed) return this.stop();
    this.fit();
    this.on = true;
    this.waiting = false;
    this.next();
  }

  /** Lets another tracker have the frames from now on. */
  switchTo(tracker: keyof typeof widths) {
    if (this.on) this.connection.request({ do: "camera off", tracker: this.tracker });
    this.tracker = tracker;
    this.fit();
    this.waiting = false;
  }

  private fit() {
    const width = (this.canvas.width = widths[this.tracker]);
    this.canvas.height = Math.round((width * this.video.videoHeight) / this.video.videoWidth);
  }

  private next() {
    if (!this.on) return;
    this.video.requestVideoFrameCallback((now, { captureTime }) => {
      // when the camera took it, where the browser tells: what is shown now is some tens of milliseconds old
      this.send(captureTime !== undefined && captureTime <= now && now - captureTime < 500 ? captureTime : now);
      this.next();
    });
  }

  private send(taken: number) {
    const now = performance.now();
    // an answer that never comes, such as after a lost connection, does not stop the camera for good
    if ((this.waiting && now - this.sent < 3000) || this.connection.pending > 0) return;
    const context = this.canvas.getContext("2d", { willReadFrequently: true });
    if (!context) return;
    context.drawImage(this.video, 0, 0, this.canvas.width, this.canvas.height);
    const picture = context.getImageData(0, 0, this.canvas.width, this.canvas.height);
    this.waiting = true;
    this.sent = now;
    this.connection.send({ do: "camera", tracker: this.tracker, sequence: this.sequence++, time: taken }, "picture",
      picture.data, [picture.height, picture.width, 4]);
  }

  /** Whether the canvas still has the frame of an answer. */
  has(sequence: unknown) {
    return sequence === this.sequence - 1;
  }

  answered() {
    this.waiting = false;
  }

  stop() {
    if (this.on) this.connection.request({ do: "camera off", tracker: this.tracker });
    this.on = false;
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.video.srcObject = null;
  }

  /** The page is left; the next one goes on with the camera. */
  close() {
    this.closed = true;
    this.stop();
  }
}

/** A box for whether the camera's picture is as in a mirror. */
export function mirrorToggle() {
  return element("label", {}, element("input", { type: "checkbox", checked: chosen.mirrored, name: "mirror",
    change: (event) => (chosen.mirrored = (event.target as HTMLInputElement).checked) }), "as in a mirror");
}

/** A button that switches the camera on and off, and says why where it cannot. A camera that was on on another page goes on. */
export function cameraButton(camera: Camera, changed: (on: boolean, trouble?: string) => void) {
  const button = document.createElement("button");
  button.type = "button";
  button.dataset.action = "camera";
  const name = () => (button.textContent = camera.on ? "switch the camera off" : "use the camera");
  const turn = async () => {
    button.disabled = true;
    try {
      if (camera.on) camera.stop();
      else await camera.start();
      if (camera.closed) return;
      chosen.on = camera.on;
      changed(camera.on);
    } catch (error) {
      if (camera.closed) return;
      chosen.on = false;
      changed(false, error instanceof Error ? error.message : String(error));
    }
    button.disabled = false;
    name();
  };
  button.addEventListener("click", () => void turn());
  name();
  if (chosen.on) queueMicrotask(() => void turn()); // once the page is made
  return button;
}
