#!/usr/bin/env python3
"""Packs recordings of pictures into a form that a kinema without OpenCV reads, once, for measure_mechanisms.py.

    scripts/pack_recordings.py --out packed recordings/*         each becomes packed/NAME

In place of depth/ or left/ and right/ a packed recording has frames.xz: the frames as docs/stream.md describes them, pairs in
grey, compressed. `xz -dc packed/NAME/frames.xz | kinema body track --input -` gives the same bits as the recording. Its truth
comes along. Recordings of point clouds need no OpenCV and are copied. Python's standard library is enough; a depth image of
640 x 480 takes a fifth of a second of one core.
"""

import argparse
import json
import lzma
import os
import re
import shutil
import struct
import sys
import zlib
from concurrent.futures import ProcessPoolExecutor
from itertools import accumulate
from pathlib import Path

PACKED = "frames.xz"
BESIDE = ("truth.jsonl", "truth_frames.npz", "recording.json", "camera.json")
NUMBER = re.compile(r"(\d+)\.png$")


def paeth(left, above, corner):
    a, b, c = abs(above - corner), abs(left - corner), abs(left + above - 2 * corner)
    return left if a <= b and a <= c else above if b <= c else corner


def unfiltered(kind, row, before, step):
    """The bytes of a row of a PNG, of which `before` is the one above; `step`: bytes of a pixel."""
    if kind == 1:
        for channel in range(step):
            row[channel::step] = bytes(accumulate(row[channel::step], lambda a, b: (a + b) & 255))
    elif kind == 2:
        row[:] = bytes([(a + b) & 255 for a, b in zip(row, before)])
    elif kind == 3:
        for i, above in enumerate(before):
            row[i] = (row[i] + ((row[i - step] if i >= step else 0) + above) // 2) & 255
    elif kind == 4:
        for i, above in enumerate(before):
            beside = (row[i - step], before[i - step]) if i >= step else (0, 0)
            row[i] = (row[i] + paeth(beside[0], above, beside[1])) & 255
    elif kind != 0:
        raise SystemExit(f"pack_recordings: a row of a PNG has the filter {kind}")
    return row


def read_png(path):
    """Width, height, kind ("uint16", "grey" or "rgb") and pixels of a PNG, little-endian."""
    data = path.read_bytes()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        raise SystemExit(f"{path}: is no PNG")
    at, packed = 8, []
    while at < len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        if name == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack_from(">IIBBBBB", data, at + 8)
        elif name == b"IDAT":
            packed.append(data[at + 8:at + 8 + size])
        at += size + 12
    kind = {(16, 0): "uint16", (8, 0): "grey", (8, 2): "rgb"}.get((depth, colour))
    if kind is None or interlaced:
        raise SystemExit(f"{path}: has {depth} bits and the colour type {colour}: only grey of 8 or 16 bits and RGB are packed")
    step = {"uint16": 2, "grey": 1, "rgb": 3}[kind]
    rows, length = zlib.decompress(b"".join(packed)), width * step
    pixels, before = bytearray(), bytes(length)
    for y in range(height):
        start = y * (length + 1)
        before = unfiltered(rows[start], bytearray(rows[start + 1:start + 1 + length]), before, step)
        pixels += before
    if kind == "uint16":
        pixels[0::2], pixels[1::2] = pixels[1::2], pixels[0::2]
    return width, height, kind, bytes(pixels)


def grey(image):
    """A picture in the grey that kinema makes of colours (src/core/grey_pixel.h)."""
    width, height, kind, pixels = image
    if kind == "rgb":
        colours = zip(pixels[0::3], pixels[1::3], pixels[2::3])
        pixels = bytes([(9798 * r + 19235 * g + 3735 * b + 16384) >> 15 for r, g, b in colours])
    return width, height, "grey", pixels


def pictures(folder):
    found = {int(match[1]): path for path in folder.iterdir() if (match := NUMBER.search(path.name))}
    return dict(sorted(found.items()))


def pack(folder, out, most):
    """Packs one recording; one that is packed already stays."""
    if (out / PACKED).exists():
        return f"{out}: is packed already"
    out.mkdir(parents=True, exist_ok=True)
    for name in BESIDE:
        if (folder / name).exists():
            shutil.copy(folder / name, out / name)
    if (folder / "points").is_dir():
        shutil.copytree(folder / "points", out / "points", dirs_exist_ok=True)
        return f"{out}: point clouds, copied"
    camera = json.loads((folder / "camera.json").read_text())
    header = {"kinema": 1, **{name: camera[name] for name in ("width", "height", "fx", "fy", "cx", "cy", "fps")}}
    sides = ["left", "right"] if (folder / "left").is_dir() else ["depth"]
    for name in ("baseline",) if sides[0] == "left" else ("depth_scale", "distortion"):
        if name in camera:
            header[name] = camera[name]
    frames = [pictures(folder / side) for side in sides]
    numbers = [number for number in frames[0] if all(number in of for of in frames)][:most]
    if not numbers:
        raise SystemExit(f"{folder}: holds no frames in {' and '.join(sides)}")
    part = out / (PACKED + ".partial")
    with lzma.open(part, "wb", preset=2) as stream:
        for number in numbers:
            images = [read_png(of[number]) for of in frames]
            if len(sides) == 2:
                images = [grey(image) for image in images]
            if number == numbers[0]:
                header.update(pair=images[0][2]) if len(sides) == 2 else header.update(depth=images[0][2])
                stream.write(json.dumps(header).encode() + b"\n")
            stream.write(json.dumps({"time": number / header["fps"], "frame": number}).encode() + b"\n")
            for width, height, kind, pixels in images:
                if (width, height) != (header["width"], header["height"]) or kind != header[("depth", "pair")[len(sides) - 1]]:
                    raise SystemExit(f"{folder}: frame {number} has {width} x {height} pixels as {kind}, not as the first")
                stream.write(pixels)
        stream.write(b'{"end":true}\n')
    part.rename(out / PACKED)
    return f"{out}: {len(numbers)} frames, {(out / PACKED).stat().st_size / 1e6:.1f} MB"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", nargs="+", type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--frames", type=int, help="at most, of each")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    folders = [path for path in arguments.recordings if (path / "camera.json").exists()]
    if not folders:
        sys.exit("pack_recordings: none of these folders has a camera.json")
    with ProcessPoolExecutor(arguments.jobs) as pool:
        for words in pool.map(pack, folders, [arguments.out / path.name for path in folders], [arguments.frames] * len(folders)):
            print(words, flush=True)


if __name__ == "__main__":
    main()
