#!/usr/bin/env python3
"""Jitter at rest against delay in motion of `body track`, on real Kinect recordings: docs/steady.md and docs/steady.svg.

    /usr/bin/python3 scripts/measure_steady.py [--shared ../shared] [--work build/steady] [--page]

UTD-MHAD (Chen and others, ICIP 2015; 40 recordings of ../shared/data/depth/utd_mhad) is tracked with --lag 0 and a few
values of --rest-cutoff, and with later frames (--lag). What is in --work already is not tracked again. Printed, and with --page
written, are, for recordings of the people that constants were chosen on (subjects 1 and 3) and of the others apart:

  sensor     mm, deviation of the second differences of the wrist (thigh: knee) that wears an inertial sensor, while the
             sensor is calm: as `evaluate.py` of ../shared/tools/utd_mhad has it, median of recordings
  aligned    the same, where the sensor has been calm for 80 ms before and after, by the pictures' clock, which is 0.1 s late
  rest       mm, rms of the second differences along an axis of every joint that the Kinect SDK has within 12 mm for 0.6 s;
             median of joints and recordings
  delay      ms by which joints of limbs faster than 0.3 m/s are behind those of the default lag, which has as many
             frames after as before: least squares of (difference) = -(delay) (velocity)
  gyroscope  ms by which the limb's angular speed is behind the gyroscope's, less that of the default lag; median
  to Kinect  mm to the Kinect SDK's joints, less the median vector of each joint

The SDK's own joints have the same numbers; they are smoothed, and run 1.6 frames ahead of the pictures. Needs python3-scipy and
python3-opencv.
"""

import argparse
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import steady_page

ROOT = Path(__file__).resolve().parent.parent
CUTOFFS = ("0", "2", "1", "0.5")
LAGS = ("15",)
REFERENCE = "lag 15"
CHOSEN_ON = ("s1", "s3")
CLOCK = 0.1  # seconds that the pictures' clock is behind the sensor's


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinema", type=Path, default=ROOT / "build/release/kinema")
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--work", type=Path, default=ROOT / "build/steady", help="recordings and poses, kept")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--page", action="store_true", help="write docs/steady.md and docs/steady.svg")
    return parser.parse_args()


def track(options, names, mat):
    """Poses of every run in --work, as far as they are not there yet."""
    recordings = options.work / "recordings"
    missing = [name for name in names if not (recordings / name / "camera.json").exists()]
    if missing:
        subprocess.run([sys.executable, options.shared / "tools/utd_mhad/convert.py", "--mat", mat, "--out", recordings, *missing],
                       check=True)
    runs = {f"cutoff {value}": ["--lag", "0", "--rest-cutoff", value] for value in CUTOFFS}
    runs |= {f"lag {value}": ["--lag", value] for value in LAGS}

    def one(job):
        run, name = job
        out = options.work / run / f"{name}.jsonl"
        if out.exists():
            return
        out.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([options.kinema, "body", "track", "--input", recordings / name, "--out", out, "--threads", "1", *runs[run]],
                       check=True, capture_output=True)

    with ThreadPoolExecutor(options.jobs) as pool:
        list(pool.map(one, [(run, name) for run in runs for name in names]))
    return runs


class Measure:
    """Of one recording."""

    def __init__(self, evaluate, mat, name):
        import numpy as np
        from scipy.ndimage import gaussian_filter1d, maximum_filter1d, minimum_filter1d
        self.np, self.evaluate = np, evaluate
        _, kinect, self.inertial = evaluate.load(mat, name)
        order = [evaluate.JOINTS[joint] for joint in evaluate.NAMES]
        self.kinect = kinect[:, order]
        self.unshifted = evaluate.load(mat, name, lead=0)[1][:, order]
        self.thigh = int(name.split("_")[0][1:]) > 21
        self.worn = evaluate.AT["right_knee" if self.thigh else "right_wrist"]
        count = len(self.kinect)
        self.fps = evaluate.RATE * count / len(self.inertial)
        self.calm = evaluate.still_frames(self.inertial, count)
        turn = gaussian_filter1d(np.linalg.norm(self.inertial[:, 3:], axis=1), 3) < 12
        turn = minimum_filter1d(turn.astype(int), 9) > 0
        at = ((np.arange(count) + 0.5) / count * len(self.inertial) - CLOCK * evaluate.RATE).astype(int)
        self.aligned = self.thrice(turn[np.clip(at, 0, len(turn) - 1)] & (at >= 0))
        window = 2 * max(2, round(0.3 * self.fps)) + 1
        extent = maximum_filter1d(self.kinect, window, axis=0) - minimum_filter1d(self.kinect, window, axis=0)
        self.resting = self.thrice(np.linalg.norm(extent, axis=2) < 0.012)

    @staticmethod
    def thrice(mask):
        return mask[:-2] & mask[1:-1] & mask[2:]

    def of(self, joints, reference):
        np, evaluate = self.np, self.evaluate
        second = 1000 * np.diff(joints, 2, axis=0)
        result = {}
        for key, mask in (("sensor", self.calm), ("aligned", self.aligned)):
            if mask.sum() >= 5:
                result[key] = second[mask][:, self.worn].std()
        result["rest"] = [np.sqrt((second[mask, j] ** 2).mean()) for j, mask in enumerate(self.resting.T) if mask.sum() >= 10]
        velocity = np.gradient(reference, 1 / self.fps, axis=0)[:, evaluate.LIMBS]
        error = (joints - reference)[:, evaluate.LIMBS]
        error = error - np.median(error, 0)
        fast = (np.linalg.norm(velocity, axis=2) > 0.3) & (np.linalg.norm(error, axis=2) < 0.15)
        result["behind"] = -(error * velocity).sum(2)[fast].sum(), (velocity ** 2).sum(2)[fast].sum()
        result["gyroscope"] = 1000 * (self.shift(joints) - self.shift(reference))
        away = joints - self.kinect
        result["kinect"] = 1000 * np.linalg.norm(away - np.median(away, 0), axis=2).mean()
        return result

    def shift(self, joints):
        """Seconds by which the limb's angular speed is behind the gyroscope's, to a fraction of a sample."""
        np, evaluate = self.np, self.evaluate
        ends = ("right_hip", "right_knee") if self.thigh else ("right_elbow", "right_wrist")
        count = len(self.inertial)
        at = (np.arange(count) + 0.5) / count * len(joints) - 0.5
        limb = joints[:, evaluate.AT[ends[1]]] - joints[:, evaluate.AT[ends[0]]]
        limb = np.stack([np.interp(at, np.arange(len(joints)), axis) for axis in limb.T], 1)
        limb = evaluate.lowpass(limb, 0.06)
        limb /= np.linalg.norm(limb, axis=1, keepdims=True)
        speed = evaluate.lowpass(np.linalg.norm(np.gradient(limb, 1 / evaluate.RATE, axis=0), axis=1), 0.1)
        gyroscope = evaluate.lowpass(np.linalg.norm(self.inertial[:, 3:], axis=1), np.hypot(0.1, 0.06))
        n = 15
        fits = [evaluate.correlation(speed[n + k:count - n + k], gyroscope[n:count - n]) for k in range(-n, n + 1)]
        best = min(max(int(np.argmax(fits)), 1), 2 * n - 1)
        low, mid, high = fits[best - 1:best + 2]
        curve = low - 2 * mid + high
        return (best - n + (0.5 * (low - high) / curve if curve < 0 else 0)) / evaluate.RATE


def row(np, measured):
    """Numbers of a run over recordings."""
    behind = np.array([m["behind"] for m in measured]).sum(0)
    return {"sensor": np.median([m["sensor"] for m in measured if "sensor" in m]),
            "aligned": np.median([m["aligned"] for m in measured if "aligned" in m]),
            "rest": np.median(np.concatenate([m["rest"] for m in measured])) / np.sqrt(3),
            "delay": 1000 * behind[0] / behind[1],
            "gyroscope": np.median([m["gyroscope"] for m in measured]),
            "kinect": np.mean([m["kinect"] for m in measured])}


def main():
    options = parse()
    mat = options.shared / "data/depth/utd_mhad"
    if not mat.exists():
        sys.exit(f"{mat}: is not there; --shared names the folder of recordings")
    sys.path.insert(0, str(options.shared / "tools/utd_mhad"))
    import evaluate
    import numpy as np
    names = sorted(path.name.removesuffix("_depth.mat") for path in (mat / "Depth").glob("*_depth.mat"))
    runs = track(options, names, mat)

    def poses(run, name):
        return evaluate.filled(evaluate.read_poses(options.work / run / f"{name}.jsonl")[0])

    measures = {name: Measure(evaluate, mat, name) for name in names}
    references = {name: poses(REFERENCE, name) for name in names}
    tables = {}
    for half, chosen in (("others", False), ("chosen on", True)):
        part = [name for name in names if (name.split("_")[1] in CHOSEN_ON) == chosen]
        tables[half] = {run: row(np, [measures[n].of(poses(run, n), references[n]) for n in part]) for run in runs}
        tables[half]["Kinect"] = row(np, [measures[n].of(measures[n].unshifted, references[n]) for n in part])
    print(steady_page.text(tables))
    if options.page:
        steady_page.write(ROOT / "docs", tables)


if __name__ == "__main__":
    main()
