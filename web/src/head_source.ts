// Where the head is, from either source: the program's own run (channel "head"), or the tracking of this page's camera.
import type { Camera } from "./camera";
import type { ChannelState, Connection } from "./connection";
import type { ArrayPart, Header, Message } from "./message";

export interface HeadFrame {
  index: number;
  time: number; // seconds
  found: boolean;
  why: string;
  x: number; // pixels of a picture of this width and height
  y: number;
  width: number;
  height: number;
  area: number;
  score: number;
  distance?: number; // metres
  position?: [number, number, number]; // metres, the camera's frame: x right, y down, z forward
  rawPosition?: [number, number, number]; // the same before smoothing
  oval?: [number, number, number, number];
  ms: number;
  latency?: number; // milliseconds from the camera's frame to now
  picture?: ArrayPart; // red green blue; of this page's camera there is none, since the page has it
  degrees?: ArrayPart;
  landmarks?: ArrayPart; // of the face, pixels
  pose?: { yaw: number; pitch: number; roll: number }; // degrees
}

export interface HeadListener {
  head(frame: HeadFrame): void;
  opening?(opening: Header): void;
  state?(state: ChannelState): void;
  history?(frames: HeadFrame[]): void;
}

function headFrame({ header, arrays }: Message): HeadFrame {
  const number = (name: string) => (typeof header[name] === "number" ? (header[name] as number) : 0);
  const ms = header.ms as Record<string, number> | undefined;
  return {
    index: header.index ?? number("sequence"),
    time: header.say === undefined ? number("time") : number("time") / 1000,
    found: header.found === true,
    why: String(header.why ?? ""),
    x: number("x"), y: number("y"), width: number("width"), height: number("height"),
    area: number("area"), score: number("score"),
    distance: header.distance as number | undefined,
    position: header.position as HeadFrame["position"],
    rawPosition: header.raw_position as HeadFrame["position"],
    oval: header.oval as HeadFrame["oval"],
    ms: ms?.track ?? Object.values(ms ?? {}).reduce((sum, value) => sum + value, 0),
    latency: header.say === undefined ? undefined : performance.now() - number("time"),
    pose: header.head as HeadFrame["pose"],
    picture: arrays.picture,
    degrees: arrays.degrees,
    landmarks: arrays.landmarks,
  };
}

/** Follows both sources; while the page's camera is on, it alone counts. */
export class HeadSource {
  constructor(private readonly connection: Connection, private readonly camera: Camera, listener: HeadListener) {
    connection.follow("head", {
      opening: (opening) => listener.opening?.(opening),
      frame: (message) => camera.on || listener.head(headFrame(message)),
      state: (state) => listener.state?.(state),
      history: (frames) => camera.on || listener.history?.(frames.map((header) => headFrame({ header, arrays: {} }))),
    });
    for (const answer of ["head", "person"]) {
      connection.on(answer, (_, message) => {
        if (!message || !camera.on) return;
        // a head that was calibrated is followed by its colours, and so is one without a face model
        if (message.header.instead === "head") camera.switchTo("head");
        camera.answered();
        listener.head(headFrame(message));
      });
    }
  }

  close() {
    this.connection.leave("head");
    for (const answer of ["head", "person"]) this.connection.off(answer);
    this.camera.close();
  }
}
