// The motion sensors of a phone or tablet, as browsers give them: events of the rate of turn and of the orientation.
import { deviceOrientation, type Rotation, type Vector } from "./rotation";

export interface MotionListener {
  turn(rate: Vector, time: number): void;
  absolute(orientation: Rotation, time: number): void;
}

type Asking = { requestPermission?: () => Promise<string> };

/** Of an event, on the clock of performance.now(): some browsers count from another beginning, or from none. */
export const eventTime = (stamp: number, now: number) => (stamp <= now && now - stamp < 1000 ? stamp : now);

/** Degrees by which the picture on the screen is rotated from how the device is held upright: 0, 90, 180 or 270. */
export const screenAngle = () => screen.orientation?.angle ?? 0;

export class MotionSensors {
  private readonly motion = (event: DeviceMotionEvent) => {
    const rate = event.rotationRate;
    // the names are those of angles, but the rates are about x, y and z, in degrees per second
    if (rate?.alpha == null || rate.beta == null || rate.gamma == null) return;
    this.heard = true;
    const radians = Math.PI / 180;
    this.listener.turn([rate.alpha * radians, rate.beta * radians, rate.gamma * radians],
      eventTime(event.timeStamp, performance.now()));
  };
  private readonly orientation = (event: DeviceOrientationEvent) => {
    if (event.alpha == null || event.beta == null || event.gamma == null) return;
    this.heard = true;
    this.listener.absolute(deviceOrientation(event.alpha, event.beta, event.gamma),
      eventTime(event.timeStamp, performance.now()));
  };
  private listening = false;
  heard = false;

  constructor(private readonly listener: MotionListener) {}

  /** Why there are none, where that is certain. */
  get missing() {
    if (!isSecureContext) return "browsers give motion sensors to https pages and to localhost only";
    return typeof DeviceMotionEvent === "undefined" ? "this browser has no motion sensors" : undefined;
  }

  /** Gives "press" where the browser asks for permission only when a button is pressed. Throws where there are none. */
  async start(): Promise<"press" | "on"> {
    if (this.missing) throw new Error(this.missing);
    try {
      // both at once, since the button's press counts for a moment only
      const answers = await Promise.all(([DeviceMotionEvent, DeviceOrientationEvent] as Asking[])
        .map((kind) => kind.requestPermission?.()));
      if (answers.includes("denied")) throw new Error("the browser was told not to give its motion sensors");
    } catch (error) {
      if (error instanceof DOMException && error.name === "NotAllowedError") return "press";
      throw error;
    }
    if (this.listening) return "on";
    this.listening = true;
    addEventListener("devicemotion", this.motion);
    addEventListener("deviceorientation", this.orientation);
    return "on";
  }

  stop() {
    this.listening = false;
    removeEventListener("devicemotion", this.motion);
    removeEventListener("deviceorientation", this.orientation);
  }
}
