// Runs the kinema command and a real browser beside it. From the environment: KINEMA_COMMAND, KINEMA_CHROMIUM, and
// KINEMA_SCREENSHOTS, a folder to keep pictures in (optional).
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

/** A folder that is gone when the tests are. */
export function scratchFolder() {
  const folder = mkdtempSync(join(tmpdir(), "kinema-web-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// Milliseconds that anything may take on a machine that has other things to do.
export const patience = 60000;

/** The command with --view or serve: `url` once it says where, `finished` once it has printed its results. */
export async function startKinema(args, folder) {
  const child = spawn(process.env.KINEMA_COMMAND, args, { cwd: folder });
  process.on("exit", () => child.kill("SIGKILL"));
  let [out, err] = ["", ""];
  child.stdout.on("data", (data) => (out += data));
  const url = await new Promise((resolve, reject) => {
    child.stderr.on("data", (data) => {
      err += data;
      const found = err.match(/look at (http:\S+)/);
      if (found) resolve(found[1]);
    });
    child.on("exit", (code) => reject(new Error(`kinema ended with ${code}: ${err}`)));
  });
  const finished = async () => {
    while (!out.includes("shows it all")) {
      if (child.exitCode !== null) throw new Error(`kinema ended with ${child.exitCode}: ${err}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const stop = () =>
    new Promise((resolve) => {
      child.on("exit", resolve);
      child.kill("SIGINT");
    });
  return { url, finished, stop };
}

/** A browser; `clip` is what its camera shows. */
export function startBrowser(clip) {
  const camera = clip
    ? ["--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream", `--use-file-for-fake-video-capture=${clip}`]
    : [];
  return chromium.launch({
    executablePath: process.env.KINEMA_CHROMIUM,
    args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
      "--disable-gpu-watchdog", "--disable-accelerated-2d-canvas", // drawing by software may be slow without being stuck
      "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update",
      "--disable-sync", "--mute-audio", ...camera],
  });
}

/** A page of the site; what it complains of on the console, or leaves uncaught, is gathered in `complaints`. */
export async function openPage(browser, url, name) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(patience);
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${url}#${name}`);
  await page.locator("#connection[data-connected=true]").waitFor();
  await page.locator(".page").waitFor();
  return { page, complaints };
}

/** What a named figure of a page says. */
export const figure = (page, name) => page.locator(`[data-figure="${name}"]`).first().textContent();

/** Waits for a figure to be as asked; gives its text. */
export async function figureThat(page, name, wanted) {
  const end = Date.now() + patience;
  for (;;) {
    const text = await figure(page, name);
    if (wanted(text)) return text;
    if (Date.now() > end) throw new Error(`"${name}" stays at "${text}"`);
    await page.waitForTimeout(20);
  }
}

export async function keepScreenshot(page, name) {
  const folder = process.env.KINEMA_SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
