// Files dropped anywhere on the page are sent to the program, tracked there, and their results offered to take away.
import type { Connection } from "./connection";
import { element } from "./page";

interface Dropped {
  path: string; // with its folders
  file: File;
}

const kinds = { body: "a body (depth, stereo, points)", head: "a head (colour video)", face: "faces (with a .kface model)" };
type Kind = keyof typeof kinds;

// Names as the program takes them: plain letters, at most three parts.
function plainPath(path: string) {
  return path.split("/").slice(-3).map((part) => part.replace(/[^A-Za-z0-9_.-]/g, "_").replace(/\.+/g, ".")
    .replace(/^\.|\.$/g, "_")).join("/");
}

async function filesOf(entry: FileSystemEntry): Promise<Dropped[]> {
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    return [{ path: plainPath(entry.fullPath.slice(1)), file }];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const all: Dropped[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    for (const one of some) all.push(...(await filesOf(one)));
  }
}

function guess(files: Dropped[]): Kind | undefined {
  const any = (pattern: RegExp) => files.some(({ path }) => pattern.test(path));
  if (any(/\.kface$/)) return "face";
  if (any(/camera\.json$|\.(npy|ply|pcd|xyz)$/)) return "body";
  return undefined;
}

export class DropZone {
  private readonly panel = element("section", { id: "drop", hidden: true });
  private readonly words = element("p");
  private readonly bar = element("progress", { max: 1, value: 0 });
  private readonly choices = element("div", { class: "row" });
  private id = "";

  /** A link that opens the panel by hand. */
  readonly link = element("button", { type: "button", "data-action": "files", click: () => this.offer() }, "files …");

  constructor(private readonly connection: Connection, private readonly shown: (kind: Kind) => void) {
    this.panel.append(
      element("button", { type: "button", class: "close", title: "close", click: () => this.close() }, "×"),
      element("h2", {}, "Track files"), this.words, this.bar, this.choices);
    document.body.append(this.panel);
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      const entries = Array.from(event.dataTransfer?.items ?? [], (item) => item.webkitGetAsEntry());
      this.tell("looking at the files", undefined);
      void Promise.all(entries.filter((entry) => entry !== null).map(filesOf)).then((files) => this.take(files.flat()));
    });
    connection.on("job", (header) => this.opened?.(String(header.id)));
    connection.on("progress", ({ done, total }) => this.tell(`tracking, frame ${done}${total ? ` of ${total}` : ""}`,
      total ? Number(done) / Number(total) : undefined));
    connection.on("result", ({ files }) => this.finish(files as string[]));
    connection.on("failed", ({ text }) => this.tell(String(text), 0));
  }

  private opened?: (id: string) => void;

  private tell(words: string, share?: number) {
    this.panel.hidden = false;
    this.words.textContent = words;
    if (share === undefined) this.bar.removeAttribute("value");
    else this.bar.value = share;
  }

  // Files chosen by hand, for those who do not drag.
  private offer() {
    const input = (label: string, folder: boolean) => {
      const chosen = element("input", { type: "file", multiple: true, webkitdirectory: folder, "data-files": label,
        change: () => this.take(Array.from(chosen.files ?? [], (file) =>
          ({ path: plainPath(file.webkitRelativePath || file.name), file }))) });
      return element("label", {}, `${label} `, chosen);
    };
    this.tell("Drop a recording, a video, pictures or a face model anywhere on the page, or choose:", 0);
    this.choices.replaceChildren(input("files", false), input("a folder", true));
  }

  private take(files: Dropped[]) {
    if (files.length === 0) return this.tell("there is no file in what was dropped", 0);
    const kind = guess(files);
    if (kind) return void this.start(files, kind);
    this.tell(`${files.length} file${files.length > 1 ? "s" : ""}: what do they show?`, 0);
    this.choices.replaceChildren(...Object.entries(kinds).map(([name, label]) =>
      element("button", { type: "button", "data-kind": name, click: () => void this.start(files, name as Kind) }, label)));
  }

  private async start(files: Dropped[], kind: Kind) {
    this.choices.replaceChildren();
    this.id = await new Promise<string>((resolve) => {
      this.opened = resolve;
      this.connection.wish({ do: "job" });
    });
    const all = files.reduce((sum, { file }) => sum + file.size, 0);
    let sent = 0;
    for (const { path, file } of files) {
      this.tell(`sending ${path}`, sent / Math.max(1, all));
      const answer = await fetch(`upload/${this.id}/${path}`, { method: "PUT", body: file });
      if (!answer.ok) return this.tell(await answer.text(), 0);
      sent += file.size;
    }
    this.tell("waiting for its turn", undefined);
    this.shown(kind);
    this.connection.wish({ do: "track", id: this.id, kind });
  }

  private finish(files: string[]) {
    this.tell("done; take what you need:", 1);
    this.choices.replaceChildren(...files.map((name) =>
      element("a", { href: `result/${this.id}/${name}`, download: name }, name)));
  }

  private close() {
    this.panel.hidden = true;
    this.connection.wish({ do: "cancel" });
  }
}
