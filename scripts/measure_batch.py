#!/usr/bin/env python3
"""What `kinema batch` gains by running recordings at once: seconds of the same simulated recordings with 1, 4, 8 and 16
jobs at once, in one process and in processes of their own. Prints one JSON object.

    scripts/measure_batch.py build/gpu/kinema --backend cuda [--recordings 16] [--at-once 1,4,8,16]

Every batch must give the same poses, bit for bit. To keep a result, write it to bench/results/batch-<device>.json.
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent


def simulate(options, folder):
    """Recordings of one walk by different people; points need no OpenCV."""

    def one(number):
        call = [options.kinema, "body", "simulate", "--motion", ROOT / "samples/walk.bvh", "--mode", "points",
                "--person", number, "--out", folder / f"{number:02}", "--threads", 1]
        if options.frames:
            call += ["--frames", options.frames]
        subprocess.run([str(word) for word in call], check=True, stdout=subprocess.DEVNULL)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(one, range(options.recordings)))


def poses_of(out):
    """A digest of all poses, without the times that a clock put beside them."""
    digest = hashlib.sha256()
    for path in sorted(out.glob("results/*/poses.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            pose = json.loads(line)
            pose.pop("ms", None)
            digest.update(json.dumps(pose).encode())
    return digest.hexdigest()


def batch(options, recordings, out, at_once, per_process):
    call = [options.kinema, "batch", recordings, "--out", out, "--backend", options.backend, "--at-once", at_once,
            "--per-process", per_process, "--body", options.body, "--json"]
    start = time.monotonic()
    done = subprocess.run([str(word) for word in call], check=False, capture_output=True, text=True)
    seconds = time.monotonic() - start
    if done.returncode != 0 or done.stderr:
        sys.exit(f"measure_batch.py: --at-once {at_once} --per-process {per_process}: {done.stderr}")
    sums = json.loads(done.stdout)
    return {"seconds": round(seconds, 3), "frames": sums["frames"], "found": sums["found"]}, poses_of(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinema", type=pathlib.Path, help="the command")
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--recordings", type=int, default=16)
    parser.add_argument("--frames", type=int, default=0, help="of each, at most [all of the clip]")
    parser.add_argument("--at-once", default="1,4,8,16")
    parser.add_argument("--repeats", type=int, default=3, help="of each batch, in turns; the fastest counts [3]")
    parser.add_argument("--body", default="--lag 15", help="options of kinema body track [--lag 15, its default]")
    options = parser.parse_args()
    options.kinema = options.kinema.resolve()

    rows, poses = {}, set()
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        simulate(options, scratch / "recordings")
        for repeat in range(options.repeats):
            for at_once in map(int, options.at_once.split(",")):
                for per_process in (1, at_once if at_once > 1 else 2):  # 2: several jobs, one after another
                    out = scratch / f"out-{repeat}-{at_once}-{per_process}"
                    row, digest = batch(options, scratch / "recordings", out, at_once, per_process)
                    poses.add(digest)
                    row = {"at_once": at_once, "processes": "one" if per_process > 1 else "one per job", **row}
                    key = (at_once, per_process)
                    if key not in rows or row["seconds"] < rows[key]["seconds"]:
                        rows[key] = row
    alone = rows.get((1, 1))
    for row in rows.values():
        row["frames_per_second"] = round(row["frames"] / row["seconds"], 1)
        if alone:
            row["gain"] = round(alone["seconds"] / row["seconds"], 2)
    devices = json.loads(subprocess.run([options.kinema, "devices", "--json"], check=True, capture_output=True).stdout)
    print(json.dumps({
        "kind": "batch", "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": os.environ.get("KINEMA_COMMIT", ""), "backend": options.backend, "cores": os.cpu_count(),
        "gpus": devices["gpus"], "recordings": options.recordings, "body": options.body,
        "repeats": options.repeats, "same_bits": len(poses) == 1,
        "rows": sorted(rows.values(), key=lambda row: (row["processes"], row["at_once"]))}, indent=1))
    if len(poses) != 1:
        sys.exit("measure_batch.py: the batches gave different poses")


if __name__ == "__main__":
    main()
