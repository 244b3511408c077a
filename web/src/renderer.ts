// The WebGL renderer: antialiased at full resolution where there is a GPU, coarser without one so that it keeps up.
import { WebGLRenderer, type WebGLRendererParameters } from "three";

/** Thrown where the browser has no WebGL 2; the message is for the user. */
export class NoWebGL extends Error {
  constructor() {
    super("This page needs WebGL 2, which this browser lacks or has switched off.");
  }
}

// What WebGL draws by: a GPU, the processor or nothing.
function drawnBy() {
  const context = document.createElement("canvas").getContext("webgl2");
  if (!context) return "nothing";
  const names = context.getExtension("WEBGL_debug_renderer_info");
  const name = names ? String(context.getParameter(names.UNMASKED_RENDERER_WEBGL)) : "";
  return /swiftshader|llvmpipe|software/i.test(name) ? "processor" : "GPU";
}

let drawn: ReturnType<typeof drawnBy> | undefined;

export function makeRenderer(canvas: HTMLCanvasElement, parameters: WebGLRendererParameters = {}) {
  drawn ??= drawnBy();
  if (drawn === "nothing") throw new NoWebGL();
  const software = drawn === "processor";
  const renderer = new WebGLRenderer({ canvas, antialias: !software, ...parameters });
  renderer.setPixelRatio(software ? 1 : Math.min(devicePixelRatio, 2));
  return renderer;
}
