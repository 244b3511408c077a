// Clips for Chromium's fake camera, which plays a file of Motion JPEG: pictures in a row. The browser itself makes them of
// pictures in files.
import { readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [width, height] = [320, 240];

/** Pictures as JPEG of one size, each as it is and mirrored: as large as fits, in the middle. */
async function encode(browser, files) {
  const page = await browser.newPage();
  const encoded = await page.evaluate(async ({ pictures, width, height }) => {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, height];
    const context = canvas.getContext("2d");
    const jpeg = (image, flip) => {
      const scale = Math.min(width / image.width, height / image.height);
      context.setTransform(flip ? -1 : 1, 0, 0, 1, flip ? width : 0, 0);
      context.drawImage(image, (width - scale * image.width) / 2, (height - scale * image.height) / 2,
        scale * image.width, scale * image.height);
      return canvas.toDataURL("image/jpeg", 0.95).split(",")[1];
    };
    const result = [];
    for (const data of pictures) {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      result.push([jpeg(image, false), jpeg(image, true)]);
    }
    return result;
  }, { pictures: files.map((file) => readFileSync(file).toString("base64")), width, height });
  await page.close();
  return encoded.map((both) => both.map((data) => Buffer.from(data, "base64")));
}

const pictures = (folder) => readdirSync(folder).filter((name) => name.endsWith(".png")).sort().map((name) => join(folder, name));

/**
 * Of the demo's pictures: a head that rests at the first of them, one that goes to one side and back and, mirrored, to the
 * other side and back, and a face. Each is a function that puts the clip before the camera, which must be off.
 */
export async function makeClips(browser, demo, camera) {
  const put = (frames) => () => {
    writeFileSync(`${camera}.new`, Buffer.concat(frames));
    renameSync(`${camera}.new`, camera);
  };
  const heads = await encode(browser, pictures(join(demo, "head")));
  const there = heads.map(([plain]) => plain), mirrored = heads.map(([, flipped]) => flipped);
  const way = (frames) => [...frames, ...[...frames].reverse()];
  return {
    resting: put([there[0], there[0]]),
    moving: put([...way(there), ...way(mirrored)]),
    face: async () => {
      const [[face]] = await encode(browser, pictures(join(demo, "faces", "test")).slice(0, 1));
      put([face, face])();
    },
  };
}
