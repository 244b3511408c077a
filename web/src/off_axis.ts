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

/**
 * Where the eye is, from the head's place in the frame of a camera (x right in its picture, y down, z forward) that
 * stands `above` metres over the screen's centre and looks straight out of it. The camera faces the viewer: its right is
 * the viewer's left.
 */
export function eyeOf(position: readonly [number, number, number], above: number): Eye {
  return { x: -position[0], y: above - position[1], z: Math.max(position[2], 0.1) };
}
