// The WebSocket to the program: pages follow channels and receive frames; requests go the other way.
import { decode, encodeBytes, type Header, type Message } from "./message";

export interface ChannelState {
  begin: number; // of this run
  first: number;
  end: number;
  finished: boolean;
}

/** What a page does with a channel. */
export interface Listener {
  opening?(opening: Header, message: Message): void;
  frame(message: Message): void;
  state?(state: ChannelState): void;
  history?(frames: Header[]): void; // of this run so far, where the page was opened later
}

type Handler = (header: Header, message?: Message) => void;

export class Connection {
  private socket?: WebSocket;
  private readonly listeners = new Map<string, Listener>();
  private readonly handlers = new Map<string, Handler>();
  private waiting = 500;
  channels: string[] = [];
  offers: string[] = []; // what the program does beside showing them

  /** `changed` is called with whether the program can be reached, each time that changes. */
  constructor(private readonly changed: (connected: boolean) => void) {
    this.open();
  }

  private open() {
    const url = new URL("live", location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    url.hash = url.search = "";
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    socket.onmessage = (event: MessageEvent<string | ArrayBuffer>) => this.received(event.data);
    socket.onclose = () => {
      this.changed(false);
      setTimeout(() => this.open(), this.waiting);
      this.waiting = Math.min(2 * this.waiting, 8000);
    };
    this.socket = socket;
  }

  private received(data: string | ArrayBuffer) {
    const message: Message = typeof data === "string" ? { header: JSON.parse(data), arrays: {} } : decode(data);
    const { header } = message;
    if (header.say === "hello") {
      this.waiting = 500;
      this.channels = header.channels as string[];
      this.offers = header.offers as string[];
      for (const channel of this.listeners.keys()) if (this.channels.includes(channel)) this.request({ do: "follow", channel });
      this.changed(true);
      return;
    }
    const listener = header.channel === undefined ? undefined : this.listeners.get(header.channel);
    if (header.say === "opening") {
      listener?.opening?.(header, message);
      if (listener?.history) this.request({ do: "history", channel: header.channel });
    } else if (header.say === "history") listener?.history?.(header.frames as Header[]);
    else if (header.say === "state") listener?.state?.(header as unknown as ChannelState);
    else if (header.say !== undefined) this.handlers.get(header.say)?.(header, message);
    else listener?.frame(message);
  }

  get connected() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  /** Bytes still to be sent: a sender of a stream waits until there are none. */
  get pending() {
    return this.socket?.bufferedAmount ?? 0;
  }

  follow(channel: string, listener: Listener) {
    this.listeners.set(channel, listener);
    if (this.channels.includes(channel)) this.request({ do: "follow", channel });
  }

  leave(channel: string) {
    if (this.listeners.delete(channel) && this.channels.includes(channel)) this.request({ do: "leave", channel });
  }

  /** Listens to {"say": what}. */
  on(what: string, handler: Handler) {
    this.handlers.set(what, handler);
  }

  off(what: string) {
    this.handlers.delete(what);
  }

  request(request: object) {
    if (this.connected) this.socket?.send(JSON.stringify(request));
  }

  send(header: object, name: string, data: Uint8ClampedArray | Uint8Array, shape: number[]) {
    if (this.connected) this.socket?.send(encodeBytes(header, name, data, shape));
  }
}
