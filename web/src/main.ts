// The frame around the pages: one connection, and one page at a time, named by the fragment of the address.
import { openBody } from "./body";
import { openCalibrate } from "./calibrate";
import { Connection } from "./connection";
import { DropZone } from "./drop";
import { openFace } from "./face";
import { openHead } from "./head";
import { element, hint, type OpenPage, type Page } from "./page";
import { NoWebGL } from "./renderer";
import { openWindow } from "./window";
import "./style.css";

// `own`: shown only by a program that has a channel of that name
const pages: Record<string, { title: string; open: OpenPage; own?: boolean }> = {
  body: { title: "Body", open: openBody },
  head: { title: "Head", open: openHead },
  face: { title: "Face", open: openFace },
  window: { title: "Window", open: openWindow },
  calibrate: { title: "Calibrate", open: openCalibrate, own: true },
};

const main = document.querySelector("main") as HTMLElement;
const nav = document.querySelector("nav") as HTMLElement;
const status = document.querySelector("#connection") as HTMLOutputElement;
const notice = document.querySelector("#notice") as HTMLElement;
let page: Page | undefined;
let shown = "";

const connection = new Connection((connected) => {
  status.textContent = connected ? "connected" : "connection lost; reconnecting";
  status.dataset.connected = String(connected);
  drop.connected(connected);
  if (connected) route();
});
connection.on("error", (header) => {
  notice.textContent = String(header.text);
  notice.hidden = false;
  setTimeout(() => (notice.hidden = true), 6000);
});

for (const [name, { title, own }] of Object.entries(pages)) {
  nav.append(element("a", { href: `#${name}`, hidden: own === true }, title));
}

// The page that the address names, else that of the first tracker that has something to show.
function route() {
  const named = location.hash.slice(1);
  const name = named in pages ? named : (connection.channels.find((channel) => channel in pages) ?? "body");
  if (name === shown) return;
  page?.close();
  page = undefined;
  main.replaceChildren();
  shown = name;
  for (const link of nav.querySelectorAll("a")) {
    if (connection.channels.includes(link.hash.slice(1))) link.hidden = false;
    link.toggleAttribute("aria-current", link.hash === `#${name}`);
  }
  try {
    page = pages[name].open(main, connection);
  } catch (error) {
    if (!(error instanceof NoWebGL)) throw error;
    main.append(element("div", { class: "page" }, hint(error.message)));
  }
}

const drop = new DropZone(connection, (kind) => (location.hash = kind));
status.before(drop.button);

addEventListener("hashchange", route);
