// The header of a message with arrays, read apart from the page's own code (docs/protocol.md).
export function decode(bytes) {
  const length = bytes.readUInt32LE(0);
  return { header: JSON.parse(bytes.subarray(4, 4 + length).toString("utf8")) };
}
