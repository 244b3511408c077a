// How a hand-held device is turned: its rate of turn (gyroscope), which is fast but drifts, is integrated and drawn towards
// the orientation that the system tells, which does not drift much but may be slow, missing, or begin anew.
//
// The device's frame: x to the right of the screen as it is held upright, y up along it, z out of it to the viewer. Times are in
// milliseconds of one clock.
import { after, back, identity, length, minus, plus, rotated, rotationBy, times, turnOf, type Rotation, type Vector } from "./rotation";

const longestGap = 250; // milliseconds between readings, over which a turn can still be told
const kept = 1500; // milliseconds of orientations that can be asked for
const furthest = 120; // milliseconds ahead of the last reading for which its rate still holds
const pull = 1; // share per second of the deviation from the system's orientation that is taken back
const learning = 0.2; // of the gyroscope's bias, from the same deviation: per second squared
const doubt = 0.3; // share per second that is learnt of a bias that the head's drift shows
const largestBias = 0.05; // radians per second: a gyroscope that is worse is broken
const jump = 0.35; // radians: the system's frame began anew, since no drift is as large

export class DeviceTurn {
  private readings: { time: number; orientation: Rotation }[] = [];
  private rate: Vector = [0, 0, 0]; // radians per second, the device's frame
  private bias: Vector = [0, 0, 0];
  private frame?: Rotation; // from the system's frame to ours
  private lastRate = -Infinity;
  private lastAbsolute = -Infinity;

  /** The gyroscope's rate, radians per second about the device's axes. A reading out of order, or no number, is ignored. */
  turn(rate: Vector, time: number) {
    if (!rate.every(Number.isFinite) || !Number.isFinite(time)) return;
    const last = this.readings.at(-1);
    const seconds = last ? (time - last.time) / 1000 : 0;
    if (last && !(seconds > 0)) return;
    const unbiased = minus(rate, this.bias);
    if (!last || 1000 * seconds > longestGap) {
      this.begin(last?.orientation ?? identity, time); // what happened in between is unknown
    } else {
      const mean = time - this.lastRate <= longestGap ? times(0.5, plus(this.rate, unbiased)) : unbiased;
      this.add(after(last.orientation, rotationBy(times(seconds, mean))), time);
    }
    this.rate = unbiased;
    this.lastRate = time;
  }

  /** The system's orientation: from the device's frame to one that stays. */
  absolute(orientation: Rotation, time: number) {
    if (!orientation.every(Number.isFinite) || !Number.isFinite(time)) return;
    const seconds = (time - this.lastAbsolute) / 1000;
    if (!(seconds > 0)) return;
    this.lastAbsolute = time;
    const last = this.readings.at(-1);
    const gyroscope = time - this.lastRate <= longestGap;
    const current = gyroscope ? this.at(time) : last?.orientation;
    const told = this.frame && after(this.frame, orientation);
    const deviation = told && current ? turnOf(after(told, back(current))) : undefined;
    if (!deviation || 1000 * seconds > longestGap || length(deviation) > jump) {
      this.frame = after(current ?? identity, back(orientation)); // nothing moves where it begins anew
      if (!gyroscope) this.begin(current ?? identity, time);
      return;
    }
    if (gyroscope) {
      // the integral is turned as a whole, its past too, so that nothing jumps between a frame's capture and now
      const correction = rotationBy(times(Math.min(1, pull * seconds), deviation));
      for (const reading of this.readings) reading.orientation = after(correction, reading.orientation);
      const inDevice = rotated(back(this.readings[this.readings.length - 1].orientation), deviation);
      this.setBias(minus(this.bias, times(learning * seconds, inDevice)));
    } else if (last && told && time > last.time) {
      this.rate = times(1000 / (time - last.time), turnOf(after(back(last.orientation), told)));
      this.add(told, time);
    }
  }

  /** A turn about axes of the steady frame, radians per second, that something else shows to be none: the gyroscope's bias. */
  deny(turn: Vector, seconds: number, time: number) {
    if (time - this.lastAbsolute <= longestGap) return; // the system's orientation knows better
    this.setBias(plus(this.bias, times(Math.min(1, doubt * seconds), rotated(back(this.at(time)), turn))));
  }

  private setBias(bias: Vector) {
    this.bias = times(Math.min(1, largestBias / Math.max(1e-9, length(bias))), bias);
  }

  private begin(orientation: Rotation, time: number) {
    this.readings = [{ time, orientation }];
    this.rate = [0, 0, 0];
    ++this.beginnings;
  }

  private add(orientation: Rotation, time: number) {
    this.readings.push({ time, orientation });
    while (this.readings[0].time < time - kept) this.readings.shift();
  }

  /** How often the turn began anew: what was known in its frame is then lost. */
  beginnings = 0;

  /** Whether readings arrive. */
  known(time: number) {
    const last = this.readings.at(-1);
    return last !== undefined && this.readings.length > 1 && time - last.time <= longestGap;
  }

  /** The orientation at a time, of the past or a little ahead; where it is unknown, the nearest that is known. */
  at(time: number): Rotation {
    const { readings } = this;
    const last = readings.at(-1);
    if (!last) return identity;
    if (time >= last.time) {
      const ahead = Math.min(furthest, time - last.time) / 1000;
      return after(last.orientation, rotationBy(times(ahead, this.rate)));
    }
    let i = readings.length - 1;
    while (i > 0 && readings[i - 1].time > time) --i;
    if (i === 0) return readings[0].orientation;
    const [before, next] = [readings[i - 1], readings[i]];
    const share = (time - before.time) / (next.time - before.time);
    const between = turnOf(after(back(before.orientation), next.orientation));
    return after(before.orientation, rotationBy(times(share, between)));
  }

  /** Radians per second about axes of the frame that stays, around a time. */
  rateAt(time: number): Vector {
    const step = 20; // milliseconds each way
    const [from, to] = [this.at(time - step), this.at(time + step)];
    return times(1000 / (2 * step), turnOf(after(to, back(from))));
  }
}
