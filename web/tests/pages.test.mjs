// The pages in a real browser, on what `kinema demo --view` shows while it runs and afterwards.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeClip } from "./clip.mjs";
import { decode } from "./decode.mjs";
import { figure, figureThat, keepScreenshot, openPage, scratchFolder, startBrowser, startKinema } from "./harness.mjs";

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
  const first = number(await figureThat(page, "frame", (text) => text !== "–", 60000));
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
  await page.locator(".player button", { hasText: "play" }).waitFor({ timeout: 60000 });
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
  await figureThat(page, "head", (text) => text === "found", 60000);
  assert.ok(number(await figure(page, "x")) > 0);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("the sliders change the face", async () => {
  await kinema.finished();
  const { page, complaints } = await openPage(browser, kinema.url, "face");
  await figureThat(page, "face", (text) => text === "found", 60000);
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

// The camera at rest: two looks at it, a little apart, are alike but for noise.
async function waitForRest(page) {
  await page.evaluate(async () => {
    const look = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [32, 24];
      const context = canvas.getContext("2d");
      context.drawImage(document.querySelector("canvas.picture"), 0, 0, 32, 24);
      return context.getImageData(0, 0, 32, 24).data;
    };
    for (let alike = 0, last = look(); alike < 4; ) {
      await new Promise((resolve) => setTimeout(resolve, 80));
      const now = look();
      const difference = now.reduce((sum, value, i) => sum + Math.abs(value - last[i]), 0) / now.length;
      alike = difference < 1 ? alike + 1 : 0;
      last = now;
    }
  });
}

test("a camera in the browser is calibrated by mouse, tracked, and moves the window", async () => {
  await kinema.finished();
  const clip = join(folder, "head.mjpeg");
  await makeClip(browser, join(folder, "demo", "head"), clip);
  const withCamera = await startBrowser(clip);
  try {
    const { page, complaints } = await openPage(withCamera, kinema.url, "head");
    const heads = [];
    page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => {
      if (typeof payload === "string") return;
      const { header } = decode(payload);
      if (header.say === "head") heads.push(header);
    }));
    await page.reload();
    await page.locator("[data-action=camera]").click();
    await figureThat(page, "head", (text) => text === "not calibrated");

    // the oval of the demo's own calibration, in pixels of its pictures, drawn from the centre to a corner
    const { oval } = JSON.parse(readFileSync(join(folder, "demo", "filter.json"), "utf8")).head;
    await page.getByLabel("as in a mirror").uncheck();
    await waitForRest(page);
    const box = await page.locator("canvas.picture").boundingBox();
    const place = (x, y) => [box.x + ((x + 0.5) / 640) * box.width, box.y + ((y + 0.5) / 480) * box.height];
    await page.mouse.move(...place(oval[0], oval[1]));
    await page.mouse.down();
    await page.mouse.move(...place(oval[0] + oval[2], oval[1] + oval[3]), { steps: 4 });
    await page.mouse.up();
    await page.locator("[data-action=calibrate]").click();
    await page.locator(".verdict a[download]").waitFor();
    assert.ok(Number(await page.locator(".verdict").getAttribute("data-score")) > 0.5);
    await figureThat(page, "head", (text) => text === "found");
    await page.waitForTimeout(300);
    await keepScreenshot(page, "head");

    await page.locator("nav a", { hasText: "Window" }).click();
    await page.locator("[data-action=camera]").click();
    // the head goes to both sides of the picture; the frustum must lean to the other side, since the camera faces the viewer
    const seen = new Set();
    for (let tries = 0; tries < 400 && seen.size < 2; ++tries) {
      await page.waitForTimeout(30);
      const head = heads.at(-1);
      if (!head?.found || Math.abs(head.position[0]) < 0.04) continue;
      const { left, right } = await page.locator(".stage").evaluate((stage) => ({ left: Number(stage.dataset.left),
        right: Number(stage.dataset.right) }));
      const now = heads.at(-1);
      if (Math.sign(now.position[0]) !== Math.sign(head.position[0]) || Math.abs(now.position[0]) < 0.04) continue;
      const side = head.x > head.width / 2 ? "right" : "left";
      assert.equal(left + right > 0 ? "right" : "left", side, `the head is at ${head.x} of ${head.width}; ${left} ${right}`);
      if (seen.size === 0) await keepScreenshot(page, "window");
      seen.add(side);
    }
    assert.equal(seen.size, 2, "the head was seen on both sides");
    const latency = number(await figure(page, "latency"));
    assert.ok(latency > 0 && latency < 2000, `${latency} ms`);
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
