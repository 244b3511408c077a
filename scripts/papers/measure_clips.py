#!/usr/bin/env python3
"""The filter of the body paper at its own operating point, beside the default, on motion-capture clips: speed and accuracy.

    scripts/papers/measure_clips.py walk=clips/02_01.bvh@0:60 --kinema build/gpu/kinema --out paper-clips.json

Each clip becomes a recording of depth images, name=file@seconds:frames, with the person's skeleton; both filters find the person by
the tracker's own search and use no later frame. Kept as bench/results/paper-clips-<device>.json, it goes into docs/papers/body.md.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path


def call(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"measure_clips: {' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="+", metavar="name=file@seconds:frames")
    parser.add_argument("--kinema", default="build/release/kinema")
    parser.add_argument("--backends", default="", help="with commas between; otherwise all that run here")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    # the machine in the words of the benchmarks, from the smallest of them
    told = json.loads(call(options.kinema, "bench", "head", "--tables", "other", "--size", "64x48", "--seconds", 0.01, "--json"))
    backends = options.backends.split(",") if options.backends else ["cuda", "cpu"] if told["machine"]["gpus"] else ["cpu"]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for word in options.clips:
            name, _, rest = word.partition("=")
            path, _, window = rest.partition("@")
            start, _, frames = window.partition(":")
            recording, poses = Path(folder) / name, Path(folder) / f"{name}.jsonl"
            call(options.kinema, "body", "simulate", "--motion", path, "--mode", "depth", "--start", start or 0, "--frames", frames or 0,
                 "--out", recording)
            for backend in backends:
                for filter_, words in (("paper", ["--paper"]), ("default", ["--lag", "0"])):
                    run = json.loads(call(options.kinema, "body", "track", "--input", recording, "--out", poses, "--backend", backend,
                                          "--json", *words))
                    found = json.loads(call(options.kinema, "body", "evaluate", "--poses", poses, "--truth", recording / "truth.jsonl",
                                            "--json"))["results"]
                    rows.append({"clip": name, "backend": backend, "filter": filter_, "frames": run["frames"],
                                 "particles": run["particles"], "layers": run["layers"], "fps": run["fps"], "lost": run["lost"],
                                 "mean_mm": found["mean_mm"], "within": found["within_100mm_of_truth"]})
                    print(rows[-1], file=sys.stderr)
    kept = {key: told[key] for key in ("machine", "build", "commit", "date")}
    options.out.write_text(json.dumps({"kind": "paper clips", **kept, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
