#!/usr/bin/env python3
"""Figure 1 of the body paper: points of a stereo pair and the skin that was found, of a recording, as numbers.

    PYTHONPATH=build/release/python scripts/papers/measure_scene.py pair --frame 12 --out bench/results/paper-scene.json

RECORDING is a folder of rectified pairs. Up to FRAME they are tracked as `kinema body track` does; then scripts/make_papers_md.py
draws the points that the person was cut out as, and the capsules, into docs/papers/body.md.
"""

import argparse
import json
from pathlib import Path

import kinema.body
import kinema.io
import numpy as np

MOST, LEVELS = 4000, 11  # points that are shown, and colours of depth
BORDER = 12  # pixels


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recording")
    parser.add_argument("--frame", type=int, default=10)
    parser.add_argument("--what", default="", help="what the recording shows, in a sentence")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    recording = kinema.io.open_recording(options.recording)
    camera = recording.camera
    tracker = kinema.body.Tracker(camera=camera, baseline=recording.baseline, points=50000)
    # the filter alone, on what the tracker cut out: it tells its capsules
    skin = kinema.body.Filter(camera=camera, points=50000)
    for frame in recording[:options.frame + 1]:
        estimate = tracker.track(frame)
        points, marks = tracker.points
        skin.track(frame.time, points, marks)
    if not estimate.found or skin.skin is None:
        raise SystemExit(f"measure_scene: nobody was found in frame {options.frame}: {estimate.why}")
    person = points[~marks]
    shown = person[::max(1, -(-len(person) // MOST))]

    def seen(p):
        return np.stack([camera.fx * p[:, 0] / p[:, 2] + camera.cx, camera.fy * p[:, 1] / p[:, 2] + camera.cy], axis=1)

    at = seen(shown)
    depth = shown[:, 2]
    near, far = np.quantile(depth, [0.02, 0.98])
    level = np.clip((depth - near) / max(far - near, 1e-3) * (LEVELS - 1), 0, LEVELS - 1).round().astype(int)
    capsules = skin.skin
    ends = [np.column_stack([seen(capsules[:, end:end + 3]), camera.fx * capsules[:, 3] / capsules[:, end + 2]]) for end in (0, 4)]
    outlines = np.hstack(ends)
    low = np.minimum(at.min(0), outlines[:, [0, 1]].min(0)) - BORDER
    size = np.maximum(at.max(0), outlines[:, [0, 1]].max(0)) + BORDER - low
    text = (f"{options.what} Shown are {len(shown):,} of the {len(person):,} points that were cut out as the person's, red near and blue "
            f"far ({near:.2f} to {far:.2f} m), and the {len(capsules)} capsules.")
    options.out.write_text(json.dumps({
        "kind": "paper scene", "text": text.strip(), "box": [round(float(x), 1) for x in (*low, *size)],
        "points": [at[level == i].round().astype(int).tolist() for i in range(LEVELS)], "outlines": [[round(float(x), 1) for x in row] for row in outlines]}) + "\n")


if __name__ == "__main__":
    main()
