// A face of the model: the mean plus an amount of each mode, its texture drawn over its triangles.
import * as three from "three";
import type { ArrayPart, Message } from "./message";
import { makeRenderer } from "./renderer";

export type ModeKind = "shape" | "texture" | "combined";

/** The model as the program sent it: modes at one standard deviation. */
export class FaceModel {
  readonly width: number;
  readonly height: number;
  readonly triangles: ArrayPart;
  readonly places: ArrayPart;
  readonly groups: { points: number[]; closed: boolean }[];
  private readonly pixels: ArrayPart;
  private readonly meanShape: ArrayPart;
  private readonly meanTexture: ArrayPart;
  private readonly modes: Record<string, ArrayPart>;

  constructor({ header, arrays }: Message) {
    this.width = header.width as number;
    this.height = header.height as number;
    this.groups = (header.groups as FaceModel["groups"]) ?? [];
    this.triangles = arrays.triangles;
    this.places = arrays.landmark_places;
    this.pixels = arrays.pixels;
    this.meanShape = arrays.mean_shape;
    this.meanTexture = arrays.mean_texture;
    this.modes = arrays;
  }

  count(kind: ModeKind) {
    return this.modes[kind === "combined" ? "combined_shape_modes" : `${kind}_modes`].shape[0];
  }

  private add(out: Float32Array, modes: ArrayPart, amounts: ArrayLike<number>) {
    for (let m = 0; m < Math.min(amounts.length, modes.shape[0]); ++m) {
      const amount = amounts[m], start = m * out.length;
      if (amount !== 0) for (let i = 0; i < out.length; ++i) out[i] += amount * modes.data[start + i];
    }
  }

  /** x0 y0 x1 y1 ..., y down; amounts in standard deviations. */
  shape(shape: ArrayLike<number>, combined: ArrayLike<number> = []) {
    const points = Float32Array.from(this.meanShape.data);
    this.add(points, this.modes.shape_modes, shape);
    this.add(points, this.modes.combined_shape_modes, combined);
    return points;
  }

  /** Red, green, blue, alpha; width x height. */
  texture(texture: ArrayLike<number>, combined: ArrayLike<number> = []) {
    const grey = Float32Array.from(this.meanTexture.data);
    this.add(grey, this.modes.texture_modes, texture);
    this.add(grey, this.modes.combined_texture_modes, combined);
    const image = new Uint8ClampedArray(4 * this.width * this.height);
    for (let i = 0; i < grey.length; ++i) {
      const at = 4 * (this.pixels.data[2 * i + 1] * this.width + this.pixels.data[2 * i]);
      image[at] = image[at + 1] = image[at + 2] = grey[i];
      image[at + 3] = 255;
    }
    return image;
  }
}

export class FaceScene {
  readonly canvas = document.createElement("canvas");
  private readonly renderer: three.WebGLRenderer;
  private readonly scene = new three.Scene();
  private readonly camera = new three.OrthographicCamera(-2, 2, 2, -2, 0, 2);
  private readonly geometry = new three.BufferGeometry();
  private readonly map: three.DataTexture;

  constructor(private readonly model: FaceModel) {
    this.canvas.className = "face";
    this.renderer = makeRenderer(this.canvas, { antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(1);
    this.renderer.setSize(360, 360, false);
    this.scene.background = new three.Color(0x14181d);
    this.camera.position.z = 1;
    const count = model.places.shape[0];
    this.geometry.setAttribute("position", new three.BufferAttribute(new Float32Array(3 * count), 3));
    this.geometry.setAttribute("uv", new three.BufferAttribute(Float32Array.from(model.places.data), 2));
    this.geometry.setIndex(new three.BufferAttribute(Uint16Array.from(model.triangles.data), 1));
    const pixels = model.width * model.height;
    this.map = new three.DataTexture(new Uint8Array(4 * pixels), model.width, model.height);
    this.map.magFilter = this.map.minFilter = three.LinearFilter;
    this.map.colorSpace = three.SRGBColorSpace;
    const mesh = new three.Mesh(this.geometry, new three.MeshBasicMaterial({ map: this.map, side: three.DoubleSide }));
    mesh.frustumCulled = false;
    this.scene.add(mesh);
  }

  /** Amounts of the modes, in standard deviations. */
  draw(shape: ArrayLike<number>, texture: ArrayLike<number>, combined: ArrayLike<number> = []) {
    const points = this.model.shape(shape, combined);
    const position = this.geometry.getAttribute("position") as three.BufferAttribute;
    let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < points.length / 2; ++i) {
      const [x, y] = [points[2 * i], points[2 * i + 1]];
      position.setXYZ(i, x, -y, 0);
      [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
    }
    position.needsUpdate = true;
    const half = 0.56 * Math.max(right - left, bottom - top), x = (left + right) / 2, y = -(top + bottom) / 2;
    Object.assign(this.camera, { left: x - half, right: x + half, top: y + half, bottom: y - half });
    this.camera.updateProjectionMatrix();
    (this.map.image.data as Uint8Array).set(this.model.texture(texture, combined));
    this.map.needsUpdate = true;
    this.renderer.render(this.scene, this.camera);
  }

  close() {
    this.geometry.dispose();
    this.map.dispose();
    this.renderer.dispose();
  }
}
