// The Head page: the picture with skin, outline and centre over it, plots of place, distance and jitter, and calibration
// by an oval that is drawn with the mouse.
import { Camera, cameraButton, mirrorToggle } from "./camera";
import type { Connection } from "./connection";
import { HeadPicture, type Oval } from "./head_picture";
import { HeadSource, type HeadFrame } from "./head_source";
import { Jitter } from "./jitter";
import { element, Figures, hint, Rate, type OpenPage, type Page } from "./page";
import { Player } from "./player";
import { RunningPlot } from "./plots";

const radians = Math.PI / 180;
const plotEvery = 100; // milliseconds

class HeadPage implements Page {
  private readonly camera: Camera;
  private readonly source: HeadSource;
  private readonly picture: HeadPicture;
  private readonly player: Player;
  private readonly figures = new Figures(["head", "x", "y", "distance", "turned", "jitter", "latency", "tracking", "frames", "score"]);
  private readonly plots = {
    place: new RunningPlot("place", "pixels"),
    distance: new RunningPlot("distance", "cm"),
    jitter: new RunningPlot("jitter", "pixels"),
  };
  private readonly distance = element("input", { type: "number", value: 60, min: 10, max: 500, name: "distance" });
  private readonly view = element("input", { type: "number", value: 60, min: 10, max: 150, name: "view" });
  private readonly calibrate = element("button", { type: "button", class: "main", disabled: true,
    "data-action": "calibrate", click: () => this.ask() }, "calibrate");
  private readonly find = element("button", { type: "button", disabled: true, "data-action": "find face",
    click: () => this.findFace() }, "find my face");
  private finding = false; // the person tracker has the frames, until it has seen a face
  private readonly verdict = element("p", { class: "verdict", "data-figure": "verdict" });
  private jitter = new Jitter();
  private readonly rate = new Rate();
  private plotTime = 0;
  private running = true;
  private recorded = false; // there are frames to play
  private readonly empty = hint("No head is tracked yet. Use the camera (its button is beside this picture, or below it), drop a video on " +
    "this page, or start `kinema track --input VIDEO --view`.");

  constructor(root: HTMLElement, private readonly connection: Connection) {
    this.camera = new Camera(connection);
    this.picture = new HeadPicture(this.camera.video, () => this.update());
    this.player = new Player(connection, "head");
    const name = element("span", { class: "source" });
    const button = cameraButton(this.camera, (on, trouble) => {
      name.textContent = trouble ?? (on ? "your camera" : "");
      this.player.root.hidden = on || !this.recorded;
      mirror.hidden = !on;
      this.find.disabled = !on;
      this.empty.hidden = on || this.recorded;
      this.forget();
      this.update();
    });
    this.player.root.hidden = true;
    const check = (label: string, changed: (on: boolean) => void) =>
      element("label", {}, element("input", { type: "checkbox", checked: true, change: (event) =>
        changed((event.target as HTMLInputElement).checked) }), label);
    const mirror = mirrorToggle();
    mirror.hidden = true;
    root.append(
      element("div", { class: "head page" },
        element("div", { class: "stage centred" }, this.picture.canvas,
          element("div", { class: "toggles" },
            check("degrees of skin", (on) => this.picture.showDegrees(on)),
            mirror), name, this.empty),
        element("div", { class: "side" }, this.figures.root,
          element("section", { class: "calibration" },
            element("h3", {}, "Calibration"),
            element("p", { class: "hint" },
              "Switch the camera on and let your face be found, or draw an oval over it (press at the nose, pull to the " +
              "corner of its box). Then calibrate."),
            element("div", { class: "row" }, button, this.find),
            element("div", { class: "row" }, element("label", {}, "you sit at ", this.distance, " cm"),
              element("label", {}, "camera's view ", this.view, "°")),
            element("div", { class: "row" }, this.calibrate), this.verdict),
          ...Object.values(this.plots).map((plot) => plot.root)),
        this.player.root),
    );
    connection.on("calibrated", (header) =>
      this.calibrated(header.score as number, header.low === true, header.filter as string));
    this.source = new HeadSource(connection, this.camera, {
      head: (frame) => this.receive(frame),
      state: (state) => {
        this.player.state(state);
      },
      opening: (opening) => {
        name.textContent = String(opening.source);
        if (!this.camera.on) this.forget();
      },
      history: (frames) => {
        this.forget();
        for (const frame of frames) this.plot(frame);
      },
    });
    requestAnimationFrame(() => this.draw());
  }

  // Another source begins, whose frames count from 0 again.
  private forget() {
    this.jitter = new Jitter();
    for (const plot of Object.values(this.plots)) plot.clear();
  }

  private update() {
    this.calibrate.disabled = !this.camera.on || !this.picture.oval;
  }

  // Where it is needs no colours: the person tracker tells, whose oval is then that of the calibration.
  private findFace() {
    this.finding = true;
    this.verdict.textContent = "looking for your face …";
    this.camera.switchTo("person");
  }

  private foundFace(frame: HeadFrame) {
    this.finding = false;
    const sent = frame.width;
    this.camera.switchTo("head");
    const scale = this.camera.canvas.width / sent;
    this.picture.oval = frame.oval?.map((value) => value * scale) as Oval;
    this.verdict.textContent = "This is your face: calibrate, or draw another oval.";
    this.update();
  }

  private ask() {
    this.verdict.textContent = "looking for the colours of your skin …";
    this.connection.request({ do: "calibrate", oval: this.picture.oval as Oval,
      distance: Number(this.distance.value) / 100, field_of_view: Number(this.view.value) * radians });
  }

  private calibrated(score: number, low: boolean, filter: string) {
    const file = URL.createObjectURL(new Blob([filter], { type: "application/json" }));
    this.verdict.replaceChildren(
      `score ${score.toFixed(2)}: ` + (low ? "too much around you has your colours; try another light or wall. " : "good. "),
      element("a", { href: file, download: "filter.json" }, "filter.json"));
    this.verdict.dataset.score = String(score);
    this.picture.oval = undefined;
    this.update();
  }

  private receive(frame: HeadFrame) {
    this.rate.add();
    if (this.finding && frame.found && frame.oval) return this.foundFace(frame);
    this.picture.set(frame);
    this.empty.hidden = true;
    if (!this.camera.on) {
      this.recorded = true;
      this.player.root.hidden = false;
      this.player.shown(frame.index);
    }
    this.figures.set("head", frame.found ? "found" : frame.why);
    this.figures.set("tracking", `${frame.ms.toFixed(1)} ms`);
    if (frame.latency !== undefined) this.figures.set("latency", `${frame.latency.toFixed(0)} ms`);
    if (!frame.found) {  // where it was is not where it is
      for (const name of ["x", "y", "distance", "turned", "jitter", "score"]) this.figures.set(name, "–");
      return;
    }
    this.plot(frame);
    this.figures.set("x", frame.x.toFixed(1));
    this.figures.set("y", frame.y.toFixed(1));
    this.figures.set("score", frame.score.toFixed(2));
    this.figures.set("jitter", `${this.jitter.value.toFixed(2)} px`);
    const { pose } = frame;
    this.figures.set("turned", pose ? [pose.yaw, pose.pitch, pose.roll].map((angle) => `${Math.round(angle) || 0}°`).join(" ") : "–");
    if (frame.distance === undefined) return;
    this.figures.set("distance", `${(100 * frame.distance).toFixed(0)} cm`);
  }

  private plot(frame: HeadFrame) {
    if (!frame.found) return;
    this.jitter.add(frame.x, frame.y);
    this.plots.place.add(frame.index, { x: frame.x, y: frame.y });
    this.plots.jitter.add(frame.index, { jitter: this.jitter.value });
    if (frame.distance !== undefined) this.plots.distance.add(frame.index, { distance: 100 * frame.distance });
  }

  private draw() {
    if (!this.running) return;
    const now = performance.now();
    this.picture.draw(this.camera.on);
    this.figures.set("frames", `${this.rate.value(now)} / s`);
    if (now - this.plotTime > plotEvery) {
      this.plotTime = now;
      for (const plot of Object.values(this.plots)) plot.draw();
    }
    requestAnimationFrame(() => this.draw());
  }

  close() {
    this.running = false;
    this.connection.off("calibrated");
    this.source.close();
    for (const plot of Object.values(this.plots)) plot.close();
  }
}

export const openHead: OpenPage = (root, connection) => new HeadPage(root, connection);
