#!/usr/bin/python3
"""How well several people are followed (docs/people.md): who is missed, invented or taken for another, joints and deviations.

    scripts/people/measure.py --scenes DIR [--work build/people] [--kinema build/release/kinema] [--only NAMES] [--seeds 1]
    scripts/people/measure.py --single DIR        recordings of one person: frames with more than one, which are wrong
    scripts/people/measure.py --mat DIR           compositions of two real recordings of UTD-MHAD (Depth/, Skeleton/ below DIR)

DIR of --scenes and --single has recordings with truth.jsonl in folders of their names, as make_scene and make_all of
--tools write them. What is absent is skipped, and said. Poses that --work has are not made again: for another build of kinema take
another folder. A composition is no recording: two people who were recorded alone are moved, one behind the other, and the
nearer hides the farther; they do not know of each other. Its references are the Kinect SDK's joints, which lie elsewhere in
the body: errors are less one constant offset for each joint of each person.

people, missed, false, switches, IDF1, error, in100, norm: as measure_scenes of --tools has them, of people of whom 30 % is seen;
hidden: norm of those of whom less is seen. A mean square of errors over stated deviations is honest from 0.5 to 2.
"""
import argparse
import importlib.machinery
import importlib.util
import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent

def load(path, name):
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def track(options, recording, name, seed):
    """The poses of everybody in a recording."""
    poses = options.work / "poses" / f"{name}-{seed}.jsonl"
    if poses.exists():
        return poses
    poses.parent.mkdir(parents=True, exist_ok=True)
    command = [options.kinema, "body", "track", "--input", recording, "--people", "all", "--threads", "1", "--particles", "100",
               "--points", "3000", "--seed", seed, "--out", poses]
    done = subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{recording}: {done.stderr.strip()}")
    return poses


def pairs_of(measure, truth, poses, seen):
    """(number, person, errors by joint, deviations) of the matched; `seen`: whether of those asked for or of the others."""
    poses = measure.by_frame(poses)
    for frame, people in measure.by_frame(truth).items():
        found = poses.get(frame, [])
        for i, j in measure.assign(measure.distances(people, found), 0.5):
            person, estimate = people[i], found[j]
            if (person[3] >= 0.3) != seen:
                continue
            names = [n for n in person[1] if estimate[1].get(n)]
            yield (person[0], {n: np.subtract(estimate[1][n], person[1][n]) for n in names}, estimate[2])


def less_offsets(measure, truth, poses):
    """Errors in metres, those of each joint of each person less their median."""
    ways = defaultdict(list)
    for person, errors, _ in pairs_of(measure, truth, poses, True):
        for name, error in errors.items():
            ways[person, name].append(error)
    rest = [np.linalg.norm(np.array(x) - np.median(x, axis=0), axis=1) for x in ways.values()]
    return np.concatenate(rest) if rest else np.zeros(0)


def table(options, measure, recordings, offsets):
    print(f'{"scene":16s} {"seed":>4s} {"frames":>6s} {"people":>6s} {"missed":>7s} {"false":>7s} {"switches":>8s} {"IDF1":>6s} '
          f'{"error":>6s} {"in100":>6s} {"norm":>6s} {"hidden":>7s}')
    total, all_errors, all_squares, all_hidden = defaultdict(int), [], [], []

    def row(name, seed, n, errors, squares, hidden):
        s = measure.summary(n, errors, squares)
        mean = lambda x, form: format(x.mean(), form) if len(x) else "-"  # noqa: E731
        print(f'{name:16s} {seed:>4s} {n["frames"]:6d} {n["people"]:6d} {n["missed"] / max(1, n["people"]):7.1%} '
              f'{n["false"] / max(1, n["people"]):7.1%} {n["switches"]:8d} {s["idf1"] or 0:6.3f} {mean(1000 * errors, "6.1f"):>6s} '
              f'{mean(errors < 0.1, "6.1%"):>6s} {mean(squares, "6.2f"):>6s} {mean(hidden, "7.2f"):>7s}', flush=True)

    for name, recording in recordings.items():
        for seed in options.seeds.split(","):
            poses = track(options, recording, name, seed)
            truth = recording / "truth.jsonl"
            n, errors, squares = measure.score(truth, poses, 0.3, 0.5)
            if offsets:
                errors, squares = less_offsets(measure, truth, poses), np.zeros(0)
            hidden = np.array([e @ e / (3 * std[k] ** 2) for _, each, std in pairs_of(measure, truth, poses, False)
                               for k, e in each.items() if std.get(k)])
            row(name, seed, n, errors, squares, hidden)
            for key, value in n.items():
                total[key] += value
            all_errors.append(errors), all_squares.append(squares), all_hidden.append(hidden)
    if len(all_errors) > 1:
        row("total", "", total, *(np.concatenate(x) for x in (all_errors, all_squares, all_hidden)))


def singles(options, recordings):
    wrong = 0
    for name, recording in recordings.items():
        frames = defaultdict(int)
        for line in map(json.loads, track(options, recording, name, "1").open()):
            frames[line["frame"]] += line.get("person") is not None
        more = sum(count > 1 for count in frames.values())
        wrong += more
        none = sum(count == 0 for count in frames.values())
        print(f"{name}: {len(frames)} frames, {more} with a second person, {none} without anybody", flush=True)
    print(f"a second person in {wrong} frames of {len(recordings)} recordings")


def recordings_in(folder, only):
    found = {p.parent.name: p.parent for p in sorted(folder.glob("*/truth.jsonl"))} if folder else {}
    return {n: p for n, p in found.items() if not only or n in only.split(",")}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=Path)
    parser.add_argument("--single", type=Path)
    parser.add_argument("--mat", type=Path)
    parser.add_argument("--tools", type=Path, default=ROOT.parent / "shared/tools")
    parser.add_argument("--work", type=Path, default=ROOT / "build/people")
    parser.add_argument("--kinema", type=Path, default=ROOT / "build/release/kinema")
    parser.add_argument("--only")
    parser.add_argument("--seeds", default="1")
    options = parser.parse_args()
    script = options.tools / "realistic/measure_scenes"
    if not script.exists() or not options.kinema.exists():
        raise SystemExit(f"skipped: {script if not script.exists() else options.kinema} is absent")
    measure = load(script, "measure_scenes")
    for folder in (options.scenes, options.single):
        if folder and not recordings_in(folder, options.only):
            print(f"skipped: {folder} has no recordings with truth.jsonl", file=sys.stderr)
    if found := recordings_in(options.scenes, options.only):
        table(options, measure, found, False)
    if found := recordings_in(options.single, options.only):
        singles(options, found)
    if options.mat and not (options.mat / "Depth").exists():
        print(f"skipped: {options.mat}/Depth is absent", file=sys.stderr)
    elif options.mat:
        from compose import COMPOSITIONS, compose  # needs OpenCV
        convert = load(options.tools / "utd_mhad/convert.py", "convert")
        made = options.work / "compositions"
        for name in COMPOSITIONS:
            if not (made / name / "truth.jsonl").exists():
                compose(convert, options.mat, name, made / name)
        table(options, measure, recordings_in(made, options.only), True)


if __name__ == "__main__":
    main()
