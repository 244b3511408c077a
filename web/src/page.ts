// What a page is, and the elements that all pages share.
import type { Connection } from "./connection";

export interface Page {
  /** Ends everything that is running. */
  close(): void;
}

export type OpenPage = (root: HTMLElement, connection: Connection) => Page;

type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

/** An element with attributes (functions listen to events) and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (typeof value === "boolean") made.toggleAttribute(name, value);
    else made.setAttribute(name, String(value));
  }
  made.append(...children);
  return made;
}

/** Named figures in a row; each can be found by its name. */
export class Figures {
  readonly root = element("dl", { class: "figures" });
  private readonly places = new Map<string, HTMLElement>();

  constructor(names: string[]) {
    for (const name of names) {
      const place = element("dd", { "data-figure": name }, "–");
      this.places.set(name, place);
      this.root.append(element("div", {}, element("dt", {}, name), place));
    }
  }

  set(name: string, value: string) {
    const place = this.places.get(name);
    if (place && place.textContent !== value) place.textContent = value;
  }
}

/** What to do where there is nothing to see yet; `code` between backquotes. */
export function hint(text: string) {
  return element("p", { class: "hint empty" },
    ...text.split("`").map((part, i) => (i % 2 === 0 ? part : element("code", {}, part))));
}

/** Events per second, over the last second. */
export class Rate {
  private times: number[] = [];

  add(now = performance.now()) {
    this.times.push(now);
  }

  value(now = performance.now()) {
    while (this.times.length > 0 && this.times[0] < now - 1000) this.times.shift();
    return this.times.length;
  }
}
