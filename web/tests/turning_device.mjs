// A device that turns before a head that rests, emulated in the page: its motion sensors, in step with the film that the
// camera plays (tests/synth/turning_clip.cpp). Runs in the page before its own scripts; nothing of them is used.
export function emulate({ turn, hidden }) {
  const radians = Math.PI / 180, period = 1000 * turn.period;
  const device = (window.device = { frames: [], drawn: [] });
  const wrapped = (time) => ((time % period) + period) % period;

  // The share of the turn that is done, and its change per second, at a time of the film.
  const rise = (since) => 0.5 - 0.5 * Math.cos(Math.PI * Math.min(1, Math.max(0, since / turn.seconds)));
  const pace = (since) => (since > 0 && since < turn.seconds ? (0.5 * Math.PI / turn.seconds) * Math.sin(Math.PI * since / turn.seconds) : 0);
  const done = (film) => {
    const since = wrapped(film) / 1000 - turn.rest, back = since - turn.seconds - turn.hold;
    return { share: rise(since) - rise(back), pace: pace(since) - pace(back) };
  };
  device.share = (film) => done(film).share;

  // Which frame the camera shows, by the squares below it. The clock of the film follows it smoothly: a busy machine shows
  // frames early or late, but a camera knows when it took them, and says so `hidden` milliseconds too late.
  const delivery = 80; // milliseconds from taking a frame to showing it
  const squares = document.createElement("canvas");
  [squares.width, squares.height] = [turn.bits, 1];
  const context = squares.getContext("2d", { willReadFrequently: true });
  let offset;
  device.film = (time) => (offset === undefined ? undefined : time - offset + delivery);
  const seen = (video, time) => {
    context.drawImage(video, 0, video.videoHeight - turn.square, turn.bits * turn.square, turn.square, 0, 0, turn.bits, 1);
    const { data } = context.getImageData(0, 0, turn.bits, 1);
    let number = 0;
    for (let bit = 0; bit < turn.bits; ++bit) number += data[4 * bit] > 127 ? 1 << bit : 0;
    const shown = (1000 * number) / turn.fps;
    if (offset === undefined) offset = time - shown;
    const early = wrapped(shown - (time - offset) + period / 2) - period / 2;
    offset -= 0.03 * early;
    device.frames.push({ number, early });
    return time - delivery + early + hidden; // when it says that it was taken
  };
  const ask = HTMLVideoElement.prototype.requestVideoFrameCallback;
  HTMLVideoElement.prototype.requestVideoFrameCallback = function (callback) {
    return ask.call(this, (now, metadata) => {
      const captureTime = Math.min(now, seen(this, metadata.captureTime ?? now));
      callback(now, { ...metadata, captureTime });
    });
  };

  // The rotation by a vector, row by row.
  const matrix = ([x, y, z]) => {
    const angle = Math.hypot(x, y, z), [a, b, c] = angle > 0 ? [x / angle, y / angle, z / angle] : [0, 0, 1];
    const s = Math.sin(angle), v = 1 - Math.cos(angle), w = Math.cos(angle);
    return [[w + a * a * v, a * b * v - c * s, a * c * v + b * s], [b * a * v + c * s, w + b * b * v, b * c * v - a * s],
      [c * a * v - b * s, c * b * v + a * s, w + c * c * v]];
  };
  const product = (p, q) => p.map((row) => [0, 1, 2].map((j) => row[0] * q[0][j] + row[1] * q[1][j] + row[2] * q[2][j]));
  const held = matrix([60 * radians, 0, 0]); // as one holds it: leaning back
  setInterval(() => {
    const now = performance.now(), film = device.film(now);
    if (film === undefined) return;
    const { share, pace: speed } = done(film);
    const [alpha, beta, gamma] = turn.rotation.map((angle) => (angle * speed) / radians);
    dispatchEvent(new DeviceMotionEvent("devicemotion", { rotationRate: { alpha, beta, gamma }, interval: 16 }));
    const r = product(held, matrix(turn.rotation.map((angle) => angle * share)));
    dispatchEvent(new DeviceOrientationEvent("deviceorientation", { alpha: Math.atan2(-r[0][1], r[1][1]) / radians,
      beta: Math.asin(r[2][1]) / radians, gamma: Math.atan2(-r[2][0], r[2][2]) / radians }));
  }, 16);

  // What is drawn, and how far the device was turned at that moment.
  addEventListener("DOMContentLoaded", () => new MutationObserver((changes) => {
    const { dataset } = changes[changes.length - 1].target;
    const time = Number(dataset.drawn), film = device.film(time);
    if (film === undefined) return;
    device.drawn.push({ film: wrapped(film), share: device.share(film), corner: dataset.corner.split(" ").map(Number),
      eye: dataset.eye.split(" ").map(Number), delay: Number(dataset.delay) });
  }).observe(document.querySelector("main"), { subtree: true, attributeFilter: ["data-drawn"] }));
}

const rotate = ([x, y, z], v, share) => {
  const angle = Math.hypot(x, y, z) * share, length = Math.hypot(x, y, z);
  const a = [x / length, y / length, z / length], c = Math.cos(angle), s = Math.sin(angle);
  const along = (1 - c) * (a[0] * v[0] + a[1] * v[1] + a[2] * v[2]);
  const cross = [a[1] * v[2] - a[2] * v[1], a[2] * v[0] - a[0] * v[2], a[0] * v[1] - a[1] * v[0]];
  return v.map((value, i) => c * value + s * cross[i] + along * a[i]);
};

/** Where the eye is in the device's frame, when that share of the turn is done. */
export function eyeAt(turn, share) {
  const [x, y, z] = turn.head[0];
  return rotate(turn.rotation.map((angle) => -angle), [-x, turn.above - y, z], share);
}

/**
 * How far from the true corner the drawn one is, in widths of the screen: where the ray from the true eye to the corner
 * crosses the screen, against where it was drawn. The corner belongs to a room that stays put, or to the device.
 */
export function cornerError(turn, screen, { share, corner }, staysPut) {
  const back = turn.rotation.map((angle) => -angle);
  const eye = eyeAt(turn, share);
  const rest = [-screen.width / 2, -screen.height / 2, -screen.depth];
  const place = staysPut ? rotate(back, rest, share) : rest;
  const along = eye[2] / (eye[2] - place[2]);
  const crossed = [0, 1].map((i) => eye[i] + along * (place[i] - eye[i]));
  return Math.hypot(corner[0] * screen.width / 2 - crossed[0], corner[1] * screen.height / 2 - crossed[1]) / screen.width;
}
