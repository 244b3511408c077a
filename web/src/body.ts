// The Body page: the person in 3-D, joints with their uncertainty, and how the filter is doing.
import type { ChannelState, Connection } from "./connection";
import { JointTable } from "./joint_table";
import type { Header, Message } from "./message";
import { element, Figures, hint, Rate, type OpenPage, type Page } from "./page";
import { painted } from "./painted";
import { Player } from "./player";
import { RunningPlot } from "./plots";
import { BodyScene } from "./scene";

const channel = "body";
const tableEvery = 100; // milliseconds; nobody reads faster

interface Live {
  taken: number; // seconds since 1970
  latency: number; // seconds until it was tracked
  late: number;
  reopened: number;
  particles: number;
  points: number;
  lowered: boolean;
  tracking: boolean; // false: a page stopped it
  recording?: { folder: string; frames: number; dropped: number; failed?: string; on: boolean };
}

class BodyPage implements Page {
  private readonly scene = new BodyScene();
  private readonly table = new JointTable();
  private readonly figures = new Figures(["frame", "time", "person", "received", "drawn", "skipped"]);
  private readonly live = new Figures(["latency", "late", "reopened", "particles", "points"]);
  private readonly buttons = {
    track: this.button("stop", () => ({ do: "track live", on: !this.tracking })),
    record: this.button("record", () => ({ do: "record", on: !this.recording })),
    findAgain: this.button("find again", () => ({ do: "find again" })),
  };
  private readonly actions = element("div", { class: "actions" }, ...Object.values(this.buttons));
  private readonly recorded = element("p", { class: "recorded", hidden: true });
  private readonly picture = element("canvas", { class: "inset", hidden: true });
  private readonly plots = {
    likelihood: new RunningPlot("log-likelihood", "of the mean pose"),
    ess: new RunningPlot("effective sample size", "particles"),
    ms: new RunningPlot("time by stage", "ms"),
  };
  private readonly player: Player;
  private readonly source = element("span", { class: "source" });
  private readonly empty = hint("Nobody is tracked yet. Drop a recording on this page (a folder of depth images, stereo " +
    "pairs or points), or start `kinema body track --input FOLDER --view`.");
  private readonly received = new Rate();
  private readonly drawn = new Rate();
  private skipped = 0;
  private last = -1;
  private newest?: Message;
  private tableTime = 0;
  private running = true;
  private tracking = true; // as the program said last
  private recording = false;

  constructor(root: HTMLElement, private readonly connection: Connection) {
    this.player = new Player(connection, channel);
    this.player.root.hidden = this.live.root.hidden = this.actions.hidden = true;
    const toggles = (["points", "skin", "particles", "trail"] as const).map((what) =>
      element("label", {}, element("input", { type: "checkbox", checked: true, change: (event) =>
        this.scene.show(what, (event.target as HTMLInputElement).checked) }), what));
    root.append(
      element("div", { class: "body page" },
        element("div", { class: "stage" }, this.scene.canvas,
          element("div", { class: "toggles" }, ...toggles), this.source, this.picture, this.empty),
        element("div", { class: "side" }, this.figures.root, this.live.root, this.actions, this.recorded,
          ...Object.values(this.plots).map((plot) => plot.root),
          this.table.root),
        this.player.root),
    );
    connection.follow(channel, {
      opening: (opening) => this.open(opening),
      frame: (message) => this.receive(message),
      state: (state) => this.state(state),
      history: (frames) => {
        for (const frame of frames) this.plot(frame);
        for (const plot of Object.values(this.plots)) plot.draw();
      },
    });
    requestAnimationFrame(() => this.draw());
  }

  private open(opening: Header) {
    const joints = opening.joints as string[];
    this.scene.setSkeleton(joints, opening.parents as number[]);
    this.table.setJoints(joints);
    this.source.textContent = String(opening.source);
    for (const plot of Object.values(this.plots)) plot.clear();
  }

  private state(state: ChannelState) {
    this.player.state(state);
  }

  private receive(message: Message) {
    this.empty.hidden = true;
    this.player.root.hidden = false;
    const index = message.header.index ?? 0;
    this.received.add();
    if (index > this.last + 1 && this.player.root.dataset.mode === "live" && this.last >= 0) {
      this.skipped += index - this.last - 1;
    }
    this.last = index;
    this.newest = message;
    this.player.shown(index);
    this.plot(message.header);
  }

  private plot({ index = 0, log_likelihood: likelihood, ess, ms }: Header) {
    if (typeof likelihood === "number") this.plots.likelihood.add(index, { "log p": likelihood });
    if (typeof ess === "number") this.plots.ess.add(index, { particles: ess });
    this.plots.ms.add(index, ms as Record<string, number>);
  }

  private draw() {
    if (!this.running) return;
    const now = performance.now();
    const message = this.newest;
    if (message) {
      this.newest = undefined;
      this.scene.set(message);
      this.figures.set("frame", String(message.header.frame));
      this.figures.set("time", `${(message.header.time as number).toFixed(2)} s`);
      this.figures.set("person", message.header.found ? "found" : String(message.header.why));
    }
    if (message) this.showLive(message);
    if (this.scene.draw() && message) this.drawn.add(now);
    if (message && now - this.tableTime > tableEvery) this.writeTable(message, now);
    else if (message) setTimeout(() => this.newest ?? this.writeTable(message, performance.now()), tableEvery);
    this.figures.set("received", `${this.received.value(now)} / s`);
    this.figures.set("drawn", `${this.drawn.value(now)} / s`);
    this.figures.set("skipped", String(this.skipped));
    requestAnimationFrame(() => this.draw());
  }

  // How a live run keeps up; the latency is that from the camera to this page.
  private showLive({ header, arrays }: Message) {
    const live = header.live as Live | undefined;
    this.live.root.hidden = this.actions.hidden = live === undefined;
    if (!live) this.recorded.hidden = true;
    this.picture.hidden = arrays.picture === undefined;
    if (arrays.picture) painted(arrays.picture, this.picture);
    if (!live) return;
    const shown = this.player.root.dataset.mode === "live" ? Date.now() / 1000 - live.taken : live.latency;
    this.live.set("latency", `${Math.max(0, 1000 * shown).toFixed(0)} ms`);
    this.live.set("late", String(live.late));
    this.live.set("reopened", String(live.reopened));
    this.live.set("particles", String(live.particles));
    this.live.set("points", live.lowered ? `${live.points}, lowered` : String(live.points));
    this.showRun(live);
  }

  // Other pages may have pressed the buttons too: what they say comes from the program.
  private showRun({ tracking, recording }: Live) {
    this.tracking = tracking;
    this.recording = recording?.on ?? false;
    this.buttons.track.textContent = tracking ? "stop" : "start";
    this.buttons.record.textContent = this.recording ? "end recording" : "record";
    this.buttons.record.toggleAttribute("data-on", this.recording);
    this.recorded.hidden = recording === undefined;
    if (!recording) return;
    const dropped = recording.dropped > 0 ? `, ${recording.dropped} dropped` : "";
    const words = `${recording.folder}: ${recording.frames} frames${dropped}`;
    this.recorded.textContent = recording.failed ? `${words}; ended: ${recording.failed}` : words;
  }

  private button(action: string, request: () => Record<string, unknown>) {
    return element("button", { "data-action": action, click: () => this.connection.request(request()) }, action);
  }

  private writeTable(message: Message, now: number) {
    if (!this.running) return;
    this.tableTime = now;
    this.table.set(message.arrays.joints?.data, message.arrays.deviation?.data);
    for (const plot of Object.values(this.plots)) plot.draw();
  }

  close() {
    this.running = false;
    this.connection.leave(channel);
    this.scene.close();
    for (const plot of Object.values(this.plots)) plot.close();
  }
}

export const openBody: OpenPage = (root, connection) => new BodyPage(root, connection);
