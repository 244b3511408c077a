// Arrays of pixels as canvases.
import type { ArrayPart } from "./message";

/** Red, green, blue, or one channel as a tint. */
export function painted(part: ArrayPart, canvas: HTMLCanvasElement) {
  const [height, width, channels = 1] = part.shape;
  canvas.width = width;
  canvas.height = height;
  const image = new ImageData(width, height);
  for (let i = 0; i < width * height; ++i) {
    if (channels === 3) image.data.set(part.data.subarray(3 * i, 3 * i + 3), 4 * i);
    else image.data.set([92, 200, 255], 4 * i);
    image.data[4 * i + 3] = channels === 3 ? 255 : part.data[i] * 0.6;
  }
  canvas.getContext("2d")?.putImageData(image, 0, 0);
  return canvas;
}
