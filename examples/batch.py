"""Tracks all recordings of a folder, several at once, into one table each:

    python3 batch.py RECORDINGS TABLES

Each recording is a folder with a camera.json. One that fails is reported, and the others go on.
"""

import multiprocessing
import os
import pathlib
import sys

import kinema
from kinema import body


def track(recording, table):
    """The share of frames in which the person was found. Runs in a process of its own."""
    found = count = 0
    poses = None
    for pose in body.track(recording, backend="cpu", threads=1):
        if poses is None:
            poses = body.PosesWriter(table, pose.skeleton)
        poses.add(pose)
        found += pose.found
        count += 1
    if poses is not None:
        poses.commit()
    return found / max(1, count)


def main(recordings, tables):
    tables.mkdir(parents=True, exist_ok=True)
    folders = sorted(path.parent for path in recordings.glob("*/camera.json"))
    # a fresh interpreter for each: threads of kinema do not survive a fork
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        jobs = [(folder, pool.apply_async(track, (folder, tables / f"{folder.name}.csv"))) for folder in folders]
        failed = 0
        for folder, job in jobs:
            try:
                print(f"{folder.name}: found in {job.get():.0%} of the frames")
            except kinema.Error as error:
                print(f"{folder.name}: {error}", file=sys.stderr)
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
