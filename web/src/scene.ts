// The person in three dimensions: points, skin, skeleton, particles and the trail of some joints, drawn with three.js.
import * as three from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { Message, Numbers } from "./message";
import { makeRenderer } from "./renderer";

const trailed = ["head", "left_wrist", "right_wrist", "left_ankle", "right_ankle"];
const trailLength = 90;
const millimetre = 0.001;

/** Points whose places are sent as whole millimetres. (They go to the GPU as floats: some software renderers know no others.) */
class Dots {
  readonly points: three.Points;
  private attribute: three.BufferAttribute;

  constructor(colour: number, size: number, opacity: number) {
    this.attribute = new three.BufferAttribute(new Float32Array(0), 3);
    const material = new three.PointsMaterial({
      color: colour, size, transparent: opacity < 1, opacity, depthWrite: opacity === 1,
    });
    this.points = new three.Points(new three.BufferGeometry(), material);
    this.points.frustumCulled = false;
    this.points.scale.setScalar(millimetre);
  }

  set(data: Numbers) {
    const geometry = this.points.geometry;
    if (this.attribute.array.length < data.length) {
      geometry.dispose();
      this.attribute = new three.BufferAttribute(new Float32Array(data.length), 3);
      this.attribute.setUsage(three.DynamicDrawUsage);
      geometry.setAttribute("position", this.attribute);
    }
    (this.attribute.array as Float32Array).set(data);
    this.attribute.needsUpdate = true;
    geometry.setDrawRange(0, data.length / 3);
  }
}

/** Capsules as instances of a cylinder and of two half spheres each. */
class Skin {
  readonly group = new three.Group();
  private capacity = 0;
  private tubes?: three.InstancedMesh;
  private ends?: three.InstancedMesh;
  private readonly material = new three.MeshLambertMaterial({
    color: 0x5cc8ff, transparent: true, opacity: 0.42, depthWrite: false,
  });

  private reserve(count: number) {
    if (count <= this.capacity) return;
    this.capacity = count;
    this.group.clear();
    this.tubes?.dispose();
    this.ends?.dispose();
    this.tubes = new three.InstancedMesh(new three.CylinderGeometry(1, 1, 1, 14, 1, true), this.material, count);
    this.ends = new three.InstancedMesh(new three.SphereGeometry(1, 14, 7, 0, 2 * Math.PI, 0, Math.PI / 2),
      this.material, 2 * count);
    for (const mesh of [this.tubes, this.ends]) {
      mesh.frustumCulled = false;
      this.group.add(mesh);
    }
  }

  /** (K, 7): ax ay az r bx by bz, metres. */
  set(capsules: Numbers) {
    const count = capsules.length / 7;
    this.reserve(count);
    if (!this.tubes || !this.ends) return;
    const a = new three.Vector3(), b = new three.Vector3(), axis = new three.Vector3(), size = new three.Vector3();
    const up = new three.Vector3(0, 1, 0), turn = new three.Quaternion(), matrix = new three.Matrix4();
    for (let k = 0; k < count; ++k) {
      const [ax, ay, az, radius, bx, by, bz] = capsules.subarray(7 * k, 7 * k + 7);
      a.set(ax, ay, az);
      b.set(bx, by, bz);
      const length = axis.subVectors(b, a).length();
      if (length > 0) axis.divideScalar(length);
      else axis.copy(up);
      turn.setFromUnitVectors(up, axis);
      this.ends.setMatrixAt(2 * k, matrix.compose(b, turn, size.setScalar(radius)));
      this.ends.setMatrixAt(2 * k + 1, matrix.compose(a, turn.clone().multiply(flip), size));
      this.tubes.setMatrixAt(k, matrix.compose(a.add(b).multiplyScalar(0.5), turn, size.set(radius, length, radius)));
    }
    this.tubes.count = count;
    this.ends.count = 2 * count;
    this.tubes.instanceMatrix.needsUpdate = this.ends.instanceMatrix.needsUpdate = true;
  }
}
const flip = new three.Quaternion(1, 0, 0, 0);

/** Straight lines between positions that change. */
class Lines {
  readonly lines: three.LineSegments;
  private attribute = new three.BufferAttribute(new Float32Array(0), 3);

  constructor(colour: number, opacity: number) {
    const material = new three.LineBasicMaterial({ color: colour, transparent: true, opacity });
    this.lines = new three.LineSegments(new three.BufferGeometry(), material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = 1;
  }

  set(places: number[]) {
    const geometry = this.lines.geometry;
    if (this.attribute.array.length < places.length) {
      geometry.dispose();
      this.attribute = new three.BufferAttribute(new Float32Array(2 * places.length), 3);
      geometry.setAttribute("position", this.attribute);
    }
    (this.attribute.array as Float32Array).set(places);
    this.attribute.needsUpdate = true;
    geometry.setDrawRange(0, places.length / 3);
  }
}

export class BodyScene {
  readonly canvas = document.createElement("canvas");
  private readonly renderer: three.WebGLRenderer;
  private readonly scene = new three.Scene();
  private readonly camera = new three.PerspectiveCamera(42, 1, 0.05, 60);
  private readonly controls: OrbitControls;
  private readonly points = new Dots(0xcfd8e3, 0.011, 1);
  private readonly particles = new Dots(0xffb454, 0.012, 0.45);
  private readonly skin = new Skin();
  private readonly bones = new Lines(0xffffff, 0.9);
  private readonly trail = new Lines(0x7ee787, 0.65);
  private readonly grid = new three.GridHelper(6, 12, 0x39434e, 0x252c34);
  private joints: string[] = [];
  private parents: number[] = [];
  private past: { index: number; joints: Float32Array }[] = [];
  private aimed?: three.Vector3; // at the person's pelvis, there
  private stale = true;
  private readonly watcher: ResizeObserver;

  constructor() {
    this.renderer = makeRenderer(this.canvas);
    this.scene.background = new three.Color(0x14181d);
    const light = new three.DirectionalLight(0xffffff, 1.6);
    light.position.set(1, 2, 3);
    this.scene.add(new three.HemisphereLight(0xffffff, 0x334455, 1.5), light, this.grid);
    // the camera's frame (x right, y down, z forward) as three.js has it (y up, z to the viewer)
    const world = new three.Group();
    world.rotation.x = Math.PI;
    world.add(this.points.points, this.particles.points, this.skin.group, this.bones.lines, this.trail.lines);
    this.scene.add(world);
    this.grid.visible = false;
    this.camera.position.set(0, 0.4, 0.6);
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.controls.target.set(0, 0, -2.5);
    this.controls.addEventListener("change", () => (this.stale = true));
    this.controls.update();
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(this.canvas);
  }

  setSkeleton(joints: string[], parents: number[]) {
    this.joints = joints;
    this.parents = parents;
    this.past = [];
    this.aimed = undefined;
  }

  /** Which parts are visible. */
  show(what: "points" | "particles" | "skin" | "trail", visible: boolean) {
    const objects = { points: this.points.points, particles: this.particles.points, skin: this.skin.group,
      trail: this.trail.lines };
    objects[what].visible = visible;
    this.stale = true;
  }

  set(message: Message) {
    const { points, particles, capsules, joints } = message.arrays;
    this.points.set(points.data);
    this.particles.set(particles?.data ?? new Int16Array(0));
    this.skin.set(capsules?.data ?? new Float32Array(0));
    const bones: number[] = [];
    if (joints) {
      const at = (joint: number) => Array.from(joints.data.subarray(3 * joint, 3 * joint + 3));
      this.parents.forEach((parent, joint) => parent >= 0 && bones.push(...at(parent), ...at(joint)));
      this.aim(joints.data as Float32Array);
    }
    this.bones.set(bones);
    this.extendTrail(message.header.index ?? 0, joints?.data as Float32Array | undefined);
    this.stale = true;
  }

  private extendTrail(index: number, joints?: Float32Array) {
    const last = this.past.at(-1)?.index ?? index;
    if (index < last || index > last + 30) this.past = [];
    if (joints) this.past.push({ index, joints });
    if (this.past.length > trailLength) this.past.shift();
    const places: number[] = [];
    for (const name of trailed) {
      const joint = 3 * this.joints.indexOf(name);
      if (joint < 0) continue;
      for (let i = 1; i < this.past.length; ++i) {
        places.push(...this.past[i - 1].joints.subarray(joint, joint + 3), ...this.past[i].joints.subarray(joint, joint + 3));
      }
    }
    this.trail.set(places);
  }

  // With the first person: look at it, and put the floor beneath it. Then move with it, keeping the viewing direction.
  private aim(joints: Float32Array) {
    const place = new three.Vector3(joints[0], -joints[1], -joints[2]);
    if (this.aimed) {
      const step = place.clone().sub(this.aimed);
      this.controls.target.add(step);
      this.camera.position.add(step);
    } else {
      let lowest = -Infinity;
      for (let i = 1; i < joints.length; i += 3) lowest = Math.max(lowest, joints[i]);
      this.controls.target.copy(place);
      this.camera.position.set(place.x + 1.1, place.y + 0.5, place.z + 2.6);
      this.grid.position.set(place.x, -lowest - 0.08, place.z);
      this.grid.visible = true;
    }
    this.aimed = place;
    this.controls.update();
  }

  private resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.stale = true;
  }

  /** Draws if something changed; true if it did. */
  draw() {
    if (!this.stale) return false;
    this.stale = false;
    this.renderer.render(this.scene, this.camera);
    return true;
  }

  close() {
    this.watcher.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
  }
}
