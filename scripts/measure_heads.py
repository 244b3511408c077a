#!/usr/bin/python3
"""Which way heads of tracked bodies look, against the truth about realistic people, and of real people who face the camera.

    scripts/measure_heads.py [--shared ../shared] [--work build/heads] [--kinema build/release/kinema] [--options "--face"]

Errors are angles of the rotation from the estimated head to the true one about the head's own axes, in frames in which the
camera sees the side of the face (its direction is within 80 degrees of the camera) and the body is not taken back to front;
"over stated" is the root mean square of errors over their stated deviations. Realistic people are those of PEOPLE, on which no
constant was chosen, or of --list FILE (as people.txt of the shared tools); --own: recordings that are there already. People of
UTD-MHAD face the camera but have no truth: of each recording the median turn of head and chest from the camera is told.
"""

import argparse
import json
import os
import pathlib
import shlex
import subprocess
import sys

import numpy as np
from scipy.spatial.transform import Rotation

# name, clip, start, seconds, body, azimuth, distance, height, tilt, sensor, room
PEOPLE = """\
h-jump    02_04   0.5  2.4  woman  20   3.0  1.2  -   kinect wall,table
h-run     09_01   0.01 1.2  man    30   3.5  1.3  -   tof    wall,table
h-dance   05_02   7.0  2.3  woman  20   2.6  1.2  -   kinect wall,table
h-range   79_22   1.0  2.4  short  0    3.0  1.2  -   tof    wall,table
h-chair   111_09  4.0  2.4  tall   330  3.0  1.2  -   kinect wall,table,stool
h-box     79_08   0.7  2.4  suit   340  2.5  1.3  -   tof    wall,table
h-sit     13_11   1.0  2.4  heavy  15   3.2  1.2  -   kinect wall,table
h-walk    07_02   0.01 2.4  old    20   2.8  1.4  -   kinect wall,table
"""
SEEN = np.cos(np.radians(80))
TO_CAMERA = Rotation.from_quat([1, 0, 0, 0])  # of a body that faces the camera
AXES = ("yaw", "pitch", "roll")


def angles(rotation):
    """Yaw, pitch and roll, degrees."""
    return rotation.as_euler("YXZ", degrees=True)


def chest_of(line):
    """The rotation of the chest of the default skeleton."""
    w, x, y, z = line["rotation"]
    back, spine = line["angles"][:3], line["angles"][3:6]
    rotation = Rotation.from_quat([x, y, z, w])
    for bend, tilt, turn in (back, spine):
        rotation = rotation * Rotation.from_rotvec([bend, 0, tilt]) * Rotation.from_rotvec([0, turn, 0])
    return rotation


def heads(poses):
    """Of each frame with a head: its line, and the head's rotation."""
    for line in map(json.loads, open(poses, encoding="utf-8")):
        if line.get("head"):
            w, x, y, z = line["head"]["rotation"]
            yield line, Rotation.from_quat([x, y, z, w])


def track(kinema, recording, poses, options):
    if not poses.exists():
        poses.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([kinema, "body", "track", "--input", recording, "--out", poses, *options], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return poses


def against_truth(recording, poses):
    """Rows of errors (3) and of stated deviations (3), degrees."""
    truth = np.load(recording / "truth_frames.npz")
    bone = list(truth["names"]).index
    rows = []
    for line, head in heads(poses):
        true = Rotation.from_matrix(truth["rotations"][line["frame"], bone("Head")])
        chest = Rotation.from_matrix(truth["rotations"][line["frame"], bone("Spine1")])
        at = np.array(line["joints"]["head"])
        looks, front = true.apply([0, 0, 1]), chest.apply([0, 0, 1])
        if -looks @ at / np.linalg.norm(at) > SEEN and front @ chest_of(line).apply([0, 0, 1]) > 0:
            nod, turn, tilt = np.degrees(line["head"]["std"])
            rows.append([*angles(head.inv() * true), turn, nod, tilt])
    return np.array(rows).reshape(-1, 6)


def told(name, rows):
    if len(rows) == 0:
        print(f"{name:14s} no frame")
        return
    text = f"{name:14s} {len(rows):4d} frames"
    for i, axis in enumerate(AXES):
        error, stated = rows[:, i], rows[:, 3 + i]
        text += (f" | {axis} median {np.median(np.abs(error)):4.1f}, nine tenths below {np.percentile(np.abs(error), 90):4.1f}, "
                 f"over stated {np.sqrt(np.mean((error / stated) ** 2)):.2f}")
    print(text)


def realistic(arguments):
    maker = arguments.shared / "tools" / "realistic" / "make_all"
    recordings = arguments.own or arguments.work / "recordings"
    if not arguments.own:
        if not maker.exists():
            print(f"skipped: realistic people, {maker} is missing")
            return
        people = arguments.list or arguments.work / "people.txt"
        arguments.work.mkdir(parents=True, exist_ok=True)
        if not arguments.list:
            people.write_text(PEOPLE, encoding="utf-8")
        names = [line.split()[0] for line in people.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
        missing = [name for name in names if not (recordings / name / "truth_frames.npz").exists()]
        if missing:
            subprocess.run([maker, *missing], check=True, stdout=sys.stderr,
                           env={**os.environ, "LIST": str(people), "OUT": str(recordings)})
    every = []
    for recording in sorted(recordings.iterdir()):
        if (recording / "truth_frames.npz").exists():
            poses = track(arguments.kinema, recording, arguments.work / "poses" / f"{recording.name}.jsonl", arguments.options)
            every.append(against_truth(recording, poses))
            told(recording.name, every[-1])
    told("all", np.concatenate(every) if every else [])


def real(arguments):
    data = arguments.shared / "data" / "depth" / "utd_mhad"
    convert = arguments.shared / "tools" / "utd_mhad" / "convert.py"
    if not data.exists() or not convert.exists():
        print(f"skipped: real people, {data} is missing")
        return
    names = sorted(path.name.removesuffix("_depth.mat") for path in (data / "Depth").glob("*_depth.mat"))
    missing = [name for name in names if not (arguments.work / "utd" / name / "camera.json").exists()]
    if missing:
        subprocess.run([convert, "--mat", data, "--out", arguments.work / "utd", *missing], check=True, stdout=sys.stderr)
    turned = []
    for name in names:
        poses = track(arguments.kinema, arguments.work / "utd" / name, arguments.work / "poses" / f"{name}.jsonl",
                      [o for o in arguments.options if o != "--face"])
        rows = np.array([[*angles(TO_CAMERA * head)[:2], *angles(TO_CAMERA * chest_of(line))[:2]] for line, head in heads(poses)])
        if len(rows):
            turned.append(np.median(rows, axis=0))
            print(f"{name:14s} {len(rows):4d} frames | head: yaw {turned[-1][0]:4.0f}, pitch {turned[-1][1]:4.0f} | "
                  f"chest: yaw {turned[-1][2]:4.0f}, pitch {turned[-1][3]:4.0f}")
    away = np.abs(turned)
    print(f"{len(away)} recordings: medians of the head's yaw {np.median(away[:, 0]):.0f} degrees from the camera in the median, "
          f"nine tenths below {np.percentile(away[:, 0], 90):.0f}, at most {away[:, 0].max():.0f}; of its pitch "
          f"{np.median(away[:, 1]):.0f}, {np.percentile(away[:, 1], 90):.0f}, {away[:, 1].max():.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=pathlib.Path, default=pathlib.Path("../shared"))
    parser.add_argument("--work", type=pathlib.Path, default=pathlib.Path("build/heads"))
    parser.add_argument("--kinema", default="build/release/kinema")
    parser.add_argument("--options", type=shlex.split, default=[], help="of `kinema body track`")
    parser.add_argument("--list", type=pathlib.Path, help="other realistic people")
    parser.add_argument("--own", type=pathlib.Path, help="a folder of recordings of realistic people")
    parser.add_argument("--only", choices=["realistic", "real"])
    arguments = parser.parse_args()
    if arguments.only != "real":
        realistic(arguments)
    if arguments.only != "realistic":
        real(arguments)


if __name__ == "__main__":
    main()
