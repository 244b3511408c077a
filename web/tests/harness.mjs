// Runs the kinema command and a real browser beside it. From the environment: KINEMA_COMMAND, KINEMA_CHROMIUM, and
// KINEMA_SCREENSHOTS, a folder to keep pictures in (optional).
import { execFile, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
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

/** The command with --view or serve: `url` once it says where; `wrote` waits for a file, `finished` for all results. */
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
  const until = async (done) => {
    while (!done()) {
      if (child.exitCode !== null) throw new Error(`kinema ended with ${child.exitCode}: ${err}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const wrote = (file) => until(() => existsSync(join(folder, file)));
  const finished = () => until(() => out.includes("shows it all"));
  const stop = () =>
    new Promise((resolve) => {
      child.on("exit", resolve);
      child.kill("SIGINT");
    });
  return { url, wrote, finished, stop };
}

/** Runs the command to its end. */
export function runKinema(args, folder) {
  return new Promise((resolve, reject) => {
    execFile(process.env.KINEMA_COMMAND, args, { cwd: folder }, (error, _, err) => (error ? reject(new Error(err)) : resolve()));
  });
}

/** A browser; its camera shows what lies in the file `clip` when it is switched on. */
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

/**
 * A page of the site; what it complains of on the console, or leaves uncaught, is gathered in `complaints`. Small, since all
 * is drawn by software here; `prepare` may listen before it loads.
 */
export async function openPage(browser, url, name, prepare = () => {}, options = { viewport: { width: 1000, height: 640 } }) {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(patience);
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await prepare(page);
  await page.goto(`${url}#${name}`);
  await page.locator("#connection[data-connected=true]").waitFor();
  await page.locator(".page").waitFor();
  return { page, complaints };
}

/** How a phone shows pages: small, and touched with fingers. */
export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** A report page from its file, without a network; complaints as above. */
export async function openReport(browser, file, colorScheme, screen = { viewport: { width: 1000, height: 640 } }) {
  const page = await browser.newPage({ ...screen, colorScheme, offline: true });
  page.setDefaultTimeout(patience);
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || complaints.push(`fetches ${request.url()}`));
  await page.goto(`file://${file}`);
  await page.locator("h1").waitFor();
  return { page, complaints };
}

/** Another page of the site, where one is open. */
export async function turnTo(page, name) {
  await page.evaluate((hash) => (location.hash = hash), name);
  await page.locator(`nav a[aria-current][href="#${name}"]`).waitFor();
}

/** Drops files and folders on the page, as the system does when somebody drags them there. */
export async function dropOn(page, ...files) {
  // The page has listened for longer, so it has heard of the drop when this listener does.
  await page.evaluate(() => { window.dropHeard = new Promise((heard) => addEventListener("drop", () => heard(), { once: true })); });
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"]) {
    await session.send("Input.dispatchDragEvent", { type, x: 300, y: 300, data });
  }
  await page.evaluate(() => window.dropHeard);
  await session.detach();
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

export async function keepScreenshot(page, name, fullPage = true) {
  const folder = process.env.KINEMA_SCREENSHOTS;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage });
}
