#!/usr/bin/env python3
"""Disparities of kinema's matcher and of OpenCV's on pairs whose true depth is known: how many, how wrong, how precise.

    scripts/measure_stereo.py RECORDING ... [--every 12] [--out FILE.json] [--backend cpu] [--pictures DIR]

A recording has left/, right/ and depth_true/ (16 bits, mm) beside camera.json, and mask/ (0: not the person). A disparity is wrong
where its depth is off by more than 8 cm and 3 %. The border is what lies within 10 pixels of the person; "at the person" counts
pixels off the person that are measured within 30 cm of its depth, though they are more than 15 cm behind. z is the
median of errors over stated deviations, of those on the person that are not wrong, in units of a normal distribution's: 1 is
true. Times are of whole pictures, one after the other in one run, medians. Needs the Python package kinema, NumPy and OpenCV.
"""

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import cv2
import numpy as np

import kinema
import kinema.body
import kinema.stereo

MEDIAN = 0.6745  # of the absolute values of a normal distribution


class Kinema:
    def __init__(self, camera, backend):
        view = kinema.body.Camera(*(camera[k] for k in ("width", "height", "fx", "fy", "cx", "cy")))
        self.matcher = kinema.stereo.Matcher(view, camera["baseline"], backend=backend)

    def match(self, left, right):
        return self.matcher.match(left, right)


class Opencv:
    """Semi-global block matching; mode 1 has eight directions, as kinema's matcher does, mode 0 five."""

    def __init__(self, disparities, side, mode):
        self.matcher = cv2.StereoSGBM_create(0, disparities, side, 8 * side**2, 32 * side**2, 1, 31, 10, 100, 2, mode)

    def match(self, left, right):
        disparity = self.matcher.compute(left, right).astype(np.float32) / 16
        return np.maximum(disparity, 0), None


def grey(path, flags=cv2.IMREAD_GRAYSCALE):
    picture = cv2.imread(str(path), flags)
    if picture is None:
        sys.exit(f"{path}: is not a picture")
    return picture


class Count:
    def __init__(self):
        self.pixels = {zone: 0 for zone in ("person", "border", "background")}
        self.known, self.wrong = dict(self.pixels), dict(self.pixels)
        self.errors, self.ratios, self.at_person, self.border_at_person, self.times, self.frames = [], [], 0, 0, [], 0

    def add(self, disparity, deviation, truth, person, product):
        near = cv2.dilate(person.astype(np.uint8), cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (21, 21))) > 0
        zones = {"person": person, "border": near & ~person, "background": ~near}
        known = (disparity > 0) & (truth > 0)
        depth = np.where(known, product / np.maximum(disparity, 1e-3), 0)
        wrong = known & (np.abs(depth - truth) > np.maximum(0.08, 0.03 * truth))
        for zone, where in zones.items():
            self.pixels[zone] += int(where.sum())
            self.known[zone] += int((known & where).sum())
            self.wrong[zone] += int((wrong & where).sum())
        right = known & person & ~wrong
        error = np.abs(disparity - np.where(truth > 0, product / np.maximum(truth, 1e-3), 0))[right]
        self.errors.append(error)
        if deviation is not None:
            self.ratios.append(error / deviation[right])
        if person.any():
            like = known & ~person & (np.abs(depth - np.median(truth[person])) < 0.3) & (truth - depth > 0.15)
            self.at_person += int(like.sum())
            self.border_at_person += int((like & near).sum())
        self.frames += 1

    def row(self):
        share = lambda a, b: 100 * a / max(1, b)  # noqa: E731
        return {
            "known": {z: share(self.known[z], self.pixels[z]) for z in self.pixels},
            "wrong": {z: share(self.wrong[z], self.known[z]) for z in self.pixels},
            "error_px": float(np.median(np.concatenate(self.errors))) / MEDIAN,
            "z": float(np.median(np.concatenate(self.ratios))) / MEDIAN if self.ratios else None,
            "at_person": self.at_person / max(1, self.frames),
            "border_at_person": self.border_at_person / max(1, self.frames),
            "ms": 1000 * statistics.median(self.times),
        }


def picture_of(disparity, product):
    depth = np.where(disparity > 0, product / np.maximum(disparity, 1e-3), 0)
    colours = cv2.applyColorMap((255 - np.clip(depth / 8 * 255, 0, 255)).astype(np.uint8), cv2.COLORMAP_TURBO)
    colours[depth == 0] = 0
    return colours


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("recordings", nargs="+", type=Path)
    options.add_argument("--every", type=int, default=12, help="frames from one that counts to the next")
    options.add_argument("--backend", default="cpu")
    options.add_argument("--out", type=Path)
    options.add_argument("--pictures", type=Path, help="a folder for the depth of each recording's middle frame")
    options = options.parse_args()

    counts = {}
    for recording in options.recordings:
        camera = json.loads((recording / "camera.json").read_text())
        product = camera["fx"] * camera["baseline"]
        most = int(-(-product / 0.6 // 32) * 32)  # kinema's own limit
        matchers = {
            "kinema": Kinema(camera, options.backend),
            "SGBM, 5 x 5, eight directions": Opencv(most, 5, cv2.STEREO_SGBM_MODE_HH),
            "SGBM, 5 x 5, five directions": Opencv(most, 5, cv2.STEREO_SGBM_MODE_SGBM),
        }
        frames = sorted((recording / "left").glob("*.png"))[:: options.every]
        tiles = []
        for number, path in enumerate(frames):
            print(f"\r{recording.name}: {number + 1} of {len(frames)} ", end="", file=sys.stderr, flush=True)
            left, right = grey(path), grey(recording / "right" / path.name)
            truth = grey(recording / "depth_true" / path.name, cv2.IMREAD_UNCHANGED) / 1000
            person = grey(recording / "mask" / path.name) > 0
            for name, matcher in matchers.items():
                count = counts.setdefault(name, Count())
                start = time.perf_counter()
                disparity, deviation = matcher.match(left, right)
                count.times.append(time.perf_counter() - start)
                count.add(disparity, deviation, truth, person, product)
                if number == len(frames) // 2:
                    tiles.append(picture_of(disparity, product))
        print(file=sys.stderr)
        if options.pictures:
            options.pictures.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(options.pictures / f"{recording.name}.png"), np.hstack(tiles))

    rows = {name: count.row() for name, count in counts.items()}
    print("| matcher | known, % (person, border, background) | wrong, % of these | error on the person, px | z | "
          "at the person, px a frame (border) | ms |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name, row in rows.items():
        zones = lambda of: ", ".join(f"{row[of][z]:.1f}" for z in ("person", "border", "background"))  # noqa: E731
        z = "" if row["z"] is None else f"{row['z']:.2f}"
        print(f"| {name} | {zones('known')} | {zones('wrong')} | {row['error_px']:.3f} | {z} | {row['at_person']:.0f} "
              f"({row['border_at_person']:.0f}) | {row['ms']:.0f} |")
    if options.out:
        options.out.write_text(json.dumps({"recordings": [r.name for r in options.recordings], "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
