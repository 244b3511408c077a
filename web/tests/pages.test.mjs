// The pages in a real browser, on what `kinema demo --view` shows while it runs and afterwards.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeClips } from "./clip.mjs";
import { decode } from "./decode.mjs";
import { figure, figureThat, keepScreenshot, openPage, patience, scratchFolder, startBrowser, startKinema } from "./harness.mjs";

const folder = scratchFolder();
const frames = 24;
let kinema, browser;

before(async () => {
  [kinema, browser] = await Promise.all([
    startKinema(["demo", "--out", "demo", "--frames", String(frames), "--view", "--port", "0"], folder),
    startBrowser(),
  ]);
});

after(async () => {
  await browser?.close();
  await kinema?.stop();
});

const picture = (page, selector) => page.locator(selector).first().screenshot();
const number = (text) => Number.parseFloat(text);

test("the body changes as frames arrive", async () => {
  const { page, complaints } = await openPage(browser, kinema.url, "body");
  const first = number(await figureThat(page, "frame", (text) => text !== "–"));
  const before = await picture(page, ".stage canvas");
  await figureThat(page, "frame", (text) => number(text) > first + 2);
  await figureThat(page, "person", (text) => text === "found");
  assert.notDeepEqual(await picture(page, ".stage canvas"), before);
  assert.match(await page.locator("tr[data-joint=head] td").first().textContent(), /^-?\d\.\d\d$/);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a recording plays, steps and seeks", async () => {
  const { page, complaints } = await openPage(browser, kinema.url, "body");
  await page.locator(".player button", { hasText: "play" }).waitFor();
  const slider = page.locator(".player input");
  const seek = async (frame) => {
    await slider.fill(String(frame));
    await figureThat(page, "frame", (text) => text === String(frame));
  };
  await seek(5);
  const fifth = await picture(page, ".stage canvas");
  await page.locator("[data-action=on]").click();
  await figureThat(page, "frame", (text) => text === "6");
  assert.notDeepEqual(await picture(page, ".stage canvas"), fifth);
  await page.locator("[data-action=back]").click();
  await page.locator("[data-action=back]").click();
  await figureThat(page, "frame", (text) => text === "4");
  await page.locator("[data-action=play]").click();
  await figureThat(page, "frame", (text) => text === String(frames - 1));
  await seek(frames - 4);
  await keepScreenshot(page, "body");
  assert.deepEqual(complaints, []);
  await page.close();
});

test("the head's recording shows its picture and place", async () => {
  const { page, complaints } = await openPage(browser, kinema.url, "head");
  await figureThat(page, "head", (text) => text === "found");
  assert.ok(number(await figure(page, "x")) > 0);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("the sliders change the face", async () => {
  await kinema.finished();
  const { page, complaints } = await openPage(browser, kinema.url, "face");
  await figureThat(page, "face", (text) => text === "found");
  assert.ok(number(await figure(page, "quality")) > 0.5);
  const face = () => page.locator(".faces canvas").nth(1).evaluate((canvas) => canvas.toDataURL());
  const mean = await face();
  for (const kind of ["shape", "texture"]) {
    const before = await face();
    await page.locator(`[data-modes=${kind}] input`).first().fill("2");
    assert.notEqual(await face(), before, kind);
  }
  await keepScreenshot(page, "face");
  await page.locator("[data-action=mean]").click();
  assert.equal(await face(), mean);
  assert.deepEqual(complaints, []);
  await page.close();
});

// The heads that a page is told of, as they come.
function headsOf(page) {
  const heads = [];
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => {
    if (typeof payload === "string") return;
    const { header } = decode(payload);
    if (header.say === "head") heads.push(header);
  }));
  return heads;
}

const [resting, moving] = ["resting.mjpeg", "moving.mjpeg"].map((name) => join(folder, name));

test("calibration by mouse gives a filter, and the camera's head is found with it", async () => {
  await kinema.finished();
  await makeClips(browser, join(folder, "demo", "head"), resting, moving);
  const withCamera = await startBrowser(resting);
  try {
    const { page, complaints } = await openPage(withCamera, kinema.url, "head");
    await page.locator("[data-action=camera]").click();
    await figureThat(page, "head", (text) => text === "not calibrated");

    // the oval of the demo's own calibration, in pixels of its pictures, drawn from the centre to a corner
    const { oval } = JSON.parse(readFileSync(join(folder, "demo", "filter.json"), "utf8")).head;
    await page.getByLabel("as in a mirror").uncheck();
    const box = await page.locator("canvas.picture").boundingBox();
    const place = (x, y) => [box.x + ((x + 0.5) / 640) * box.width, box.y + ((y + 0.5) / 480) * box.height];
    await page.mouse.move(...place(oval[0], oval[1]));
    await page.mouse.down();
    await page.mouse.move(...place(oval[0] + oval[2], oval[1] + oval[3]), { steps: 4 });
    await page.mouse.up();
    await keepScreenshot(page, "oval");
    await page.locator("[data-action=calibrate]").click();
    await page.locator(".verdict a[download]").waitFor();
    const score = Number(await page.locator(".verdict").getAttribute("data-score"));
    assert.ok(score > 0.4, `score ${score}`);
    await figureThat(page, "head", (text) => text === "found");
    // in pixels of what was sent, half as large as the demo's
    await figureThat(page, "x", (text) => Math.abs(2 * number(text) - oval[0]) < oval[2] / 4);
    await keepScreenshot(page, "head");
    assert.deepEqual(complaints, []);
  } finally {
    await withCamera.close();
  }
});

test("the window's frustum follows the head of the camera", async () => {
  const withCamera = await startBrowser(moving);
  try {
    const { page, complaints } = await openPage(withCamera, kinema.url, "window");
    const heads = headsOf(page);
    await page.reload();
    await page.locator("[data-action=camera]").click();
    // the head goes to both sides of the picture; the camera faces the viewer, so the picture's right is the viewer's left,
    // from where one sees more of what lies to the right
    const seen = new Set();
    for (const end = Date.now() + patience; Date.now() < end && seen.size < 2; ) {
      await page.waitForTimeout(15);
      const { left, right, frame } = await page.locator(".stage").evaluate(({ dataset }) => ({ ...dataset }));
      const head = heads.find(({ sequence }) => sequence === Number(frame));
      if (!head?.position || Math.abs(head.position[0]) < 0.02) continue;
      const side = head.x > head.width / 2 ? "right" : "left";
      assert.equal(Number(left) + Number(right) > 0 ? "right" : "left", side, `the head is at ${head.x} of ${head.width}`);
      if (seen.size === 0) await keepScreenshot(page, "window");
      seen.add(side);
    }
    assert.equal(seen.size, 2, "the head was seen on both sides");
    const latency = number(await figure(page, "latency"));
    assert.ok(latency > 0, `${latency} ms`);
    console.log(`# latency from the camera's frame to the drawing: ${latency} ms`);
    assert.deepEqual(complaints, []);
  } finally {
    await withCamera.close();
  }
});

test("every page loads without complaints where nothing is tracked", async () => {
  const server = await startKinema(["serve", "--port", "0"], folder);
  for (const name of ["body", "head", "face", "window"]) {
    const { page, complaints } = await openPage(browser, server.url, name);
    await page.waitForTimeout(200);
    assert.deepEqual(complaints, [], name);
    await page.close();
  }
  await server.stop();
});
