// Files dropped anywhere on the page are sent to the program and tracked there; their results are offered for download.
import type { Connection } from "./connection";
import { element } from "./page";

interface Dropped {
  path: string; // with its folders
  file: File;
}

const kinds = { head: "a person before a camera (colour)", face: "faces (colour)", body: "a body (depth, stereo, points)" };
type Kind = keyof typeof kinds;

// Names as the program accepts them: plain letters, at most three parts.
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

// What the files show, by their names; nothing where the user must be asked.
function guess(files: Dropped[]): Kind | undefined {
  const any = (pattern: RegExp) => files.some(({ path }) => pattern.test(path));
  if (any(/\.kface$/i)) return "face";
  if (any(/(^|\/)camera\.json$|\.(npy|ply|pcd|xyz)$|(^|\/)(depth|left|right)\//i)) return "body";
  if (any(/\.json$/i)) return "head"; // a filter
  // a film alone; a .mkv may hold depth
  if (files.length === 1 && any(/\.(mp4|m4v|mov|webm|avi|wmv|mpe?g)$/i)) return "head";
  return undefined;
}

function put(path: string, file: File, sent: (bytes: number) => void, signal: AbortSignal) {
  return new Promise<void>((resolve, reject) => {
    const request = new XMLHttpRequest(); // which, unlike fetch, tells how much was sent
    request.open("PUT", path);
    request.upload.onprogress = ({ loaded }) => sent(loaded);
    request.onload = () => (request.status === 201 ? resolve() : reject(new Error(request.responseText.trim())));
    request.onerror = () => reject(new Error(`${file.name} could not be sent`));
    signal.addEventListener("abort", () => request.abort());
    request.send(file);
  });
}

export class DropZone {
  private readonly panel = element("section", { id: "drop", hidden: true });
  private readonly words = element("p", { "data-figure": "job" });
  private readonly bar = element("progress", { max: 1, value: 0 });
  private readonly choices = element("div", { class: "row" });
  private id = "";
  private sending = new AbortController();
  private opened?: (limits: { id: string; file_bytes: number; files: number }) => void;

  /** Opens the panel without dropping anything. */
  readonly button = element("button", { type: "button", "data-action": "files", click: () => this.offer() }, "track files …");

  /** `shown` is called with the name of the page that shows what is tracked. */
  constructor(private readonly connection: Connection, private readonly shown: (kind: Kind) => void) {
    this.panel.append(
      element("button", { type: "button", class: "close", title: "close", click: () => this.close() }, "×"),
      element("h2", {}, "Track files"), this.words, this.bar, this.choices);
    document.body.append(this.panel);
    addEventListener("dragover", (event) => event.preventDefault());
    addEventListener("drop", (event) => {
      event.preventDefault();
      const entries = Array.from(event.dataTransfer?.items ?? [], (item) => item.webkitGetAsEntry());
      void this.look(entries.filter((entry) => entry !== null));
    });
    connection.on("job", (header) => this.opened?.(header as unknown as { id: string; file_bytes: number; files: number }));
    connection.on("progress", ({ id, done, total }) => {
      if (id !== this.id) return;
      this.tell(`tracking, frame ${done}${total ? ` of ${total}` : ""}`, total ? Number(done) / Number(total) : undefined);
    });
    connection.on("result", ({ id, files, text }) => id === this.id && this.finish(files as string[], String(text)));
    connection.on("failed", ({ text }) => this.fail(String(text)));
  }

  /** The program can be reached, or not any more, in which case its job is lost. */
  connected(on: boolean) {
    this.button.hidden = !this.connection.offers.includes("files");
    if (on || this.id === "") return;
    this.fail("the program is gone, and the files with it");
  }

  private tell(words: string, share?: number) {
    this.panel.hidden = false;
    this.words.textContent = words;
    this.bar.hidden = false;
    if (share === undefined) this.bar.removeAttribute("value");
    else this.bar.value = share;
  }

  // A message that the user can act on.
  private ask(words: string, ...choices: Node[]) {
    this.tell(words, 0);
    this.bar.hidden = true;
    this.choices.replaceChildren(...choices);
  }

  private fail(why: string) {
    this.forget();
    this.ask(why);
    this.panel.dataset.state = "failed";
  }

  private forget() {
    this.sending.abort();
    this.id = "";
    this.opened = undefined;
    delete this.panel.dataset.state;
  }

  // Files chosen by a dialog instead of dropped.
  private offer() {
    const input = (label: string, folder: boolean) => {
      const chosen = element("input", { type: "file", multiple: true, webkitdirectory: folder, "data-files": label,
        change: () => this.take(Array.from(chosen.files ?? [], (file) =>
          ({ path: plainPath(file.webkitRelativePath || file.name), file }))) });
      return element("label", {}, `${label} `, chosen);
    };
    this.ask("Drop a recording, a video, pictures, a face model or a filter anywhere on the page, or choose:",
      input("files", false), input("a folder", true));
  }

  private async look(entries: FileSystemEntry[]) {
    if (!this.connection.offers.includes("files")) {
      return this.ask("This page shows what one command does. Start kinema serve to drop files on its page.");
    }
    this.forget();
    this.choices.replaceChildren();
    this.tell("looking at the files");
    try {
      this.take((await Promise.all(entries.map(filesOf))).flat());
    } catch (error) {
      this.fail(`the files cannot be read: ${(error as Error).message}`);
    }
  }

  private take(files: Dropped[]) {
    this.forget();
    if (files.length === 0) return this.ask("There is no file in what was dropped.");
    const kind = guess(files);
    if (kind) return void this.start(files, kind);
    this.ask(`${files.length === 1 ? files[0].path : `${files.length} files`}: what do they show?`,
      ...Object.entries(kinds).map(([name, label]) => element("button", { type: "button", "data-kind": name,
        click: () => void this.start(files, name as Kind) }, label)));
  }

  private async start(files: Dropped[], kind: Kind) {
    this.choices.replaceChildren();
    this.sending = new AbortController();
    const { signal } = this.sending;
    const job = await new Promise<Parameters<NonNullable<typeof this.opened>>[0]>((resolve) => {
      this.opened = resolve;
      this.connection.request({ do: "job" });
    });
    this.id = job.id;
    const large = files.find(({ file }) => file.size > job.file_bytes);
    if (large) return this.fail(`${large.path} is too large to be sent: track it with the command`);
    if (files.length > job.files) return this.fail(`these are more than ${job.files} files: track them with the command`);
    const all = Math.max(1, files.reduce((sum, { file }) => sum + file.size, 0));
    let sent = 0;
    for (const { path, file } of files) {
      this.tell(`sending ${path}`, sent / all);
      try {
        await put(`upload/${job.id}/${path}`, file, (bytes) => this.tell(`sending ${path}`, (sent + bytes) / all), signal);
      } catch (error) {
        return this.fail((error as Error).message);
      }
      sent += file.size;
    }
    this.tell("waiting for its turn");
    this.shown(kind);
    this.connection.request({ do: "track", id: job.id, kind });
  }

  private finish(files: string[], text: string) {
    this.ask(text || "Done. Download what you need:", ...files.map((name) =>
      element("a", { href: `result/${this.id}/${name}`, download: name }, name)));
    this.panel.dataset.state = "done";
  }

  private close() {
    this.forget();
    this.panel.hidden = true;
    this.connection.request({ do: "cancel" });
  }
}
