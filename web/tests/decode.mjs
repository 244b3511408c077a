// A message with arrays, read apart from the page's own code (docs/protocol.md).
const types = { uint8: Uint8Array, int16: Int16Array, uint16: Uint16Array, float32: Float32Array };

export function decode(bytes) {
  const length = bytes.readUInt32LE(0);
  return { header: JSON.parse(bytes.subarray(4, 4 + length).toString("utf8")) };
}

/** The numbers of an array of a decoded message, if it has that array. */
export function numbersOf(bytes, { arrays }, name) {
  const part = arrays.find((array) => array.name === name);
  if (!part) return undefined;
  const Type = types[part.type], count = part.shape.reduce((product, extent) => product * extent, 1);
  return new Type(new Uint8Array(bytes.subarray(part.offset, part.offset + count * Type.BYTES_PER_ELEMENT)).buffer);
}
