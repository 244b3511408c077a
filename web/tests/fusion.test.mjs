// The fusion of a hand-held screen's motion sensors with the head's place, without a browser: web/src/hand_held.ts.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { fromSource } from "./source.mjs";

let HandHeld, DeviceTurn, rotation, offAxis, eventTime;
before(async () => {
  ({ HandHeld } = await fromSource("hand_held"));
  ({ DeviceTurn } = await fromSource("device_turn"));
  ({ eventTime } = await fromSource("motion_sensors"));
  rotation = await fromSource("rotation");
  offAxis = await fromSource("off_axis");
});

const degree = Math.PI / 180;
const head = [0.02, 0.05, 0.45]; // in the frame of the device at rest, metres
const distance = (a, b) => Math.hypot(a.x - b[0], a.y - b[1], a.z - b[2]);

// A turn by `degrees` about an axis and back, every two seconds: how far, and how fast.
const swing = (degrees, axis) => ({
  at: (time) => rotation.rotationBy(rotation.times(degrees * degree * 0.5 * (1 - Math.cos(Math.PI * time / 1000)), axis)),
  rate: (time) => rotation.times(degrees * degree * 0.5 * (Math.PI / 1000) * Math.sin(Math.PI * time / 1000) * 1000, axis),
});

/**
 * Sensors at 60 readings and a camera at 30 frames per second, over some seconds; the worst error of the eye in the last
 * three, metres. The camera's frames arrive `late` milliseconds after they were taken, and claim to be younger by `hidden`.
 */
function follow(fused, { motion, seconds = 8, late = 90, hidden = 0, angle = 0, bias = [0, 0, 0], gyroscope = true,
  absolute = true, noise = () => 0 } = {}) {
  const waiting = [];
  let worst = 0;
  const seen = (time) => {
    const inDevice = rotation.rotated(rotation.back(motion.at(time)), head);
    return rotation.rotated(rotation.aboutZ(angle), inDevice);
  };
  for (let time = 0; time < 1000 * seconds; time += 1000 / 120) {
    const tick = Math.round((time * 120) / 1000);
    if (tick % 2 === 0) {
      if (gyroscope) fused.turn.turn(rotation.plus(motion.rate(time), bias), time);
      if (absolute) fused.turn.absolute(rotation.after(rotation.rotationBy([0.3, -0.2, 0.9]), motion.at(time)), time);
    }
    if (tick % 4 === 1) {
      const [x, y, z] = seen(time).map((value) => value + noise());
      waiting.push({ arrives: time + late, eye: { x, y, z }, claims: time + hidden });
    }
    while (waiting.length > 0 && waiting[0].arrives <= time) {
      const { eye, claims } = waiting.shift();
      fused.head(eye, angle, claims);
    }
    if (time > 1000 * (seconds - 3)) worst = Math.max(worst, distance(fused.eye(angle, time), seen(time)));
  }
  return worst;
}

test("vectors and rotations agree with each other", () => {
  const { after, back, deviceOrientation, rotated, rotationBy, turnOf } = rotation;
  const turn = [0.3, -0.8, 0.4];
  turnOf(rotationBy(turn)).forEach((value, i) => assert.ok(Math.abs(value - turn[i]) < 1e-12));
  rotated(after(rotationBy(turn), back(rotationBy(turn))), head).forEach((value, i) => assert.ok(Math.abs(value - head[i]) < 1e-12));
  // a device that lies flat and is turned by 90 degrees to the left has its x axis along the earth's y
  rotated(deviceOrientation(90, 0, 0), [1, 0, 0]).forEach((value, i) => assert.ok(Math.abs(value - [0, 1, 0][i]) < 1e-12));
  // one that stands upright looks with its screen to the earth's -y
  rotated(deviceOrientation(0, 90, 0), [0, 0, 1]).forEach((value, i) => assert.ok(Math.abs(value - [0, -1, 0][i]) < 1e-12));
});

test("the camera lies at the edge that is up when the device is held upright", () => {
  const lens = (angle) => offAxis.lensOf({ width: 0.07, height: 0.14 }, angle, 0.01);
  assert.deepEqual(lens(0), { x: 0, y: 0.08 });
  assert.deepEqual(offAxis.lensOf({ width: 0.14, height: 0.07 }, 90, 0.01), { x: -0.08, y: 0 });
  assert.deepEqual(lens(180), { x: 0, y: -0.08 });
  assert.deepEqual(offAxis.lensOf({ width: 0.14, height: 0.07 }, 270, 0.01), { x: 0.08, y: 0 });
});

for (const angle of [0, 90, 180, 270]) {
  test(`a head that rests stays where it is while a device held at ${angle} degrees turns by 20`, () => {
    const motion = swing(20, [0.36, 0.9, 0.25]);
    const error = follow(new HandHeld(), { motion, angle });
    assert.ok(error < 0.001, `${(1000 * error).toFixed(2)} mm`);
  });
}

test("either sensor does alone", () => {
  const motion = swing(20, [0, 1, 0]);
  for (const only of [{ absolute: false }, { gyroscope: false }]) {
    const error = follow(new HandHeld(), { motion, ...only });
    assert.ok(error < 0.003, `${JSON.stringify(only)}: ${(1000 * error).toFixed(2)} mm`);
  }
});

test("a gyroscope that drifts is drawn to the orientation of the system, and to the head without it", () => {
  const motion = swing(20, [0, 1, 0]), bias = [0.01, -0.02, 0.015];
  const drawn = follow(new HandHeld(), { motion, bias, seconds: 30 });
  assert.ok(drawn < 0.001, `${(1000 * drawn).toFixed(2)} mm`);
  const alone = follow(new HandHeld(), { motion, bias, absolute: false, seconds: 30 });
  assert.ok(alone < 0.005, `${(1000 * alone).toFixed(2)} mm`);
});

test("the delay of a camera that does not tell it is learnt from the turns", () => {
  const fused = new HandHeld();
  const motion = swing(20, [0, 1, 0]);
  const error = follow(fused, { motion, hidden: 60, seconds: 20 });
  assert.ok(Math.abs(fused.delay - 60) < 15, `${fused.delay} ms`);
  assert.ok(error < 0.003, `${(1000 * error).toFixed(2)} mm`);
  const told = new HandHeld();
  follow(told, { motion, seconds: 20 });
  assert.ok(told.delay < 10, `${told.delay} ms`);
});

test("noise of the camera is smoothed while the device rests", () => {
  let state = 1; // a small generator: the same numbers each time
  const uniform = () => (state = (state * 48271) % 2147483647) / 2147483647 - 0.5;
  const still = { at: () => rotation.identity, rate: () => [0, 0, 0] };
  const error = follow(new HandHeld(), { motion: still, noise: () => 0.01 * uniform() });
  assert.ok(error < 0.005, `${(1000 * error).toFixed(2)} mm`); // where a measurement may be 8.7 mm away
});

test("without sensors nothing is claimed, and silent ones are noticed", () => {
  const fused = new HandHeld();
  fused.head({ x: 0, y: 0, z: 0.5 }, 0, 10);
  assert.equal(fused.known(20), false);
  for (let time = 0; time < 500; time += 16) fused.turn.turn([0, 0, 0], time);
  fused.head({ x: 0, y: 0, z: 0.5 }, 0, 480);
  assert.equal(fused.known(500), true);
  assert.equal(fused.known(1500), false);
  // after the silence the device may be turned anywhere: the head's place is not known until it is seen again
  for (let time = 1600; time < 1700; time += 16) fused.turn.turn([0, 0, 0], time);
  assert.equal(fused.known(1700), false);
  fused.head({ x: 0.1, y: 0, z: 0.5 }, 0, 1690);
  assert.equal(fused.known(1700), true);
  assert.ok(distance(fused.eye(0, 1700), [0.1, 0, 0.5]) < 1e-9);
});

test("times that go back, repeat or are no numbers are ignored", () => {
  const turn = new DeviceTurn();
  turn.turn([0, 1, 0], 0);
  turn.turn([0, 1, 0], 100);
  const there = turn.at(100);
  for (const time of [100, 50, -1e9, NaN, Infinity]) turn.turn([9, 9, 9], time);
  turn.turn([NaN, 0, 0], 110);
  assert.deepEqual(turn.at(100), there);
  assert.ok(Math.abs(rotation.length(rotation.turnOf(there)) - 0.1) < 1e-9);
  // readings that stop are not prolonged for ever
  assert.ok(rotation.length(rotation.turnOf(turn.at(5000))) < 0.25);
  const fused = new HandHeld();
  for (let time = 0; time < 500; time += 16) fused.turn.turn([0, 0, 0], time);
  fused.head({ x: 0, y: 0, z: 0.5 }, 0, 450);
  fused.head({ x: 1, y: 0, z: 0.5 }, 0, 440);
  fused.head({ x: NaN, y: 0, z: 0.5 }, 0, 480);
  fused.head({ x: 1, y: 0, z: 0.5 }, 0, NaN);
  assert.ok(distance(fused.eye(0, 500), [0, 0, 0.5]) < 1e-9);
  assert.equal(eventTime(120, 130), 120);
  assert.equal(eventTime(1.7e12, 130), 130);
  assert.equal(eventTime(0, 90000), 90000);
});

test("an orientation that begins anew does not turn the room", () => {
  const fused = new HandHeld();
  for (let time = 0; time < 1000; time += 16) {
    fused.turn.turn([0, 0, 0], time);
    const system = time < 500 ? rotation.identity : rotation.rotationBy([0, 0, 1.5]);
    fused.turn.absolute(system, time);
    assert.ok(rotation.length(rotation.turnOf(fused.room(0, time))) < 1e-6);
  }
});

test("the room stays put, is set straight on demand, and is dragged along by who turns round", () => {
  const fused = new HandHeld();
  const turned = (from, until, rate) => {
    for (let time = from; time < until; time += 10) fused.turn.turn([0, rate, 0], time);
    return rotation.turnOf(fused.room(0, until - 10))[1];
  };
  turned(0, 200, 0);
  const there = turned(200, 700, 0.6); // to the viewer's left by 0.3 radians: the room turns to the right on the screen
  assert.ok(Math.abs(there + 0.3) < 0.01, `${there}`);
  fused.straighten(0, 690);
  assert.ok(Math.abs(turned(700, 800, 0)) < 0.01);
  assert.ok(Math.abs(turned(800, 3800, 1) + 50 * degree) < 0.01);
  assert.ok(turned(3800, 4300, -0.6) > -50 * degree + 0.2, "turning back shows at once");
});
