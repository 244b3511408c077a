// Frames a second that reach a page and are drawn, and the tracker's own beside it: alone, with the Body page in a browser,
// with a client that reads all, and with one that reads nothing. KINEMA_LOAD=build/release/serve_load
// KINEMA_CHROMIUM=/usr/bin/chromium node tests/rate.mjs [WIDTH HEIGHT]
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { startBrowser } from "./harness.mjs";

const [width = 1280, height = 800] = process.argv.slice(2).map(Number);
const seconds = 8; // of each
const load = spawn(process.env.KINEMA_LOAD, [String(10 * seconds)], { stdio: ["ignore", "pipe", "pipe"] });
const url = await new Promise((resolve) => load.stderr.on("data", (data) => {
  const found = String(data).match(/look at (\S+)/);
  if (found) resolve(found[1]);
}));
let lines = [];
load.stdout.on("data", (data) => lines.push(...String(data).trim().split("\n")));
const wait = (time) => new Promise((resolve) => setTimeout(resolve, time));
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

// What the program says of the seconds while `during` goes on, but for the first, in which it begins.
async function phase(name, during) {
  await wait(1100);
  lines = [];
  const more = await during();
  const column = (what) => lines.map((line) => Number(line.match(new RegExp(`${what} ([\\d.]+)`))?.[1]));
  console.log(`${name}: sent ${median(column("sent"))} / s, tracked ${median(column("tracked"))} / s, dropped ` +
    `${column("skipped").reduce((sum, value) => sum + value, 0)} in ${lines.length} s, worst publishing ` +
    `${Math.max(...column("publishing"))} ms${more ? `, ${more}` : ""}`);
}

// A WebSocket that follows the body, and reads or does not.
function client(reads) {
  const { hostname, port, search } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /live${search} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  socket.once("data", () => {
    const request = Buffer.from('{"do":"follow","channel":"body"}');
    socket.write(Buffer.concat([Buffer.from([0x81, 0x80 | request.length, 0, 0, 0, 0]), request]));
    if (reads) socket.resume();
    else socket.pause();
  });
  return socket;
}

await phase("nobody looks", () => wait(1000 * seconds));

const browser = await startBrowser();
const page = await browser.newPage({ viewport: { width, height } });
await page.goto(`${url}#body`);
await page.locator("[data-figure=frame]", { hasText: /\d/ }).waitFor();
await phase(`a page of ${width} x ${height}`, async () => {
  const figures = { received: [], drawn: [] };
  for (let second = 0; second < seconds; ++second) {
    await page.waitForTimeout(1000);
    for (const [name, values] of Object.entries(figures)) {
      values.push(Number.parseFloat(await page.locator(`[data-figure=${name}]`).textContent()));
    }
  }
  return `the page received ${median(figures.received)} / s and drew ${median(figures.drawn)} / s`;
});
await browser.close();

for (const reads of [true, false]) {
  const socket = client(reads);
  await phase(reads ? "a client that reads" : "a client that reads nothing", async () => {
    const before = socket.bytesRead;
    await wait(1000 * seconds);
    const rate = (socket.bytesRead - before) / seconds / 1e6;
    socket.destroy(); // what it did not get is counted now
    await wait(1100);
    return `${rate.toFixed(1)} MB / s`;
  });
}
load.kill();
