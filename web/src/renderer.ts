// The WebGL renderer: antialiased at full resolution where there is a GPU, coarser without one so that it keeps up.
import { WebGLRenderer } from "three";

function drawnBySoftware() {
  const context = document.createElement("canvas").getContext("webgl2");
  const names = context?.getExtension("WEBGL_debug_renderer_info");
  const name = names ? String(context?.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  return /swiftshader|llvmpipe|software/i.test(name);
}

let software: boolean | undefined;

export function makeRenderer(canvas: HTMLCanvasElement) {
  software ??= drawnBySoftware();
  const renderer = new WebGLRenderer({ canvas, antialias: !software });
  renderer.setPixelRatio(software ? 1 : Math.min(devicePixelRatio, 2));
  return renderer;
}
