// Live pages in a real browser: frames that another program sends to `kinema serve`, and a pair of cameras that is
// calibrated, which ffmpeg plays.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { figure, figureThat, keepScreenshot, openPage, runKinema, scratchFolder, startBrowser, startKinema } from "./harness.mjs";

const folder = scratchFolder();
const pairs = new URL("../../../shared/data/stereo/opencv_chessboard/", import.meta.url).pathname;
let browser;

before(async () => {
  browser = await startBrowser();
});
after(() => browser?.close());

const hasFfmpeg = () => {
  try {
    execFileSync("ffmpeg", ["-version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

// In the page: another program, which sends the frames there and back for as long as the page is open.
const sendFrames = ([header, units, colour]) => {
  const frames = units.map((text) => Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)));
  const picture = Uint8Array.from(atob(colour), (byte) => byte.charCodeAt(0));
  const socket = new WebSocket(new URL("live", location.href.replace("http", "ws").split("#")[0]));
  const words = (object) => new TextEncoder().encode(`${JSON.stringify(object)}\n`);
  let number = 0;
  socket.onmessage = ({ data }) => {
    if (JSON.parse(data).say !== "frames") return;
    socket.send(words(header));
    setInterval(() => {
      const at = number % (2 * frames.length - 2);
      const pixels = frames[at < frames.length ? at : 2 * frames.length - 2 - at];
      socket.send(new Blob([words({ time: number++ / 10, taken: Date.now() / 1000 }), pixels, picture]));
    }, 100);
  };
  socket.onopen = () => socket.send(JSON.stringify({ do: "frames" }));
};

test("frames of another program are shown, with their latency and colour", { skip: !hasFfmpeg() && "there is no ffmpeg" }, async () => {
  await runKinema(["body", "simulate", "--motion", new URL("../../samples/walk.bvh", import.meta.url).pathname, "--mode", "depth",
    "--out", "walk", "--frames", "6"], folder);
  const raw = (name, format) => execFileSync("ffmpeg", ["-v", "error", "-i", join(folder, "walk", name), "-f", "rawvideo",
    "-pix_fmt", format, "-"], { maxBuffer: 1 << 26 });
  const depth = raw("depth/%06d.png", "gray16le");
  const size = 640 * 480 * 2;
  const units = Array.from({ length: depth.length / size }, (_, i) => depth.subarray(i * size, (i + 1) * size).toString("base64"));
  const colour = raw("colour/000000.png", "rgb24").toString("base64");
  const header = { kinema: 1, width: 640, height: 480, fx: 525, fy: 525, cx: 319.5, cy: 239.5, depth: "uint16",
    depth_scale: 0.001, colour: "rgb", fps: 10 };
  const server = await startKinema(["serve", "--port", "0", "--recordings", "recorded"], folder);
  const { page, complaints } = await openPage(browser, server.url, "body");
  const program = await browser.newPage();
  await program.goto(server.url);
  await program.evaluate(sendFrames, [header, units, colour]);
  await figureThat(page, "person", (text) => text === "found");
  assert.match(await figure(page, "latency"), /^\d+ ms$/);
  assert.match(await figure(page, "points"), /^\d+/);
  assert.equal(await page.locator("canvas.inset").isVisible(), true);
  await page.locator("[data-action='find again']").click();
  const seen = Number(await figure(page, "frame"));
  await figureThat(page, "frame", (text) => Number(text) > seen + 1);
  const track = page.locator("[data-action='stop']");
  const record = page.locator("[data-action='record']");
  await record.click();
  await page.locator("[data-action='record'][data-on]").waitFor();
  assert.equal(await record.textContent(), "end recording");
  await page.locator(".recorded", { hasText: /: [1-9]\d* frames/ }).waitFor();
  await keepScreenshot(page, "live-body");
  // stopped, frames are shown and recorded, but nobody is looked for
  await track.click();
  await figureThat(page, "person", (text) => text === "stopped");
  assert.equal(await track.textContent(), "start");
  await track.click();
  await figureThat(page, "person", (text) => text === "found");
  assert.equal(await track.textContent(), "stop");
  await record.click();
  await page.locator("[data-action='record']:not([data-on])").waitFor();
  const [recording] = readdirSync(join(folder, "recorded"));
  assert.match(recording, /^recording-\d{8}-\d{6}$/);
  await runKinema(["body", "track", "--input", join("recorded", recording), "--out", "recorded.jsonl"], folder);
  assert.deepEqual(complaints, []);
  await program.close();
  await server.stop();
});

test("a pair that is calibrated shows where boards were seen", { skip: !(existsSync(pairs) && hasFfmpeg()) && "there are no pictures or no ffmpeg" }, async () => {
  const port = await freePort();
  const play = (side) => ["-framerate", "10", "-pattern_type", "glob", "-i", join(pairs, `${side}*.jpg`)];
  const camera = spawn("ffmpeg", ["-v", "error", "-re", ...play("left"), ...play("right"), "-filter_complex", "hstack", "-c:v", "ffv1",
    "-pix_fmt", "bgr0", "-f", "nut", `tcp://127.0.0.1:${port}?listen=1`]);
  process.on("exit", () => camera.kill("SIGKILL"));
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const kinema = await startKinema(["stereo", "calibrate", "--input", `tcp://127.0.0.1:${port}`, "--board", "9x6", "--square", "25mm",
    "--views", "9", "--out", "stereo.yml", "--view", "--port", "0"], folder);
  const { page, complaints } = await openPage(browser, kinema.url, "calibrate");
  await figureThat(page, "boards", (text) => Number.parseInt(text) >= 5);
  await keepScreenshot(page, "calibrate-live");
  await page.locator(".side .hint", { hasText: "error" }).waitFor();
  assert.match(await page.locator(".side .hint").textContent(), /9 boards in .* error 0\.\d+ pixels/);
  assert.ok((await page.locator(".coverage i[data-seen]").count()) >= 8);
  await keepScreenshot(page, "calibrate");
  assert.deepEqual(complaints, []);
  await kinema.stop();
});
