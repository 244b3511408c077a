// A room behind the screen: as wide and high as the screen itself, so that its front edge is the screen's frame, with
// targets that hang in it and some that come out of it.
import * as three from "three";
import { frustum, type Eye, type Screen } from "./off_axis";
import { makeRenderer } from "./renderer";
import { identity, type Rotation } from "./rotation";

// A room behind a screen on a desk is this deep; a smaller screen has a smaller room, down to a share, since what hangs a
// hand's breadth before a phone would hardly be seen through it.
const fullDepth = 0.55; // metres
const fullScreen = 0.34; // metres, the longer side
const smallest = 0.4;
const near = 0.02;
const far = 5;

const scaleOf = ({ width, height }: Screen) => Math.min(1, Math.max(smallest, Math.max(width, height) / fullScreen));

function walls(screen: Screen, depth: number) {
  const { width, height } = screen;
  const places: number[] = [];
  const line = (...numbers: number[]) => places.push(...numbers);
  const across = 10, up = Math.max(2, Math.round((across * height) / width)), deep = 8;
  const x = width / 2, y = height / 2;
  for (let i = 0; i <= across; ++i) {
    const at = -x + (i * width) / across;
    line(at, -y, 0, at, -y, -depth, at, y, 0, at, y, -depth, at, -y, -depth, at, y, -depth);
  }
  for (let i = 0; i <= up; ++i) {
    const at = -y + (i * height) / up;
    line(-x, at, 0, -x, at, -depth, x, at, 0, x, at, -depth, -x, at, -depth, x, at, -depth);
  }
  for (let i = 0; i <= deep; ++i) {
    const at = (-i * depth) / deep;
    line(-x, -y, at, x, -y, at, -x, y, at, x, y, at, -x, -y, at, -x, y, at, x, -y, at, x, y, at);
  }
  const geometry = new three.BufferGeometry();
  geometry.setAttribute("position", new three.Float32BufferAttribute(places, 3));
  return new three.LineSegments(geometry, new three.LineBasicMaterial({ color: 0x4a7f99 }));
}

// A disc of rings on a stick from the back wall.
function target(x: number, y: number, z: number, radius: number, depth: number) {
  const group = new three.Group();
  const rings = 4;
  for (let i = 0; i < rings; ++i) {
    const disc = new three.Mesh(new three.CircleGeometry(radius * (1 - i / rings), 40),
      new three.MeshBasicMaterial({ color: i % 2 === 0 ? 0xffffff : 0xe2483d }));
    disc.position.z = 0.0004 * (i + 1);
    group.add(disc);
  }
  const length = z + depth;
  const stick = new three.Mesh(new three.CylinderGeometry(radius * 0.06, radius * 0.06, length, 10),
    new three.MeshBasicMaterial({ color: 0x8f9ba8 }));
  stick.rotation.x = Math.PI / 2;
  stick.position.z = -length / 2;
  group.add(stick);
  group.position.set(x, y, z);
  return group;
}

export class Room {
  readonly canvas = document.createElement("canvas");
  private readonly renderer: three.WebGLRenderer;
  private readonly scene = new three.Scene();
  private readonly furniture = new three.Group();
  private readonly camera = new three.PerspectiveCamera();
  private screen: Screen = { width: 0, height: 0 };
  depth = fullDepth;

  constructor() {
    this.renderer = makeRenderer(this.canvas);
    this.camera.matrixAutoUpdate = false;
  }

  /** The size of the picture on the screen, in metres; the room is built anew. */
  setScreen(screen: Screen) {
    if (screen.width === this.screen.width && screen.height === this.screen.height) return;
    this.screen = screen;
    this.furniture.clear();
    this.scene.add(this.furniture);
    this.scene.background = new three.Color(0x0b0e11);
    this.scene.fog = new three.Fog(0x0b0e11, 0.5, 1.6);
    const scale = scaleOf(screen);
    this.depth = scale * fullDepth;
    this.furniture.add(walls(screen, this.depth));
    const { width, height } = screen;
    const places: [number, number, number][] = [
      [-0.3, 0.2, -0.45], [0.28, -0.22, -0.35], [0.33, 0.25, -0.25], [-0.22, -0.2, -0.15], [0.05, 0.05, -0.05],
      [-0.1, 0.28, 0.04], [0.14, -0.08, 0.1],
    ];
    for (const [x, y, z] of places) {
      this.furniture.add(target(x * width, y * height, scale * z, 0.055 * width, this.depth));
    }
  }

  resize(width: number, height: number) {
    this.renderer.setSize(width, height, false);
  }

  /** Draws what an eye in the screen's frame sees of the room, which may be turned about the screen's centre. */
  draw(eye: Eye, turned: Rotation = identity) {
    this.furniture.quaternion.set(...turned);
    const sides = frustum(eye, this.screen, near);
    this.camera.projectionMatrix.makePerspective(sides.left, sides.right, sides.top, sides.bottom, near, far);
    this.camera.projectionMatrixInverse.copy(this.camera.projectionMatrix).invert();
    this.camera.position.set(eye.x, eye.y, eye.z); // which looks straight at the screen's plane, wherever it is
    this.camera.updateMatrix();
    this.camera.updateMatrixWorld(true);
    this.renderer.render(this.scene, this.camera);
    return sides;
  }

  /** Where the lower left corner at the back was drawn: from -1 at the left and below to 1 at the right and above. */
  get corner() {
    const corner = new three.Vector3(-this.screen.width / 2, -this.screen.height / 2, -this.depth);
    return this.furniture.localToWorld(corner).project(this.camera);
  }

  close() {
    this.renderer.dispose();
  }
}
