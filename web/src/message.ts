// Messages with arrays, as src/serve/messages/message.h has them: a JSON header, and arrays that are views of the message.

export type Numbers = Uint8Array | Int16Array | Uint16Array | Float32Array;

export interface ArrayPart {
  data: Numbers;
  shape: number[];
}

export interface Header {
  channel?: string;
  say?: string;
  index?: number;
  [member: string]: unknown;
}

export interface Message {
  header: Header;
  arrays: Record<string, ArrayPart>;
}

const types: Record<string, { new (buffer: ArrayBuffer, offset: number, length: number): Numbers }> = {
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  float32: Float32Array,
};

const alignment = 8;
const roundedUp = (bytes: number) => Math.ceil(bytes / alignment) * alignment;

export function decode(buffer: ArrayBuffer): Message {
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))) as Header & {
    arrays: { name: string; type: string; shape: number[]; offset: number }[];
  };
  const arrays: Record<string, ArrayPart> = {};
  for (const { name, type, shape, offset } of header.arrays) {
    const count = shape.reduce((product, extent) => product * extent, 1);
    arrays[name] = { data: new types[type](buffer, offset, count), shape };
  }
  return { header, arrays };
}

/** A message with one array of bytes, such as a picture. */
export function encodeBytes(header: object, name: string, data: Uint8ClampedArray | Uint8Array, shape: number[]) {
  // the offset is part of the header whose length it depends on, so it gets room
  const offset = roundedUp(4 + JSON.stringify(header).length * 3 + name.length + 128);
  const arrays = [{ name, type: "uint8", shape, offset }];
  const json = new TextEncoder().encode(JSON.stringify({ ...header, arrays }));
  const buffer = new ArrayBuffer(offset + data.length);
  const bytes = new Uint8Array(buffer);
  bytes.fill(0x20, 4, offset);
  new DataView(buffer).setUint32(0, offset - 4, true);
  bytes.set(json, 4);
  bytes.set(data, offset);
  return buffer;
}
