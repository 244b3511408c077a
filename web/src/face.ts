// The Face page: the picture with mesh and landmarks, the fitted appearance beside it, and sliders over the model's modes.
import { Camera, cameraButton, chosen, mirrorToggle } from "./camera";
import type { Connection } from "./connection";
import { FaceModel, FaceScene, type ModeKind } from "./face_scene";
import type { ArrayPart, Message } from "./message";
import { element, Figures, hint, Rate, type OpenPage, type Page } from "./page";
import { Player } from "./player";
import { RunningPlot } from "./plots";
import { NoWebGL } from "./renderer";

const channel = "face";
const kinds: ModeKind[] = ["shape", "texture", "combined"];
const sliders = 6; // of each kind

// From red, green, blue, row by row.
function opaque(picture: ArrayPart) {
  const [height, width] = picture.shape;
  const image = new ImageData(width, height);
  const { data } = picture;
  for (let i = 0, j = 0; i < data.length; i += 3, j += 4) {
    image.data[j] = data[i];
    image.data[j + 1] = data[i + 1];
    image.data[j + 2] = data[i + 2];
    image.data[j + 3] = 255;
  }
  return image;
}

class FacePage implements Page {
  private readonly canvas = element("canvas", { class: "picture" });
  private readonly figures = new Figures(["frame", "face", "quality", "iterations", "fit", "frames"]);
  private readonly camera: Camera;
  private readonly quality = new RunningPlot("quality", "1: sure", [0, 1]);
  private readonly player: Player;
  private readonly source = element("span", { class: "source" });
  private readonly mirror = mirrorToggle();
  private readonly empty: HTMLElement;
  private readonly fittedPlace = element("div", { class: "faces" });
  private readonly modes = element("div", { class: "modes" });
  private readonly rate = new Rate();
  // A recording's frames and the camera's may be fitted with different models, and each is drawn with its own.
  private models: { recording?: FaceModel; camera?: FaceModel } = {};
  private model?: FaceModel; // of the two, that of what is shown
  private fitted?: FaceScene;
  private synthetic?: FaceScene;
  private amounts: Record<ModeKind, number[]> = { shape: [], texture: [], combined: [] };
  private newest?: Message;
  private showMesh = true;
  private running = true;

  constructor(root: HTMLElement, private readonly connection: Connection) {
    this.player = new Player(connection, channel);
    this.player.root.hidden = this.mirror.hidden = true;
    this.camera = new Camera(connection, "face");
    const button = cameraButton(this.camera, (on, trouble) => this.switched(on, trouble));
    this.empty = hint("Use the camera: its button is beside this picture, or below it. " +
      (connection.offers.includes("files") ? "Or drop pictures or a video on this page. " : "") +
      "On the command line, `kinema face fit --input VIDEO --view` shows the faces of a video here.");
    root.append(
      element("div", { class: "facepage page" },
        element("div", { class: "stage centred" }, this.canvas,
          element("div", { class: "toggles" }, element("label", {}, element("input", { type: "checkbox", checked: true,
            change: (event) => (this.showMesh = (event.target as HTMLInputElement).checked) }), "mesh"), this.mirror),
          this.source, this.empty),
        element("div", { class: "side" }, this.figures.root, element("div", { class: "row" }, button), this.fittedPlace, this.modes, this.quality.root),
        this.player.root),
    );
    connection.follow(channel, {
      opening: (header, message) => this.open(String(header.source), message),
      frame: (message) => {
        if (this.camera.on) return;
        this.player.root.hidden = false;
        this.player.shown(message.header.index ?? 0);
        this.receive(message, message.header.index ?? 0);
      },
      state: (state) => this.player.state(state),
      history: (frames) => {
        if (this.camera.on) return;
        for (const { index, quality } of frames) {
          if (typeof quality === "number") this.quality.add(index ?? 0, { quality });
        }
        this.quality.draw();
      },
    });
    connection.on("face model", (_, message) => {
      if (!message) return;
      this.models.camera = new FaceModel(message);
      this.showModel();
    });
    connection.on("face", (header, message) => {
      if (!message || !this.camera.on || !this.camera.has(header.sequence)) return; // else it would lie on another picture
      this.receive(message, header.sequence as number);
    });
    requestAnimationFrame(() => this.draw());
  }

  private switched(on: boolean, trouble?: string) {
    this.source.textContent = trouble ?? (on ? "your camera" : "");
    this.empty.hidden ||= on;
    this.mirror.hidden = !on;
    this.showModel();
    this.player.root.hidden = true;
    this.quality.clear();
  }

  private receive(message: Message, index: number) {
    this.rate.add();
    this.newest = message;
    this.empty.hidden = true;
    const { quality } = message.header;
    if (typeof quality === "number") this.quality.add(index, { quality });
  }

  private open(source: string, message: Message) {
    if (!this.camera.on) this.source.textContent = source;
    this.models.recording = new FaceModel(message);
    this.showModel();
  }

  private showModel() {
    const model = (this.camera.on ? this.models.camera : undefined) ?? this.models.recording;
    if (!model || model === this.model) return;
    this.model = model;
    this.fitted?.close();
    this.synthetic?.close();
    try {
      this.fitted = new FaceScene(this.model);
      this.synthetic = new FaceScene(this.model);
    } catch (error) {
      if (!(error instanceof NoWebGL)) throw error;
      this.fittedPlace.replaceChildren(element("p", { class: "hint" }, error.message));
      return; // the picture is drawn without it
    }
    this.fittedPlace.replaceChildren(
      element("figure", {}, this.fitted.canvas, element("figcaption", {}, "as fitted")),
      element("figure", {}, this.synthetic.canvas, element("figcaption", {}, "by the sliders")));
    this.fitted.draw([], []);
    this.makeSliders();
    this.drawSynthetic();
  }

  private makeSliders() {
    const { model } = this;
    if (!model) return;
    this.modes.replaceChildren(
      ...kinds.filter((kind) => model.count(kind) > 0).map((kind) => {
        this.amounts[kind] = Array.from({ length: Math.min(sliders, model.count(kind)) }, () => 0);
        return element("fieldset", { "data-modes": kind }, element("legend", {}, kind),
          ...this.amounts[kind].map((_, mode) =>
            element("input", { type: "range", min: -3, max: 3, step: 0.05, value: 0, title: `mode ${mode + 1}`,
              "data-mode": mode, input: (event) => {
                this.amounts[kind][mode] = Number((event.target as HTMLInputElement).value);
                this.drawSynthetic();
              } })));
      }),
      element("button", { type: "button", "data-action": "mean", click: () => {
        this.makeSliders();
        this.drawSynthetic();
      } }, "back to the mean"));
  }

  private drawSynthetic() {
    this.synthetic?.draw(this.amounts.shape, this.amounts.texture, this.amounts.combined);
  }

  private draw() {
    if (!this.running) return;
    this.canvas.classList.toggle("mirrored", this.camera.on && chosen.mirrored); // in a recording, words would be
    const message = this.newest;
    this.newest = undefined;
    if (message) {
      const { header, arrays } = message;
      this.drawPicture(message);
      if (header.say === "face") this.camera.answered();
      if (header.found) this.fitted?.draw(arrays.shape.data, arrays.texture.data);
      this.figures.set("frame", String(header.frame ?? header.sequence));
      this.figures.set("face", header.found ? "found" : String(header.why ?? "none"));
      if (header.found) {
        this.figures.set("quality", (header.quality as number).toFixed(2));
        this.figures.set("iterations", String(header.iterations));
        this.figures.set("fit", `${(header.ms as { fit: number }).fit.toFixed(1)} ms`);
      }
      this.quality.draw();
    }
    this.figures.set("frames", `${this.rate.value()} / s`);
    requestAnimationFrame(() => this.draw());
  }

  private drawPicture({ header, arrays }: Message) {
    const context = this.canvas.getContext("2d");
    if (!context) return;
    const sent = header.say === "face" ? this.camera.canvas : undefined; // what was answered is still there
    if (!sent && !arrays.picture) return;
    const [height, width] = sent ? [sent.height, sent.width] : arrays.picture.shape;
    this.canvas.width = width;
    this.canvas.height = height;
    if (sent) context.drawImage(sent, 0, 0);
    else context.putImageData(opaque(arrays.picture), 0, 0);
    if (arrays.landmarks && this.model) this.drawLandmarks(context, arrays.landmarks, arrays.confidence,
      Math.round((header.width as number) / width));
  }

  private drawLandmarks(context: CanvasRenderingContext2D, landmarks: ArrayPart, confidence: ArrayPart, shrunk: number) {
    const at = (i: number): [number, number] =>
      [(landmarks.data[2 * i] + 0.5) / shrunk, (landmarks.data[2 * i + 1] + 0.5) / shrunk];
    const { triangles, groups } = this.model as FaceModel;
    if (this.showMesh) {
      context.beginPath();
      for (let t = 0; t < triangles.shape[0]; ++t) {
        const [a, b, c] = triangles.data.subarray(3 * t, 3 * t + 3);
        context.moveTo(...at(a));
        context.lineTo(...at(b));
        context.lineTo(...at(c));
        context.closePath();
      }
      context.strokeStyle = "#5cc8ff55";
      context.lineWidth = 0.6;
      context.stroke();
    }
    context.beginPath();
    for (const { points, closed } of groups) {
      points.forEach((point, i) => (i === 0 ? context.moveTo(...at(point)) : context.lineTo(...at(point))));
      if (closed) context.closePath();
    }
    context.strokeStyle = "#7ee787";
    context.lineWidth = 1.2;
    context.stroke();
    for (let i = 0; i < landmarks.shape[0]; ++i) {
      const sure = confidence.data.length > 0 ? confidence.data[i] : 1;
      context.fillStyle = sure > 0.5 ? "#ffffff" : "#ffb454";
      const [x, y] = at(i);
      context.fillRect(x - 1, y - 1, 2, 2);
    }
  }

  close() {
    this.running = false;
    this.connection.leave(channel);
    this.connection.off("face");
    this.connection.off("face model");
    this.camera.close();
    this.fitted?.close();
    this.synthetic?.close();
    this.quality.close();
  }
}

export const openFace: OpenPage = (root, connection) => new FacePage(root, connection);
