#!/usr/bin/env python3
"""Tries the walls of kinema: signals at random moments, full disks, strangers at its ports, damaged files and bombs.

    hostile.py KINEMA [--runs N] [--only WORDS] [--keep DIR]

A table at the end says for each case how much was tried, and what was wrong; exit code 1 if anything was. Everything
happens in a folder of its own, and on the loopback interface. It takes minutes.
"""

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import disks  # noqa: E402
import files  # noqa: E402
import kills  # noqa: E402
import senders  # noqa: E402
from commands import Kinema  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def prepare(kinema):
    """The recordings, films and models that the cases need: short ones."""
    (kinema.folder / "clip.bvh").write_bytes((ROOT / "samples/walk.bvh").read_bytes())
    for name, mode, frames in [("walk", "points", 40), ("short", "points", 2), ("depth", "depth", 3)]:
        kinema.need(["body", "simulate", "--motion", "clip.bvh", "--mode", mode, "--frames", frames, "--out", name])
    for i in range(30):
        shutil.copytree(kinema.folder / "short", kinema.folder / f"recordings/{i:02}")
    kinema.need(["face", "film", "--frames", 12, "--width", 240, "--height", 180, "--resting", "--out", "film"])
    kinema.need(["head", "calibrate", "--input", "film", "--oval", "120,90,30,40", "--out", "filter.json"])
    kinema.need(["face", "train", "--drawn", 12, "--small", "--out", "m.kface"])
    kinema.need(["body", "track", "--input", "walk", "--out", "poses.jsonl", "--frames", 5, *kills.CHEAP])
    (kinema.folder / "pose.json").write_text((kinema.folder / "poses.jsonl").read_text().splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinema", help="the command")
    parser.add_argument("--runs", type=int, default=100, help="how often each verb is killed, and so on [100]")
    parser.add_argument("--only", default="", help="cases whose names hold these words")
    parser.add_argument("--keep", type=Path, help="an empty folder to work in, which stays")
    given = parser.parse_args()
    seeds = ROOT / "tests/fuzz/seeds"
    cases = {"body track, killed": kills.body_track, "record, killed": kills.record, "batch, killed": kills.batch,
             "face fit, killed": kills.face_fit, "files that cannot grow": disks.limited_files,
             "a disk that is full": disks.full_disk, "strangers at a port": senders.waiting_run,
             "idle connections": senders.idle_connections, "mutated streams": senders.streams,
             "mutated messages": lambda kinema, runs: senders.messages(kinema, runs, seeds),
             "mutated models": files.damaged, "bombs": files.bombs}
    rows, faults = [], []
    with tempfile.TemporaryDirectory(prefix="kinema-hostile-") as scratch:
        kinema = Kinema(given.kinema, given.keep or scratch)
        kinema.folder.mkdir(exist_ok=True)
        prepare(kinema)
        for name, try_it in cases.items():
            if given.only not in name:
                continue
            began = time.monotonic()
            print(f"hostile: {name}", file=sys.stderr)
            case = try_it(kinema, given.runs)
            rows.append((case.name, case.tried, len(case.faults), time.monotonic() - began, ", ".join(case.notes)))
            faults += [f"{case.name}: {fault}" for fault in case.faults]
    print(f"{'case':34} {'tried':>6} {'wrong':>6} {'seconds':>8}")
    for name, tried, wrong, seconds, notes in rows:
        print(f"{name:34} {tried:6} {wrong:6} {seconds:8.0f}  {notes}")
    for fault in faults[:50]:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
