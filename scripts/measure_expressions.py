#!/usr/bin/env python3
"""Blinks and the pitch at rest on real clips, and expressions on drawn films, as a table: `kinema face fit` or `kinema track`
against labels made by eye, or truth.jsonl.

  scripts/measure_expressions.py --clips ../shared/data                  all clips of tests/accuracy/blinks.json
  scripts/measure_expressions.py --clips ../shared/data --only default.wmv --kinema build/release/kinema --verb track
  scripts/measure_expressions.py --films film1 film2                     films of kinema face film

A blink is found if both lids reach 0.8 in one of its frames or the next one. Frames within a quarter of a second of a blink, and
those whose eyes are neither open nor closed, say nothing about open eyes; a false blink is a run of frames with a lid above 0.5
elsewhere. The clips are not part of kinema: those that are absent are left out.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LABELS = ROOT / "tests" / "accuracy" / "blinks.json"
LIDS = ("eyeBlinkLeft", "eyeBlinkRight")
FOUND, OPEN, FALSE = 0.8, 0.15, 0.5


def estimates(kinema, verb, clip, more=()):
    """Expressions and pitch by frame."""
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.jsonl"
        command = [kinema, *verb, "--input", clip, "--out", out, *more]
        if verb == ["face", "fit"] and clip.is_dir():
            command.append("--sequence")
        subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
        lines = map(json.loads, out.read_text(encoding="utf-8").splitlines())
        return {line["frame"]: line["head"] for line in lines if line.get("head") and line.get("points")}


def within(frame, ranges, margin=0):
    return any(first - margin <= frame <= last + margin for first, last in ranges)


def runs(frames):
    """Frames in runs without gaps of more than five."""
    together = []
    for frame in sorted(frames):
        if together and frame - together[-1][-1] <= 5:
            together[-1].append(frame)
        else:
            together.append([frame])
    return together


def measure(heads, closed, doubtful, margin=6):
    """What the table shows, of the expressions of one clip."""
    lids = {frame: [head["expression"][lid] for lid in LIDS] for frame, head in heads.items()}
    seen = [blink for blink in closed if any(frame in lids for frame in range(blink[0], blink[1] + 1))]

    def peak(blink):
        frames = [lids[frame] for frame in range(blink[0], blink[1] + 2) if frame in lids]
        return min(max(values) for values in zip(*frames))

    peaks = {tuple(blink): peak(blink) for blink in seen}
    rest = {frame: values for frame, values in lids.items()
            if not within(frame, closed, margin) and not within(frame, doubtful, margin)}
    return {
        "blinks": len(seen), "peaks": peaks, "found": sum(value >= FOUND for value in peaks.values()),
        "open frames": len(rest), "open": sum(max(values) <= OPEN for values in rest.values()) / max(1, len(rest)),
        "open lids": statistics.fmean(value <= OPEN for values in rest.values() for value in values) if rest else 0,
        "false": len(runs(frame for frame, values in rest.items() if max(values) > FALSE)),
        "pitch": statistics.median(head["pitch"] for head in heads.values()),
        "from rest": statistics.median(head["pitch"] - head.get("rest_angles", [0, 0, 0])[1] for head in heads.values()),
    }


def measure_film(heads, folder):
    """The same of a drawn film: errors of all weights, and blinks where the drawn lids shut."""
    lines = map(json.loads, (folder / "truth.jsonl").read_text(encoding="utf-8").splitlines())
    truth = {line["frame"]: line["head"]["expression"] for line in lines}
    shut = [[run[0], run[-1]] for run in runs(frame for frame, true in truth.items() if true[LIDS[0]] > 0.8)]
    row = measure(heads, shut, [])
    names = next(iter(truth.values()))
    row["errors"] = {name: statistics.fmean(abs(head["expression"][name] - truth[frame][name])
                                            for frame, head in heads.items()) for name in names}
    return row


def print_films(arguments, more):
    print("| film | mean error | blinks ≥ 0.8 | open lids ≤ 0.15 | false blinks | largest errors |")
    print("| --- | --- | --- | --- | --- | --- |")
    for film in arguments.films:
        row = measure_film(estimates(arguments.kinema, arguments.verb.split(), film, more), film)
        worst = sorted(row["errors"].items(), key=lambda item: -item[1])[:3]
        print(f"| {film.name} | {statistics.fmean(row['errors'].values()):.3f} | {row['found']} of {row['blinks']} | "
              f"{100 * row['open lids']:.1f} % | {row['false']} | "
              + ", ".join(f"{name} {error:.2f}" for name, error in worst) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=pathlib.Path, help="the folder with the clips' paths below it")
    parser.add_argument("--films", type=pathlib.Path, nargs="+", help="folders of drawn films")
    parser.add_argument("--kinema", default=ROOT / "build" / "release" / "kinema")
    parser.add_argument("--verb", default="face fit", choices=("face fit", "track"))
    parser.add_argument("--only", default="", help="names of clips, separated by commas")
    arguments, more = parser.parse_known_args()
    if not arguments.clips and not arguments.films:
        parser.error("give --clips or --films")
    if arguments.films:
        print_films(arguments, more)
    if not arguments.clips:
        return
    labels = json.loads(LABELS.read_text(encoding="utf-8"))
    print("| clip | blinks ≥ 0.8 | least peak | frames with both eyes ≤ 0.15 of open ones | lids | false blinks | pitch | from rest |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, label in labels.items():
        if arguments.only and name not in arguments.only.split(","):
            continue
        clip = arguments.clips / label["path"]
        if not clip.exists():
            print(f"measure_expressions: {clip} is not there: left out", file=sys.stderr)
            continue
        row = measure(estimates(arguments.kinema, arguments.verb.split(), clip, more), label["closed"], label["doubtful"])
        print(f"| {name} | {row['found']} of {row['blinks']} | {min(row['peaks'].values(), default=0):.2f} | "
              f"{100 * row['open']:.1f} % of {row['open frames']} | {100 * row['open lids']:.1f} % | {row['false']} | "
              f"{row['pitch']:+.1f}° | {row['from rest']:+.1f}° |", flush=True)
        missed = [f"{first}–{last} ({value:.2f})" for (first, last), value in row["peaks"].items() if value < FOUND]
        if missed:
            print(f"measure_expressions: {name}: missed {', '.join(missed)}", file=sys.stderr)


if __name__ == "__main__":
    main()
