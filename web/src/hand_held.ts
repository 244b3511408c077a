// A screen that is held in the hand: where the eye is and how the room lies, seen from the screen, now. The camera tells the
// head's place, absolute but late; the motion sensors tell the turn, at once. The head is kept in a frame that does not turn
// with the device: a measurement is rotated into it by the orientation at which the camera took its picture, and out of it by
// the orientation now. So a turn of the device, however fast, leaves the head where it is.
//
// The origin is the screen's centre. Frames: the device's (device_turn.ts), the steady one, and the screen's (off_axis.ts), which is
// the device's rotated with the picture on it, by `angle` degrees (the browser's screen.orientation.angle). Milliseconds, metres.
import { DeviceTurn } from "./device_turn";
import type { Eye } from "./off_axis";
import { aboutZ, after, back, cross, dot, length, minus, plus, rotated, rotationBy, times, turnOf, type Rotation, type Vector } from "./rotation";

// The One Euro filter of the head's place: hertz at rest, and hertz for each metre per second. Slower at rest than the tracker's
// own, which must follow a turn: here only the head itself moves. The distance, which a head's area tells, is worth less.
const across = { cutoff: 0.3, beta: 20 };
const along = { cutoff: 0.15, beta: 5 };
const speedCutoff = 1; // hertz, of the speed itself

const uncertainDelay = 12; // milliseconds by which a frame's time may be wrong: while the device turns fast, it is trusted less
const noise = 0.002; // metres of a measurement while it does not turn
const longestDelay = 250; // milliseconds that a camera's frame may be older than it says
const delayPace = 0.25; // share of a measured error of the delay that is taken over
const fastEnough = 0.08; // metres per second that the head moves in the picture, from which the delay can be told
const middlePace = 0.7; // per second: the head's place over a turn there and back
const furthestTurn = (50 * Math.PI) / 180; // of the screen from the room, beyond which one would look past its walls
const forgotten = 1000; // milliseconds without a head, after which its place counts for nothing

const share = (hertz: number, seconds: number) => 1 - Math.exp(-2 * Math.PI * hertz * seconds);

// The parts of a vector along a direction and across it.
function split(v: Vector, direction: Vector): [Vector, Vector] {
  const part = times(dot(v, direction), direction);
  return [part, minus(v, part)];
}

export class HandHeld {
  readonly turn = new DeviceTurn();
  private place?: Vector; // of the head, steady frame
  private middle?: Vector; // the same over a second or two
  private speed: Vector = [0, 0, 0];
  private time = -Infinity; // of the last measurement
  private began = 0; // the turn's beginning that `place` belongs to
  private straight?: Rotation; // the steady frame's rotation of a room that faces the screen
  /** Milliseconds that the camera's frames are older than they say, learnt from turns. */
  delay = 0;

  /** The head's place in the screen's frame, as the camera saw it at a time. */
  head(eye: Eye, angle: number, captured: number) {
    const inScreen: Vector = [eye.x, eye.y, eye.z];
    if (!inScreen.every(Number.isFinite) || !Number.isFinite(captured)) return;
    const inDevice = rotated(aboutZ(-angle), inScreen);
    const taken = captured - this.delay;
    const measured = rotated(this.turn.at(taken), inDevice);
    const seconds = (captured - this.time) / 1000;
    if (this.place && seconds <= 0) return;
    this.time = captured;
    if (!this.place || !this.middle || this.began !== this.turn.beginnings || 1000 * seconds > forgotten) {
      this.began = this.turn.beginnings;
      this.place = this.middle = measured;
      this.speed = [0, 0, 0];
      return;
    }
    const sweep = cross(this.turn.rateAt(taken), measured); // how the place changes for each second of a wrong time
    this.learnDelay(minus(measured, this.middle), sweep);
    this.middle = plus(this.middle, times(1 - Math.exp(-middlePace * seconds), minus(measured, this.middle)));
    // a head that drifts for seconds on end rests, and the gyroscope drifts
    const drift = times(middlePace, minus(measured, this.middle));
    this.turn.deny(times(1 / dot(measured, measured), cross(measured, drift)), seconds, taken);
    const step = minus(measured, this.place);
    const doubt = noise / Math.hypot(noise, (length(sweep) * uncertainDelay) / 1000);
    this.speed = plus(this.speed, times(share(speedCutoff, seconds) * doubt, minus(times(1 / seconds, step), this.speed)));
    const sight = times(1 / length(this.place), this.place);
    const [near, aside] = split(step, sight), [nearing, passing] = split(this.speed, sight);
    const followed = (part: Vector, { cutoff, beta }: typeof along, speed: Vector) =>
      times(share((cutoff + beta * length(speed)) * doubt, seconds), part);
    this.place = plus(this.place, plus(followed(near, along, nearing), followed(aside, across, passing)));
  }

  // A head that seems to go along with every turn, there and back, was seen earlier than its frame says; one that seems to go
  // against it, later.
  private learnDelay(away: Vector, sweep: Vector) {
    const square = dot(sweep, sweep);
    if (square < fastEnough * fastEnough) return;
    const error = (1000 * dot(away, sweep)) / square;
    this.delay = Math.min(longestDelay, Math.max(0, this.delay + delayPace * Math.max(-60, Math.min(60, error))));
  }

  /** Whether the device's turn and the head's place are known: else the camera alone tells the eye. */
  known(time: number) {
    return this.turn.known(time) && this.place !== undefined && this.began === this.turn.beginnings;
  }

  /** Where the eye is at a time, in the screen's frame. */
  eye(angle: number, time: number): Eye {
    const [x, y, z] = rotated(this.screenOf(angle, time), this.place ?? [0, 0, 0.6]);
    return { x, y, z: Math.max(z, 0.1) };
  }

  // From the steady frame to the screen's.
  private screenOf(angle: number, time: number): Rotation {
    return after(aboutZ(angle), back(this.turn.at(time)));
  }

  /** The room faces the screen as it is held now. */
  straighten(angle: number, time: number) {
    this.straight = back(this.screenOf(angle, time));
  }

  /** How a room that stays put is rotated in the screen's frame. Who turns further than one can look drags it along. */
  room(angle: number, time: number): Rotation {
    if (!this.straight) this.straighten(angle, time);
    const screen = this.screenOf(angle, time);
    const turned = turnOf(after(screen, this.straight as Rotation));
    const limited = rotationBy(times(Math.min(1, furthestTurn / Math.max(1e-9, length(turned))), turned));
    this.straight = after(back(screen), limited);
    return limited;
  }
}
