#!/usr/bin/env python3
"""How well `kinema track` finds and follows a head that nobody has shown it, on clips with boxes of the head: the table "Started
without an oval" of docs/person-accuracy.md.

  scripts/measure_person.py                                       all clips of ../shared/data/head
  scripts/measure_person.py --grey                                the same clips without their colours
  scripts/measure_person.py --only otb_boy --first 0 20 40 60     one clip, started at several frames

  within     share of the frames with a box whose centre is at most a quarter of the box's width from that of the oval; a frame in
             which nobody is found is not within
  found      frames with an oval, of all
  first      the first of them, counted from the start
  face       frames with landmarks
  apart      frames whose oval does not hold the mean of its own landmarks
  worst      the largest distance from that mean to the oval's centre, in the oval's radii

The clips are not part of kinema: those that are absent are left out. --grey needs python3-opencv.
"""

import argparse
import json
import math
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
WITHIN = 0.25  # widths of the box
VIDEOS = (".mp4", ".wmv", ".avi", ".mkv")


def clips_in(folder):
    """Name, pictures or video, and boxes (or nothing) of each clip."""
    for place in sorted(folder.iterdir()) if folder.is_dir() else ():
        if (place / "groundtruth_rect.txt").exists():
            yield place.name, place / "img", place / "groundtruth_rect.txt"
        elif place.is_dir():
            yield from ((file.name, file, None) for file in sorted(place.iterdir()) if file.suffix in VIDEOS)


def boxes_of(file, source):
    """Boxes x, y, w, h in pixels from 0, by frame; the pictures of a folder have the numbers of their names."""
    rows = [[float(word) for word in line.split(",")] for line in file.read_text().splitlines() if line.strip()]
    names = sorted(picture.stem for picture in source.iterdir())
    return {int(name): (x - 1, y - 1, width, height) for name, (x, y, width, height) in zip(names, rows)}


def greyed(source, folder, longest):
    """The frames of a clip without their colours."""
    import cv2

    pictures = sorted(source.iterdir()) if source.is_dir() else None
    video = None if pictures else cv2.VideoCapture(str(source))
    for index in range(min(longest, len(pictures)) if pictures else longest):
        frame = cv2.imread(str(pictures[index])) if pictures else video.read()[1]
        if frame is None:
            break
        grey = cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY)
        name = pictures[index].stem if pictures else f"{index:05d}"
        cv2.imwrite(str(folder / f"{name}.png"), cv2.cvtColor(grey, cv2.COLOR_GRAY2BGR))
    return folder


def estimates(options, source, first, name):
    """What the command says, one object per frame from the first."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(options.keep or folder) / f"{name}-{first}.jsonl"
        command = [options.kinema, "track", "--input", source, "--out", out, "--start", first, *options.more.split()]
        if options.frames:
            command += ["--frames", options.frames]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{name}: {done.stderr.strip()}")
        return [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []


def share_off(line, box):
    """Distance of the centres, in widths of the box; nothing where nobody was found."""
    if not line["found"]:
        return None
    x, y, width, height = box
    return math.hypot(line["x"] - (x + (width - 1) / 2), line["y"] - (y + (height - 1) / 2)) / width


def landmarks_off(line):
    """Distance from the oval's centre to the mean of its landmarks, in the oval's radii; nothing without landmarks."""
    points = line.get("points")
    if not points:
        return None
    cx, cy, rx, ry = line["oval"]
    x, y = (sum(point[i] for point in points) / len(points) for i in (0, 1))
    return math.hypot((x - cx) / rx, (y - cy) / ry)


def measure(lines, boxes):
    """What the table shows, of one run."""
    off = [share_off(line, boxes[line["frame"]]) for line in lines if line["frame"] in boxes]
    own = [share for share in map(landmarks_off, lines) if share is not None]
    found = [index for index, line in enumerate(lines) if line["found"]]
    return {
        "frames": len(lines),
        "within": f"{100 * sum(share is not None and share <= WITHIN for share in off) / len(off):.1f} %" if off else "-",
        "found": len(found),
        "first": found[0] if found else "-",
        "face": len(own),
        "apart": sum(share > 1 for share in own),
        "worst": f"{max(own):.2f}" if own else "-",
    }


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinema", type=pathlib.Path, default=ROOT / "build/release/kinema")
    parser.add_argument("--clips", type=pathlib.Path, default=ROOT.parent / "shared/data/head")
    parser.add_argument("--only", nargs="*", help="clips by name")
    parser.add_argument("--grey", action="store_true", help="without their colours")
    parser.add_argument("--first", nargs="*", type=int, default=[0], help="frames at which to start")
    parser.add_argument("--frames", type=int, default=0, help="of each clip, at most; 0: all")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for what the command says of each clip")
    parser.add_argument("--more", default="", help="further options of the command")
    return parser.parse_args()


def main():
    options = parse()
    if options.keep:
        options.keep.mkdir(parents=True, exist_ok=True)
    columns = ("frames", "within", "found", "first", "face", "apart", "worst")
    print("| clip | " + " | ".join(columns) + " |\n| --- |" + " ---: |" * len(columns))
    for name, source, truth in clips_in(options.clips):
        if options.only and name not in options.only:
            continue
        with tempfile.TemporaryDirectory() as folder:
            if options.grey:
                source = greyed(source, pathlib.Path(folder), options.frames or 10000)
            for first in options.first:
                row = measure(estimates(options, source, first, name), boxes_of(truth, source) if truth else {})
                title = name + (f" from {first}" if first else "") + (", grey" if options.grey else "")
                print(f"| {title} | " + " | ".join(str(row[column]) for column in columns) + " |", flush=True)


if __name__ == "__main__":
    main()
