// The site of `make docs` in a real browser, from KINEMA_DOCS: on a wide screen and a phone, light and dark. Skips where the site
// could not be made.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { keepScreenshot, openReport, startBrowser } from "./harness.mjs";

const root = process.env.KINEMA_DOCS;
const skip = !root || !existsSync(join(root, "index.html")) ? "there is no site: see docs.site" : false;
let browser;

before(async () => {
  if (!skip) browser = await startBrowser();
});

after(() => browser?.close());

const file = (name) => join(root, name);

const pages = (folder = "") =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? (entry.name.startsWith("_") ? [] : pages(`${folder}${entry.name}/`))
      : entry.name.endsWith(".html") ? [folder + entry.name] : []);

/** How bright a colour of a style is, 0 to 1. */
const brightness = (colour) => colour.match(/\d+(\.\d+)?/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 765;

// the first of its kind
const kept = ["index.html", "start-webcam.html", "tracking.html", "accuracy.html", "command/kinema-body-track.html",
  "cpp/bodies.html", "python-api/kinema.body.html", "examples/joint_angles.html"];

for (const [screen, viewport] of [["wide", { width: 1400, height: 900 }], ["phone", { width: 390, height: 844 }]]) {
  for (const colorScheme of ["light", "dark"]) {
    test(`every page can be read on a ${screen} screen, ${colorScheme}`, { skip }, async () => {
      const { page, complaints } = await openReport(browser, file("index.html"), colorScheme, { viewport });
      const tooWide = [];
      for (const name of pages()) {
        await page.goto(`file://${file(name)}`);
        const seen = await page.evaluate(() => ({
          over: Math.max(document.documentElement.scrollWidth - window.innerWidth,
            ...[...document.querySelectorAll(".content :is(h1, h2, h3, p, li, dt, dd, img)")]
              .filter((element) => !element.closest("pre, .table-wrapper"))
              .map((element) => element.getBoundingClientRect().left + element.scrollWidth - window.innerWidth)),
          ground: getComputedStyle(document.body).backgroundColor,
          ink: getComputedStyle(document.querySelector("h1") ?? document.body).color,
        }));
        if (seen.over > 0) tooWide.push(`${name}: ${seen.over} pixels`);
        const contrast = brightness(seen.ground) - brightness(seen.ink);
        assert.ok(colorScheme === "light" ? contrast > 0.6 : contrast < -0.5, `${name}: ${seen.ink} on ${seen.ground}`);
        if (kept.includes(name)) {
          await keepScreenshot(page, `docs-${name.replace("/", "-").replace(".html", "")}-${screen}-${colorScheme}`, false);
        }
      }
      assert.deepEqual(tooWide, []);
      assert.deepEqual(complaints, []);
      await page.close();
    });
  }
}

test("a word is found, and the button changes light and dark", { skip }, async () => {
  const { page } = await openReport(browser, file("index.html"), "light", { viewport: { width: 1400, height: 900 } });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const first = await ground();
  for (let i = 0; i < 3 && (await ground()) === first; ++i) await page.locator(".theme-toggle:visible").first().click();
  assert.notEqual(await ground(), first);

  await page.goto(`file://${file("search.html")}?q=rectification`);
  await page.locator("#search-results li a", { hasText: "Calibrating a stereo pair" }).first().waitFor();
  await keepScreenshot(page, "docs-search", false);
  await page.close();
});
