// Modules of the page, for tests without a browser.
import { build } from "esbuild";

/** The exports of a module of web/src, with all that it needs. */
export async function fromSource(name) {
  const entry = new URL(`../src/${name}.ts`, import.meta.url).pathname;
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: "esm", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}
