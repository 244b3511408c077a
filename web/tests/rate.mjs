// Frames a second that reach the Body page and are drawn, beside the tracker: KINEMA_LOAD=build/release/serve_load
// KINEMA_CHROMIUM=/usr/bin/chromium node tests/rate.mjs [WIDTH HEIGHT]
import { spawn } from "node:child_process";
import { startBrowser } from "./harness.mjs";

const [width, height] = process.argv.slice(2).map(Number);
const load = spawn(process.env.KINEMA_LOAD, ["25"], { stdio: ["ignore", "pipe", "pipe"] });
load.stdout.pipe(process.stdout);
const url = await new Promise((resolve) => load.stderr.on("data", (data) => {
  const found = String(data).match(/look at (\S+)/);
  if (found) resolve(found[1]);
}));
// first the tracker alone
await new Promise((resolve) => setTimeout(resolve, 6000));
const browser = await startBrowser();
const page = await browser.newPage({ viewport: { width: width || 1280, height: height || 800 } });
await page.goto(`${url}#body`);
for (let second = 0; second < 12; ++second) {
  await page.waitForTimeout(1000);
  const figure = (name) => page.locator(`[data-figure=${name}]`).textContent();
  console.log("page: received", await figure("received"), "drawn", await figure("drawn"), "skipped", await figure("skipped"));
}
await browser.close();
load.kill();
