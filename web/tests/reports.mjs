// What a report page must hold, whichever command wrote it.
import assert from "node:assert/strict";
import { keepScreenshot, openReport, phone } from "./harness.mjs";

// How many of its pixels a canvas has drawn on.
const inkOf = (canvas) => canvas.evaluate((element) => {
  const { data } = element.getContext("2d").getImageData(0, 0, element.width, element.height);
  let drawn = 0;
  for (let i = 3; i < data.length; i += 4) drawn += data[i] > 0;
  return drawn;
});

/**
 * Opens a report from its file by day and by night: it has this many plots, all of them drawn, and as many tables and pictures;
 * it complains of nothing and fetches nothing.
 */
export async function checkReport(browser, file, name, { title, plots, tables, bars = 0, pictures = 0, films = 0, scenes = 0 }) {
  const grounds = [];
  for (const scheme of ["light", "dark"]) {
    const { page, complaints } = await openReport(browser, file, scheme);
    assert.equal(await page.title(), `kinema: ${title}`);
    const canvases = page.locator(".plot canvas");
    if (plots > 0) await canvases.nth(plots - 1).waitFor();
    assert.equal(await canvases.count(), plots, "plots");
    for (const canvas of await canvases.all()) assert.ok((await inkOf(canvas)) > 1000, "a plot is empty");
    const counts = { tables: ".card > .scroll > table", bars: ".bars", pictures: ".strip img", films: ".film video", scenes: ".scene svg" };
    const found = {};
    for (const [kind, selector] of Object.entries(counts)) found[kind] = await page.locator(selector).count();
    assert.deepEqual(found, { tables, bars, pictures, films, scenes });
    for (const film of await page.locator(".film video").all()) {
      // begun again: a browser that is short of time may have put it off
      await film.evaluate((one) => one.readyState > 1 || new Promise((ready) => {
        one.addEventListener("loadeddata", ready);
        one.load();
      }));
    }
    for (const image of await page.locator("img").all()) assert.ok(await image.evaluate((one) => one.naturalWidth > 0));
    grounds.push(await page.locator("body").evaluate((body) => getComputedStyle(body).backgroundColor));
    await keepScreenshot(page, `report-${name}-${scheme}`);
    assert.deepEqual(complaints, []);
    await page.close();
  }
  assert.notEqual(grounds[0], grounds[1]);
  await checkOnPhone(browser, file, name);
}

// Nothing is cut off on a phone: neither the page nor a table of it.
async function checkOnPhone(browser, file, name) {
  const { page } = await openReport(browser, file, "light", phone);
  await keepScreenshot(page, `report-${name}-phone`);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), phone.viewport.width);
  for (const table of await page.locator(".card > .scroll").all()) {
    assert.ok(await table.evaluate((one) => one.scrollWidth <= one.clientWidth + 1 || one.querySelectorAll("th").length > 6),
      `a table is wider than the phone: ${await table.textContent()}`);
  }
  await page.close();
}
