// Head-coupled perspective: the screen is a window into a room, and what is drawn is what an eye at its place would see
// through it.
//
// The screen's frame, in metres: its centre is the origin, x to the viewer's right, y up, z to the viewer.

export interface Screen {
  width: number; // metres
  height: number;
}

export interface Eye {
  x: number;
  y: number;
  z: number;
}

export interface Frustum {
  left: number;
  right: number;
  bottom: number;
  top: number;
}

/** The sides of the pyramid from the eye through the screen's edges, where it meets the plane `near` before the eye. */
export function frustum(eye: Eye, screen: Screen, near: number): Frustum {
  const share = near / eye.z;
  return {
    left: (-screen.width / 2 - eye.x) * share,
    right: (screen.width / 2 - eye.x) * share,
    bottom: (-screen.height / 2 - eye.y) * share,
    top: (screen.height / 2 - eye.y) * share,
  };
}

/** Where the camera's lens is in the screen's frame, metres. */
export interface Lens {
  x: number;
  y: number;
}

/**
 * The lens lies beyond the middle of the upper edge of the device, held upright; the picture on its screen is rotated by
 * `angle` degrees, so that the edge may be at the left or the right.
 */
export function lensOf({ width, height }: Screen, angle: number, beyond: number): Lens {
  const quarters = ((Math.round(angle / 90) % 4) + 4) % 4;
  const away = (quarters % 2 === 0 ? height : width) / 2 + beyond;
  return { x: [0, -away, 0, away][quarters], y: [away, 0, -away, 0][quarters] };
}

/**
 * Where the eye is, from the head's place in the frame of a camera (x right in its picture, y down, z forward) that looks
 * straight out of the screen. The camera faces the viewer: its right is the viewer's left.
 */
export function eyeOf(position: readonly [number, number, number], lens: Lens): Eye {
  return { x: lens.x - position[0], y: lens.y - position[1], z: Math.max(position[2], 0.1) };
}

/**
 * The head's place where its distance was told by its area. A lens draws what is off its axis larger, by 1 / cos of the
 * angle, so that its distance was told too small by the root of that.
 */
export function awayFromAxis(position: readonly [number, number, number]): [number, number, number] {
  const factor = Math.sqrt(Math.hypot(...position) / Math.max(position[2], 1e-6));
  return [factor * position[0], factor * position[1], factor * position[2]];
}
