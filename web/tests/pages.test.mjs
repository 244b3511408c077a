// The pages in a real browser: on what `kinema demo --view` shows, with a camera that plays a clip, and where `kinema serve`
// is given files. What needs the least of the demo comes first, since the demo goes on meanwhile.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeClips } from "./clip.mjs";
import { decode } from "./decode.mjs";
import { dropOn, figure, figureThat, keepScreenshot, openPage, patience, runKinema, scratchFolder, startBrowser, startKinema,
  turnTo } from "./harness.mjs";
import { checkReport } from "./reports.mjs";

const folder = scratchFolder();
const demo = join(folder, "demo");
const camera = join(folder, "camera.mjpeg");
const frames = 12;
let kinema, server, browser, clips;
let shown, served; // a page of each

before(async () => {
  [kinema, server, browser] = await Promise.all([
    startKinema(["demo", "--out", "demo", "--frames", String(frames), "--view", "--port", "0"], folder),
    startKinema(["serve", "--port", "0"], folder),
    startBrowser(camera),
  ]);
});

after(async () => {
  await browser?.close();
  await kinema?.stop();
  await server?.stop();
});

const picture = (page, selector) => page.locator(selector).first().screenshot();
const number = (text) => Number.parseFloat(text);

test("every page loads without complaints where nothing is tracked, and says what to do", async () => {
  served = await openPage(browser, server.url, "window");
  const { page, complaints } = served;
  for (const name of ["head", "face", "body"]) {
    await turnTo(page, name);
    assert.match(await page.locator(".hint.empty").textContent(), /[Dd]rop/);
    await keepScreenshot(page, `empty-${name}`);
  }
  assert.deepEqual(complaints, []);
});

test("a browser without WebGL is told so, and its other pages work", async () => {
  const { page, complaints } = await openPage(browser, server.url, "body", (made) => made.addInitScript(() => {
    const { getContext } = HTMLCanvasElement.prototype;
    HTMLCanvasElement.prototype.getContext = function (kind, ...more) {
      return kind.startsWith("webgl") ? null : getContext.call(this, kind, ...more);
    };
  }));
  for (const name of ["body", "window"]) {
    await turnTo(page, name);
    assert.match(await page.locator("main").textContent(), /WebGL 2, which this browser lacks/);
    await keepScreenshot(page, `no-webgl-${name}`);
  }
  await turnTo(page, "head");
  assert.match(await page.locator(".hint.empty").textContent(), /[Dd]rop/);
  assert.deepEqual(complaints, []);
  await page.close();
});

test("a recording plays, steps and seeks", async () => {
  shown = await openPage(browser, kinema.url, "body");
  const { page, complaints } = shown;
  await page.locator(".player button", { hasText: "play" }).waitFor();
  // opened when all was over, the page draws the curves of the whole run
  const curve = page.locator(".plot canvas").first();
  const columns = () => curve.evaluate((canvas) => {
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d"); // reading the canvas itself would slow it
    copy.drawImage(canvas, 0, 0);
    const { data, width } = copy.getImageData(0, 0, canvas.width, canvas.height);
    const drawn = new Set(); // columns with the blue of the first curve
    for (let i = 0; i < data.length; i += 4) if (data[i] < 140 && data[i + 2] > 200 && data[i + 3] > 128) drawn.add((i / 4) % width);
    return drawn.size / width;
  });
  for (const end = Date.now() + patience; Date.now() < end && (await columns()) < 0.5; ) await page.waitForTimeout(50);
  assert.ok((await columns()) > 0.5, "the curves are those of the whole run");
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
  for (const frame of ["5", "4"]) {
    await page.locator("[data-action=back]").click();
    await figureThat(page, "frame", (text) => text === frame);
  }
  await page.locator("[data-action=play]").click();
  await figureThat(page, "frame", (text) => text === String(frames - 1));
  assert.match(await page.locator("tr[data-joint=head] td").first().textContent(), /^-?\d\.\d\d$/);
  await keepScreenshot(page, "body");
  assert.deepEqual(complaints, []);
});

test("the head's recording shows its picture and place", async () => {
  const { page, complaints } = shown;
  await turnTo(page, "head");
  await figureThat(page, "head", (text) => text === "found");
  assert.ok(number(await figure(page, "x")) > 0);
  assert.deepEqual(complaints, []);
});

test("calibration by mouse gives a filter, and the camera's head is found with it", async () => {
  await kinema.wrote("demo/head.csv");
  clips = await makeClips(browser, demo, camera);
  clips.resting();
  const { page, complaints } = shown;
  await page.locator("[data-action=camera]").click();
  await figureThat(page, "head", (text) => text === "not calibrated");

  // the oval of the demo's own calibration, in pixels of its pictures, drawn from the centre to a corner
  const { oval } = JSON.parse(readFileSync(join(demo, "filter.json"), "utf8")).head;
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
});

// The heads that a page is told of, as they come.
function listenForHeads(page, heads) {
  page.on("websocket", (socket) => socket.on("framereceived", ({ payload }) => {
    if (typeof payload === "string") return;
    const { header } = decode(payload);
    if (header.say === "person" || header.say === "head") heads.push(header);
  }));
}

test("the window's frustum follows the head of the camera", async () => {
  await turnTo(shown.page, "face"); // where the camera goes on, mirrored or not as before
  const button = shown.page.locator("[data-action=camera]");
  await button.filter({ hasText: "switch the camera off" }).waitFor();
  assert.equal(await shown.page.getByLabel("as in a mirror").isChecked(), false);
  await button.click();
  await button.filter({ hasText: "use the camera" }).waitFor();
  clips.moving();
  const heads = [];
  const { page, complaints } = await openPage(browser, kinema.url, "window", (made) => listenForHeads(made, heads));
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
  await page.close();
});

test("the sliders change the face", async () => {
  await kinema.wrote("demo/face.jsonl"); // however long the demo takes to come this far
  const { page, complaints } = shown;
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
});

test("the camera's face is found with kinema's own model", async () => {
  await kinema.finished();
  await clips.face();
  const { page, complaints } = shown;
  await page.locator("[data-action=camera]").click();
  await page.locator(".source", { hasText: "camera" }).waitFor();
  const first = number(await figureThat(page, "frame", (text) => text !== "–"));
  await figureThat(page, "frame", (text) => number(text) !== first);
  await figureThat(page, "face", (text) => text === "found");
  assert.ok(number(await figure(page, "quality")) > 0.5);
  await keepScreenshot(page, "face-camera");
  await page.locator("[data-action=camera]").click();
  assert.deepEqual(complaints, []);
  await page.close();
});

// What the program says of dropped files at last, and the results that it offers.
async function dropped(page) {
  await page.locator("#drop[data-state]").waitFor();
  return { words: await figure(page, "job"), files: await page.locator("#drop a[download]").allTextContents() };
}

async function taken(page, name) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator(`#drop a[download="${name}"]`).click()]);
  return readFileSync(await download.path(), "utf8");
}

test("a folder of depth frames is dropped, the body changes as its frames arrive, and the poses are taken away", async () => {
  const { page, complaints } = served;
  const before = await picture(page, ".stage canvas");
  await dropOn(page, join(demo, "walk"));
  const share = () => page.locator("#drop progress").evaluate((bar) => bar.value);
  await figureThat(page, "job", (text) => /^tracking/.test(text));
  const first = number(await figureThat(page, "frame", (text) => text !== "–"));
  const some = await share();
  await figureThat(page, "frame", (text) => number(text) > first + 2);
  assert.equal(await figure(page, "person"), "found");
  assert.notDeepEqual(await picture(page, ".stage canvas"), before);
  await keepScreenshot(page, "drop");
  assert.ok((await share()) > some || (await page.locator("#drop[data-state=done]").count()) > 0, "the bar moves");
  assert.deepEqual((await dropped(page)).files, ["poses.bvh", "poses.csv", "poses.jsonl"]);
  assert.match(await taken(page, "poses.bvh"), /^HIERARCHY[\s\S]*Frames: 12/);
  assert.match(await taken(page, "poses.csv"), /^frame,time,/);
  assert.equal((await taken(page, "poses.jsonl")).trim().split("\n").map((line) => JSON.parse(line)).length, frames);
  assert.deepEqual(complaints, []);
});

test("a video is dropped with its filter, and the head's places are taken away", async () => {
  const { page, complaints } = served;
  await dropOn(page, join(demo, "head.mp4"), join(demo, "filter.json"));
  await figureThat(page, "head", (text) => text === "found");
  assert.deepEqual((await dropped(page)).files, ["head.csv", "head.jsonl"]);
  const rows = (await taken(page, "head.csv")).trim().split("\n");
  assert.match(rows[0], /^frame,time,x,y,area/);
  assert.equal(rows.length, 1 + frames);
  assert.deepEqual(complaints, []);
});

test("a model is dropped, then pictures to fit it to", async () => {
  const { page, complaints } = served;
  await dropOn(page, join(demo, "face.kface"));
  assert.match((await dropped(page)).words, /model is fitted from now on/);
  await page.locator("[data-modes=shape] input").first().waitFor();
  await dropOn(page, join(demo, "faces", "test", "face_0090.png"), join(demo, "faces", "test", "face_0091.png"));
  await page.locator("[data-kind=face]").click();
  await figureThat(page, "face", (text) => text === "found");
  assert.deepEqual((await dropped(page)).files, ["landmarks.csv", "landmarks.jsonl"]);
  assert.equal((await taken(page, "landmarks.jsonl")).trim().split("\n").length, 2);
  assert.deepEqual(complaints, []);
});

test("what cannot be tracked is refused with a reason, by the name that it was given", async () => {
  const { page, complaints } = served;
  await dropOn(page, join(demo, "poses.jsonl"));
  await page.locator("[data-kind=body]").click();
  const { words, files } = await dropped(page);
  assert.match(words, /^poses\.jsonl/);
  assert.doesNotMatch(words, /tmp/);
  assert.deepEqual(files, []);
  assert.deepEqual(complaints, []);
});

test("the demo's report draws its plots, pictures and scenes from a file", async () => {
  await kinema.finished();
  await checkReport(browser, join(demo, "demo.html"), "demo",
    { title: "A walking person, followed", plots: 4, tables: 1, pictures: 18, films: 3, scenes: 2 });
});

test("the reports of evaluations draw curves, bars and the worst faces from a file", async () => {
  await runKinema(["body", "evaluate", "--poses", "poses.jsonl", "--truth", "walk/truth.jsonl", "--out", "body"], demo);
  await checkReport(browser, join(demo, "body/evaluate.html"), "body-evaluate",
    { title: "Poses against truth", plots: 1, bars: 1, tables: 2 });
  await runKinema(["face", "evaluate", "--model", "face.kface", "--images", "faces/test", "--out", "face"], demo);
  await checkReport(browser, join(demo, "face/evaluate.html"), "face-evaluate",
    { title: "Faces against truth", plots: 2, tables: 4, pictures: 1 });
});

test("the reports of benchmarks draw the figures of the papers from a file", async () => {
  const brief = ["--seconds", "0.01", "--quick", "--out", "bench"];
  await runKinema(["bench", "body", "--points", "200,400", "--samples", "8,16", "--backends", "listing,cpu", ...brief], folder);
  await checkReport(browser, join(folder, "bench/body.html"), "bench-body",
    { title: "The body likelihood, measured", plots: 4, tables: 8, scenes: 1 });
  await runKinema(["bench", "head", "--size", "160x120", ...brief], folder);
  await checkReport(browser, join(folder, "bench/head.html"), "bench-head",
    { title: "The head's sums, measured", plots: 0, bars: 2, tables: 4 });
});
