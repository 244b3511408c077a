// Vectors and rotations: quaternions x, y, z, w of unit length.
export type Vector = readonly [number, number, number];
export type Rotation = readonly [number, number, number, number];

export const identity: Rotation = [0, 0, 0, 1];

export const plus = (a: Vector, b: Vector): Vector => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (factor: number, a: Vector): Vector => [factor * a[0], factor * a[1], factor * a[2]];
export const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const length = (a: Vector) => Math.hypot(...a);
export const cross = (a: Vector, b: Vector): Vector =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

/** First `b`, then `a`. */
export function after(a: Rotation, b: Rotation): Rotation {
  const product: Rotation = [
    a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
  ];
  const norm = Math.hypot(...product);
  return [product[0] / norm, product[1] / norm, product[2] / norm, product[3] / norm];
}

export const back = (a: Rotation): Rotation => [-a[0], -a[1], -a[2], a[3]];

export function rotated(a: Rotation, v: Vector): Vector {
  const axis: Vector = [a[0], a[1], a[2]];
  const twice = times(2, cross(axis, v));
  return plus(plus(v, times(a[3], twice)), cross(axis, twice));
}

/** About the vector, by its length in radians. */
export function rotationBy(v: Vector): Rotation {
  const angle = length(v);
  const share = angle > 1e-9 ? Math.sin(angle / 2) / angle : 0.5;
  return [share * v[0], share * v[1], share * v[2], Math.cos(angle / 2)];
}

/** The vector of rotationBy(), of at most π. */
export function turnOf(a: Rotation): Vector {
  const sign = a[3] < 0 ? -1 : 1;
  const axis: Vector = [sign * a[0], sign * a[1], sign * a[2]];
  const sine = length(axis);
  return times(sine > 1e-9 ? (2 * Math.atan2(sine, sign * a[3])) / sine : 2, axis);
}

/** About z, by degrees: counter-clockwise for who looks at the screen. */
export const aboutZ = (degrees: number): Rotation => rotationBy([0, 0, (degrees * Math.PI) / 180]);

/**
 * The orientation that a browser's `deviceorientation` tells, from the device's frame to the earth's: about z by alpha, then
 * about the new x by beta, then about the new y by gamma, in degrees.
 */
export function deviceOrientation(alpha: number, beta: number, gamma: number): Rotation {
  const radians = Math.PI / 180;
  return after(after(rotationBy([0, 0, alpha * radians]), rotationBy([beta * radians, 0, 0])),
    rotationBy([0, gamma * radians, 0]));
}
