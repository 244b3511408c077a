"""Whether a file is whole: of each kind that kinema writes, what one that was cut short would lack."""

import json
import struct
import zlib


def whole_lines(data):
    """The number of lines of JSON, whose frames count from 0; -1 if one is torn."""
    if data and not data.endswith(b"\n"):
        return -1
    try:
        frames = [json.loads(line)["frame"] for line in data.splitlines()]
    except (ValueError, KeyError):
        return -1
    return len(frames) if sorted(set(frames)) == list(range(len(frames))) else -1


def whole_table(data):
    """The number of rows; -1 if one is torn."""
    rows = data.split(b"\n")
    if rows[-1] or len({row.count(b",") for row in rows[:-1]}) != 1:
        return -1
    return len(rows) - 2


def whole_bvh(data):
    head, _, motion = data.partition(b"MOTION\n")
    rows = motion.split(b"\n")
    if len(rows) < 3 or rows[-1]:
        return -1
    count = int(rows[0].split(b":")[1])
    return count if len(rows) - 3 == count and head.endswith(b"}\n") else -1


def whole_movie(data):
    """1 if the boxes of an .mp4 end where the file does, and its index is among them."""
    at, kinds = 0, []
    while at + 8 <= len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if size == 1:
            size = struct.unpack(">Q", data[at + 8:at + 16])[0]
        kinds.append(kind)
        if size < 8:
            return -1
        at += size
    return 1 if at == len(data) and b"moov" in kinds else -1


def whole_png(data):
    at, pixels = 8, b""
    while at + 12 <= len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if zlib.crc32(kind + body) != int.from_bytes(data[at + 8 + size:at + 12 + size], "big"):
            return -1
        if kind == b"IDAT":
            pixels += body
        at += 12 + size
        if kind == b"IEND":
            return 1 if at == len(data) and zlib.decompress(pixels) else -1
    return -1


def whole_json(data):
    try:
        return 1 if isinstance(json.loads(data), dict) else -1
    except ValueError:
        return -1


def whole_page(data):
    return 1 if data.rstrip().endswith(b"</html>") else -1


def whole_text(data):
    return 1 if data.endswith(b"\n") else -1


def whole_glb(data):
    return 1 if data[:4] == b"glTF" and struct.unpack("<I", data[8:12])[0] == len(data) else -1


def whole_c3d(data):
    return 1 if len(data) > 512 and len(data) % 512 == 0 else -1


def whole_model(data):
    """A .kface says how long it is, and has a checksum."""
    if len(data) < 32 or struct.unpack("<Q", data[16:24])[0] != len(data):
        return -1
    return 1 if zlib.crc32(data[16:]) == struct.unpack("<I", data[12:16])[0] else -1


KINDS = {".jsonl": whole_lines, ".csv": whole_table, ".bvh": whole_bvh, ".mp4": whole_movie, ".png": whole_png,
         ".json": whole_json, ".html": whole_page, ".glb": whole_glb, ".c3d": whole_c3d, ".trc": whole_text,
         ".mot": whole_text, ".kface": whole_model}


def count_in(path):
    """Frames in a file, or 1 where its kind does not say; -1 if it is not whole."""
    return KINDS[path.suffix](path.read_bytes())
