// What a newcomer does first: `kinema demo --view`, the Face tab, the camera. Nothing is chosen, and landmarks lie on the
// face, while the demo is still at work and after it; the Window and `kinema track` need no more. The camera plays a film of a real face whose head was marked by hand.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { decode, numbersOf } from "./decode.mjs";
import { dropOn, figure, figureThat, keepScreenshot, openPage, runKinema, scratchFolder, startBrowser, startKinema,
  turnTo } from "./harness.mjs";

const film = new URL("../../../shared/data/head/otb_faceocc1/", import.meta.url).pathname;
const absent = !existsSync(film) && "there is no film of a real face; a drawn one is fitted by pages.test.mjs";
const frames = 25; // before the magazine

const folder = scratchFolder();
const camera = join(folder, "camera.mjpeg");
let browser, boxes;

before(async () => {
  if (absent) return;
  const pictures = readdirSync(join(film, "img")).sort().slice(0, frames).map((name) => readFileSync(join(film, "img", name)));
  writeFileSync(camera, Buffer.concat([...pictures, ...pictures.reverse()]));
  boxes = readFileSync(join(film, "groundtruth_rect.txt"), "utf8").split("\n").slice(0, frames)
    .map((line) => line.split(",").map(Number)).map(([x, y, width, height]) => ({ x: x - 1, y: y - 1, width, height }));
  browser = await startBrowser(camera);
});
after(() => browser?.close());

// The landmarks that a page is told of, in shares of the picture.
function listenForFaces(page, faces) {
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => {
    if (typeof payload === "string") return;
    const { header } = decode(payload);
    if (header.say !== "face" || !header.found) return;
    const numbers = [...numbersOf(payload, header, "landmarks")];
    faces.push(numbers.map((value, i) => (value + 0.5) / (i % 2 === 0 ? header.width : header.height)));
  }));
}

// Milliseconds from a click on the camera's button to the first landmarks that are drawn on its picture; those of the demo's own clip
// may be there before.
const clickToLandmarks = (page) => page.evaluate(() => new Promise((resolve) => {
  const place = document.querySelector("[data-figure=face]"), picture = document.querySelector("canvas.picture");
  const start = performance.now();
  const look = () => picture.width === 400 && place.textContent === "found" ? resolve(performance.now() - start) :
    requestAnimationFrame(look);
  document.querySelector("[data-action=camera]").click();
  look();
}));

// Whether the landmarks lie within one of the boxes of the film, and fill a fair part of it: the face of a head with hair.
const onHead = (landmarks) => boxes.some(({ x, y, width, height }) => {
  const [columns, rows] = [352, 288];
  const xs = landmarks.filter((_, i) => i % 2 === 0).map((share) => share * columns);
  const ys = landmarks.filter((_, i) => i % 2 === 1).map((share) => share * rows);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const margin = 0.05 * width;
  return left > x - margin && right < x + width + margin && top > y && bottom < y + height + margin &&
    right - left > 0.4 * width && bottom - top > 0.35 * height;
});

for (const [name, args] of [["demo", ["demo", "--out", "demo", "--frames", "12", "--view"]], ["serve", ["serve"]]]) {
  test(`the camera of \`kinema ${name}\` puts landmarks on a real face, with nothing to choose`, { skip: absent }, async () => {
    const kinema = await startKinema([...args, "--port", "0"], folder);
    const faces = [];
    const { page, complaints } = await openPage(browser, kinema.url, "face", (made) => listenForFaces(made, faces));
    const look = async (when) => {
      faces.length = 0;
      const time = await clickToLandmarks(page);
      const first = await page.locator("canvas.picture").evaluate((canvas) => [canvas.width, canvas.height]);
      assert.deepEqual(first, [400, 327]); // the page's camera, not the demo's clip
      await figureThat(page, "frame", (text) => Number.parseInt(text) > 20);
      const hits = faces.filter(onHead).length;
      console.log(`# ${name}${when}: landmarks ${time.toFixed(0)} ms after the click; ${hits} of ${faces.length} faces on the ` +
        `head, quality ${await figure(page, "quality")}`);
      assert.ok(faces.length > 5 && hits >= 0.9 * faces.length, `${hits} of ${faces.length}`);
      await keepScreenshot(page, `newcomer-${name}${when.replaceAll(" ", "-")}`);
      await page.locator("[data-action=camera]").click();
      await page.locator("[data-action=camera]", { hasText: "use" }).waitFor();
    };
    if (name === "demo") {
      await look(" at work");
      await kinema.finished();
    }
    await page.reload(); // figures of before are gone
    await page.locator("#connection[data-connected=true]").waitFor();
    await page.locator(".page").waitFor();
    if (name === "demo") await figureThat(page, "face", (text) => text === "found");
    await page.locator("[data-figure=face]").evaluate((place) => (place.textContent = "–"));
    await look("");
    assert.deepEqual(complaints, []);
    await page.close();
    await kinema.stop();
  });
}

test("the room of the Window follows a real head, with nothing to calibrate", { skip: absent }, async () => {
  const kinema = await startKinema(["serve", "--port", "0"], folder);
  const { page, complaints } = await openPage(browser, kinema.url, "window");
  await page.locator("[data-action=camera]").click();
  await figureThat(page, "head", (text) => text === "found");
  await figureThat(page, "distance", (text) => Number.parseInt(text) > 200 && Number.parseInt(text) < 2000 && text !== "600 mm");
  await keepScreenshot(page, "newcomer-window");
  assert.deepEqual(complaints, []);
  await page.close();
  await kinema.stop();
});

test("the Head page finds the face that is calibrated, and the camera goes on on the other pages", { skip: absent }, async () => {
  const kinema = await startKinema(["serve", "--port", "0"], folder);
  const { page, complaints } = await openPage(browser, kinema.url, "head");
  await page.locator("[data-action=camera]").click();
  await figureThat(page, "head", (text) => text === "not calibrated");
  await page.locator("[data-action='find face']").click();
  await figureThat(page, "verdict", (text) => /This is your face/.test(text));
  await keepScreenshot(page, "newcomer-find-face");
  await page.locator("[data-action=calibrate]").click();
  await page.locator(".verdict a[download]").waitFor();
  await figureThat(page, "head", (text) => text === "found");
  await turnTo(page, "face");
  await figureThat(page, "face", (text) => text === "found");
  assert.ok(await page.locator("canvas.picture.mirrored").isVisible());
  await keepScreenshot(page, "newcomer-face-mirrored");
  await turnTo(page, "body");
  await turnTo(page, "window");
  await page.locator("[data-action=camera]", { hasText: "switch the camera off" }).waitFor();
  assert.deepEqual(complaints, []);
  await page.close();
  await kinema.stop();
});

test("a film that is dropped is tracked without anything else", { skip: absent }, async () => {
  await runKinema(["track", "--input", join(film, "img"), "--frames", "12", "--overlay", "someone.mp4"], folder);
  const kinema = await startKinema(["serve", "--port", "0"], folder);
  const { page, complaints } = await openPage(browser, kinema.url, "body");
  await dropOn(page, join(folder, "someone.mp4"));
  await figureThat(page, "head", (text) => text === "found");
  await page.locator("#drop[data-state=done]").waitFor();
  assert.deepEqual(await page.locator("#drop a").allTextContents(), ["track.csv", "track.jsonl"]);
  await keepScreenshot(page, "newcomer-dropped-film");
  assert.deepEqual(complaints, []);
  await page.close();
  await kinema.stop();
});

test("`kinema track --view` shows the person it follows", { skip: absent }, async () => {
  const kinema = await startKinema(["track", "--input", join(film, "img"), "--frames", String(frames), "--view", "--port", "0"], folder);
  const { page, complaints } = await openPage(browser, kinema.url, "head");
  await figureThat(page, "head", (text) => text === "found");
  await figureThat(page, "turned", (text) => /^-?\d+° -?\d+° -?\d+°$/.test(text));
  await keepScreenshot(page, "newcomer-track");
  assert.deepEqual(complaints, []);
  await page.close();
  await kinema.stop();
});
