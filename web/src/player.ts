// Pause, step, and a slider over the frames that the program still has.
import type { ChannelState, Connection } from "./connection";
import { element } from "./page";

export class Player {
  readonly root: HTMLElement;
  private readonly play = element("button", { type: "button", click: () => this.toggle(), "data-action": "play" });
  private readonly slider = element("input", {
    type: "range", min: 0, max: 0, value: 0, step: 1, "aria-label": "frame",
    input: () => this.show(Number(this.slider.value)),
  });
  private readonly place = element("output", { class: "place" });
  private index = 0;
  private begin = 0;
  private first = 0;
  private end = 0;
  private finished = false;
  private mode: "live" | "paused" | "playing" = "live";
  private asked?: number;

  constructor(private readonly connection: Connection, private readonly channel: string, private rate = 30) {
    const step = (by: number, label: string, action: string) =>
      element("button", { type: "button", title: label, "data-action": action, click: () => this.show(this.index + by) },
        by < 0 ? "◂" : "▸");
    this.root = element("div", { class: "player" }, this.play, step(-1, "one frame back", "back"),
      step(1, "one frame on", "on"), this.slider, this.place);
    this.update();
  }

  setRate(rate: number) {
    this.rate = rate;
  }

  /** A frame has arrived. */
  shown(index: number) {
    this.index = index;
    this.end = Math.max(this.end, index + 1);
    if (this.asked !== undefined && this.mode === "playing") {
      const wait = Math.max(0, this.asked + 1000 / this.rate - performance.now());
      setTimeout(() => this.advance(), wait);
    }
    this.asked = undefined;
    this.update();
  }

  state(state: ChannelState) {
    // another run begins, which is looked at as it goes
    if (this.finished && !state.finished && this.mode !== "live") {
      this.mode = "live";
      this.connection.request({ do: "follow", channel: this.channel, live: true });
    }
    this.begin = state.begin;
    this.first = state.first;
    this.end = state.end;
    this.finished = state.finished;
    this.update();
  }

  /** Shows one frame and stays there. */
  show(index: number) {
    this.mode = "paused";
    this.seek(index);
  }

  private seek(index: number) {
    const wanted = Math.min(Math.max(index, this.first), this.end - 1);
    if (wanted < 0) return;
    this.asked = performance.now();
    this.connection.request({ do: "seek", channel: this.channel, index: wanted });
    this.slider.value = String(wanted);
    this.update();
  }

  private toggle() {
    if (this.mode === "playing" || (this.mode === "live" && !this.finished)) {
      this.mode = "paused";
      this.connection.request({ do: "follow", channel: this.channel, live: false });
    } else if (this.finished) {
      this.mode = "playing";
      this.seek(this.index + 1 < this.end ? this.index + 1 : this.first);
    } else {
      this.mode = "live";
      this.connection.request({ do: "follow", channel: this.channel, live: true });
    }
    this.update();
  }

  private advance() {
    if (this.mode !== "playing") return;
    if (this.index + 1 < this.end) return this.seek(this.index + 1);
    this.mode = "paused";
    this.update();
  }

  private update() {
    const running = this.mode === "playing" || (this.mode === "live" && !this.finished);
    this.play.textContent = running ? "❚❚ pause" : this.finished ? "▶ play" : "▶ live";
    this.slider.min = String(this.first);
    this.slider.max = String(Math.max(this.end - 1, 0));
    if (this.asked === undefined) this.slider.value = String(this.index);
    this.place.textContent = this.end > this.begin
      ? `${Math.max(this.index - this.begin, 0) + 1} / ${this.end - this.begin}` : "no frame yet";
    this.root.dataset.mode = running ? this.mode : "paused";
  }
}
