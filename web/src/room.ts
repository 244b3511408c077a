// A room behind the screen: as wide and high as the screen itself, so that its front edge is the screen's frame, with
// targets that hang in it and some that come out of it.
import * as three from "three";
import { frustum, type Eye, type Screen } from "./off_axis";
import { makeRenderer } from "./renderer";

const depth = 0.55; // metres
const near = 0.02;
const far = 5;

function walls(screen: Screen) {
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
function target(x: number, y: number, z: number, radius: number) {
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
  private readonly camera = new three.PerspectiveCamera();
  private screen: Screen = { width: 0, height: 0 };

  constructor() {
    this.renderer = makeRenderer(this.canvas);
    this.camera.matrixAutoUpdate = false;
  }

  /** The size of the picture on the screen, in metres; the room is built anew. */
  setScreen(screen: Screen) {
    if (screen.width === this.screen.width && screen.height === this.screen.height) return;
    this.screen = screen;
    this.scene.clear();
    this.scene.background = new three.Color(0x0b0e11);
    this.scene.fog = new three.Fog(0x0b0e11, 0.5, 1.6);
    this.scene.add(walls(screen));
    const { width, height } = screen;
    const places: [number, number, number][] = [
      [-0.3, 0.2, -0.45], [0.28, -0.22, -0.35], [0.33, 0.25, -0.25], [-0.22, -0.2, -0.15], [0.05, 0.05, -0.05],
      [-0.1, 0.28, 0.04], [0.14, -0.08, 0.1],
    ];
    for (const [x, y, z] of places) this.scene.add(target(x * width, y * height, z, 0.055 * width));
  }

  resize(width: number, height: number) {
    this.renderer.setSize(width, height, false);
  }

  draw(eye: Eye) {
    const sides = frustum(eye, this.screen, near);
    this.camera.projectionMatrix.makePerspective(sides.left, sides.right, sides.top, sides.bottom, near, far);
    this.camera.projectionMatrixInverse.copy(this.camera.projectionMatrix).invert();
    this.camera.position.set(eye.x, eye.y, eye.z); // which looks straight at the screen's plane, wherever it is
    this.camera.updateMatrix();
    this.camera.updateMatrixWorld(true);
    this.renderer.render(this.scene, this.camera);
    return sides;
  }

  close() {
    this.renderer.dispose();
  }
}
