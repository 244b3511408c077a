// Clips for Chromium's fake camera, from the pictures of the demo's head. One rests at the first of them; the other goes to
// one side and back and, mirrored, to the other side and back. Motion JPEG is pictures in a row; the browser itself
// encodes them.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export async function makeClips(browser, folder, resting, moving) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".png")).sort();
  const page = await browser.newPage();
  const encode = (name, mirrored) =>
    page.evaluate(
      async ([data, flip]) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext("2d");
        if (flip) context.setTransform(-1, 0, 0, 1, image.width, 0);
        context.drawImage(image, 0, 0);
        return canvas.toDataURL("image/jpeg", 0.95).split(",")[1];
      },
      [readFileSync(join(folder, name)).toString("base64"), mirrored],
    );
  const frames = [];
  for (const mirrored of [false, true]) {
    const there = [];
    for (const name of names) there.push(Buffer.from(await encode(name, mirrored), "base64"));
    if (!mirrored) writeFileSync(resting, Buffer.concat([there[0], there[0]]));
    frames.push(...there, ...[...there].reverse());
  }
  writeFileSync(moving, Buffer.concat(frames));
  await page.close();
}
