#!/usr/bin/env python3
"""How well the body tracker follows motions: errors, share within 100 mm, normalised error and longest loss of every clip.

Makes recordings with truth from motion-capture clips (depth, points and, of those named with --stereo, pairs), tracks
each with the default settings and several seeds, with the person's skeleton and without it, also with people of other
builds in loose clothes, and writes bench/results/accuracy.json, docs/accuracy.md and docs/deviations.svg.

    scripts/measure_accuracy.py walk=clips/02_01.bvh@0:80 --stereo walk     from 0 s, 80 frames, as depth, points and pairs
    scripts/measure_accuracy.py --page                                     the page again, from the kept results

Subject 141 of the CMU database is left out: in its files the hips are 35 cm apart.

Recordings and runs that the --scratch folder holds are not repeated; for another build of kinema take another folder.
"""

import argparse
import datetime
import json
import math
import os
import platform
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean, median

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results" / "accuracy.json"
PAGE = ROOT / "docs" / "accuracy.md"
PLOT = ROOT / "docs" / "deviations.svg"

# bounds in mm for each kind of recording
GOALS = {"depth": 40, "points": 45, "stereo": 60}

# bound in degrees of the mean error of angles
DEGREES = 7

# the tracker's own choice on two cores, given so that every machine measures the same
SIZE = ["--backend", "cpu", "--threads", "1", "--particles", "100", "--points", "3000"]

# minimum number of later frames used by a pose: the default of the command, given so that the page can state it
LAG = 15

# who is recorded, and what the tracker is told of it
KNOWN, AVERAGE, STRANGER = "known", "average", "stranger"
TITLES = {KNOWN: "known", AVERAGE: "not known", STRANGER: "not known nor average"}

# The joints of the truth that errors are those of.
JOINTS = ["pelvis", "neck", "head"] + [f"{side}_{joint}" for side in ("left", "right")
                                       for joint in ("shoulder", "elbow", "wrist", "hip", "knee", "ankle")]

# limits of the classes of stated deviations, mm, and the fewest joints of one that is shown
FEWEST = 100
CLASSES = [0, 8, 11, 16, 23, 32, 45, 64, math.inf]

TEXT = """\
<!-- Made by scripts/measure_accuracy.py from bench/results/accuracy.json; changes made here by hand are lost. -->
# How well motions are followed

{clips} motion-capture clips in front of a simulated sensor with its usual noise, at 30 frames per second. The tracker finds
each person by its own search and follows it with the default settings ({particles} particles, {points} points).

- **Seeds.** {seeds}
- **Later frames.** Poses are those of the output files, corrected by {lag} to {most_lag} later frames (`--lag {lag}`), fewer at the
  end of a clip. The live page shows the filter's own poses, which have seen none and are worse.
- **Tuning.** Those constants of the tracker that were tuned ([constants.md](constants.md)) were tuned on these clips, or on
  recordings of other people that the page names. No clip is held out: people and motions unlike them may be followed less
  well.
- **Where.** {where}, the cpu backend, one thread per run.

The columns:

- **error**: mean distance of 15 joints from the truth, mm. To be reached: {goals}.
- **degrees**: mean error of the flexion of knees, elbows and hips and the elevation of shoulders
  ([angles.md](angles.md#from-joint-centres-alone)). To be reached: {degrees}.
- **within**: share of all joints of all frames within 100 mm, missing ones counted as outside. To be reached: 95 %.
- **normalised**: mean square of errors over stated deviations. Honest: 0.5 to 2.
- **lost**: the longest stretch of frames without a person. At most 30.

What misses its mark is bold.

## The person's skeleton is known

{given}
## The person is not known

Lengths and radii are fitted in the first frames{found_seeds}. Stated deviations allow for how people
differ from the average; these do not differ, so less happens than is stated.

{found}
## Nor is the person average

The people of the tables above have average proportions, bare skin that is made of capsules, and one hair style. These
differ in build, proportions and hair, another person in each clip, and wear loose clothes (`body simulate --person N
--clothes`); a depth camera sees them.

{stranger}
## Stated against happened

All joints of all frames by the deviation that was stated for them, along one axis: root of the mean square of what
happened. On the diagonal they are equal; below it, more was stated than happened.

![Deviations that happened against those stated, one line per kind of person](deviations.svg)

{classes}
## By joint

Normalised errors of the joints, medians over all recordings and seeds: where the stated deviations are too small (above
1) or too large.

{joints}
## Make it again

```sh
{command}
```
"""


WORDS = dict(enumerate(("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve")))


def call(command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        message = done.stderr.strip().splitlines()
        raise RuntimeError(message[-1] if message else f"{command[0]} ended with {done.returncode}")
    return done.stdout


def is_sound(word):
    """Whether the skeleton of a clip can be that of a person."""
    sound = not clip_of(word)[1].name.startswith("141_")
    if not sound:
        print(f"measure_accuracy: {word}: left out, since its hips are 35 cm apart", file=sys.stderr)
    return sound


def clip_of(word):
    """Name, file, start in seconds and number of frames of `name=file@start:frames`."""
    name, _, rest = word.partition("=")
    path, _, window = rest.partition("@")
    start, _, frames = window.partition(":")
    if not Path(path).is_file():
        sys.exit(f"measure_accuracy: {word}: give name=file.bvh@start:frames of a file that is there")
    return name, Path(path), float(start or 0), int(frames or 0)


def record(arguments, clip, mode, person, scratch):
    name, path, start, frames = clip
    number = 1 + [clip_of(word)[0] for word in arguments.clips].index(name) if person == STRANGER else 0
    folder = scratch / f"{name}-{mode}{f'-{number}' if number else ''}"
    if not (folder / "camera.json").exists():  # written last
        call([arguments.kinema, "body", "simulate", "--motion", path, "--mode", mode, "--start", start, "--frames", frames,
              "--out", folder, "--force", "--threads", 1, *(["--person", number, "--clothes"] if number else [])])
    return folder


def without_skeleton(recording, scratch):
    """The recording as one of a person that is not known."""
    source = scratch / f"{recording.name}-stranger"
    source.mkdir(exist_ok=True)
    for file in recording.iterdir():
        link = source / file.name
        if file.name != "skeleton.json" and not link.exists():
            link.symlink_to(file.resolve())
    return source


def class_of(deviation):
    return next(i for i, limit in enumerate(CLASSES[1:]) if deviation < limit)


def compare_deviations(poses, truth):
    """For each class of stated deviations: number of joints, sums of their variances and of squares along an axis, mm2."""
    sums = [[0, 0.0, 0.0] for _ in CLASSES[1:]]
    true = {pose["frame"]: pose["joints"] for pose in map(json.loads, truth.read_text().splitlines())}
    for pose in map(json.loads, poses.read_text().splitlines()):
        for joint in JOINTS:
            if pose["joints"] and joint in true.get(pose["frame"], {}):
                stated = 1e3 * pose["std"][joint]
                into = sums[class_of(stated)]
                into[0] += 1
                into[1] += stated * stated
                into[2] += 1e6 * math.dist(pose["joints"][joint], true[pose["frame"]][joint]) ** 2 / 3
    return sums


def measure(arguments, recording, person, seed, scratch):
    kept = scratch / f"{recording.name}-{person}-{seed}.json"
    if kept.exists():
        return json.loads(kept.read_text())
    poses, truth = kept.with_suffix(".jsonl"), recording / "truth.jsonl"
    source = recording if person == KNOWN else without_skeleton(recording, scratch)
    call([arguments.kinema, "body", "track", "--input", source, "--out", poses, "--seed", seed, "--lag", LAG, *SIZE])
    evaluated = json.loads(call([arguments.kinema, "body", "evaluate", "--poses", poses, "--truth", truth, "--json"]))
    results = evaluated["results"]
    row = {"error_mm": results["mean_mm"], "error_degrees": results["angles"]["mean_degrees"], "within": results["within_100mm_of_truth"],
           "normalised": results["normalised_error"], "lost": evaluated["frames"]["longest_missing_run"],
           "joints": {joint: values["normalised_error"] for joint, values in results["by_joint"].items()},
           "deviations": compare_deviations(poses, truth)}
    poses.unlink()
    kept.write_text(json.dumps(row))
    return row


def sweep(arguments, scratch):
    jobs = []
    for clip in map(clip_of, arguments.clips):
        for mode in GOALS:
            if mode == "stereo" and clip[0] not in arguments.stereo:
                continue
            jobs += [(clip, mode, KNOWN, seed) for seed in arguments.seeds]
            people = [AVERAGE, STRANGER] if mode == "depth" else [AVERAGE]
            jobs += [(clip, mode, person, seed) for person in people for seed in arguments.seeds[:arguments.found_seeds]]
    modes, people = list(GOALS), [KNOWN, AVERAGE, STRANGER]
    jobs.sort(key=lambda job: (people.index(job[2]), modes.index(job[1]), job[3]))  # one that is stopped early tells most
    with ThreadPoolExecutor(arguments.jobs) as pool:
        kinds = list(dict.fromkeys((clip, mode, person == STRANGER) for clip, mode, person, _ in jobs))
        folders = dict(zip(kinds, pool.map(lambda kind: record(arguments, *kind[:2], STRANGER if kind[2] else KNOWN, scratch), kinds)))

        def work(job):
            clip, mode, person, seed = job
            row = measure(arguments, folders[clip, mode, person == STRANGER], person, seed, scratch)
            print(f"{clip[0]} {mode} {person} {seed}: {row['error_mm']:.1f} mm", file=sys.stderr)
            return {"clip": clip[0], "mode": mode, "person": person, "seed": seed, **row}

        return list(pool.map(work, jobs))


def bold(text, fine):
    return text if fine else f"**{text}**"


def degrees_cell(group):
    errors = [row["error_degrees"] for row in group if "error_degrees" in row]  # older results have none
    return bold(f"{mean(errors):.1f}", mean(errors) <= DEGREES) if errors else "–"


def table(rows):
    lines = ["| clip | seen as | error, mm | degrees | within | normalised | lost |",
             "| --- | --- | ---: | ---: | ---: | ---: | ---: |"]
    for key in dict.fromkeys((row["clip"], row["mode"]) for row in rows):
        group = [row for row in rows if (row["clip"], row["mode"]) == key]
        errors = [row["error_mm"] for row in group]
        error, within, normalised = mean(errors), mean(r["within"] for r in group), mean(r["normalised"] for r in group)
        lost = max(row["lost"] for row in group)
        span = f" ({min(errors):.1f} to {max(errors):.1f})" if len(group) > 1 else ""
        lines.append(f"| {key[0]} | {key[1]} | {bold(f'{error:.1f}', error <= GOALS[key[1]])}{span} | {degrees_cell(group)} "
                     f"| {bold(f'{100 * within:.1f} %', within >= 0.95)} "
                     f"| {bold(f'{normalised:.2f}', 0.5 <= normalised <= 2)} | {bold(str(lost), lost <= 30)} |")
    return "\n".join(lines) + "\n"


def joint_table(rows):
    sides = {}
    for row in rows:
        for joint, value in row["joints"].items():
            if value is not None:
                kind = joint.removeprefix("left_").removeprefix("right_")
                sides.setdefault(kind, {}).setdefault(row["person"], []).append(value)
    lines = ["| person | " + " | ".join(sides) + " |", "| --- |" + " ---: |" * len(sides)]
    for person, title in TITLES.items():
        if all(person in of for of in sides.values()):
            lines.append(f"| {title} | " + " | ".join(f"{median(of[person]):.2f}" for of in sides.values()) + " |")
    return "\n".join(lines) + "\n"


def happened_of(rows):
    """(number of joints, deviation stated, deviation that happened) of each class, mm; None for those of few joints"""
    sums = [[sum(row["deviations"][i][k] for row in rows) for k in range(3)] for i in range(len(CLASSES) - 1)]
    return [(n, math.sqrt(stated / n), math.sqrt(squares / n)) if n >= FEWEST else None for n, stated, squares in sums]


def class_table(groups):
    names = [f"{low} to {high}" for low, high in zip(CLASSES, CLASSES[1:])]
    names[0], names[-1] = f"under {CLASSES[1]}", f"{CLASSES[-2]} and more"
    lines = ["| stated, mm | " + " | ".join(f"{TITLES[person]}, mm (share of joints)" for person in groups) + " |",
             "| --- |" + " ---: |" * len(groups)]
    for i, name in enumerate(names):
        cells = []
        for rows in groups.values():
            found, count = happened_of(rows)[i], sum(row["deviations"][j][0] for row in rows for j in range(len(names)))
            cells.append(f"{found[2]:.0f} ({100 * found[0] / count:.0f} %)" if found else "–")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def draw_deviations(groups):
    """A plot with logarithmic axes; grey and readable on a dark page too."""
    size, left, low, high = 360, 48, 4, 100

    def along(mm):
        return size * math.log(mm / low) / math.log(high / low)

    colours = {KNOWN: "#3b82c4", AVERAGE: "#3f9a5b", STRANGER: "#c8663a"}
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size + left + 150} {size + 60}" '
             'font-family="sans-serif" font-size="12" fill="#808080">',
             f'<g transform="translate({left},12)" stroke-width="1.5">',
             f'<path d="M0 {size}L{size} 0" stroke="#808080" stroke-dasharray="4 4"/>',
             f'<path d="M0 0V{size}H{size}" fill="none" stroke="#808080"/>']
    for mm in (5, 10, 20, 40, 80):
        x = along(mm)
        parts.append(f'<path d="M{x:.1f} {size}v5M0 {size - x:.1f}h-5" stroke="#808080"/>')
        parts.append(f'<text x="{x:.1f}" y="{size + 19}" text-anchor="middle">{mm}</text>')
        parts.append(f'<text x="-9" y="{size - x + 4:.1f}" text-anchor="end">{mm}</text>')
    parts.append(f'<text x="{size / 2}" y="{size + 40}" text-anchor="middle">stated, mm</text>')
    parts.append(f'<text transform="translate(-36,{size / 2}) rotate(-90)" text-anchor="middle">happened, mm</text>')
    for i, (person, rows) in enumerate(groups.items()):
        points = [(along(stated), size - along(happened)) for _, stated, happened in filter(None, happened_of(rows))]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colours[person]}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.5" fill="{colours[person]}"/>' for x, y in points]
        parts.append(f'<circle cx="{size + 14}" cy="{20 * i + 10}" r="3.5" fill="{colours[person]}"/>')
        parts.append(f'<text x="{size + 24}" y="{20 * i + 14}">{TITLES[person]}</text>')
    return "\n".join([*parts, "</g>", "</svg>"]) + "\n"


def write_page(results):
    rows = results["rows"]
    groups = {person: [row for row in rows if row["person"] == person] for person in TITLES}
    seeds = len({row["seed"] for row in groups[KNOWN]})
    clips = len({row["clip"] for row in rows})
    found_seeds = len({row["seed"] for row in groups[AVERAGE]})
    goals = ", ".join(f"{mode} {goal}" for mode, goal in GOALS.items())
    PLOT.write_text(draw_deviations(groups))
    PAGE.write_text(TEXT.format(
        particles=SIZE[SIZE.index("--particles") + 1], points=SIZE[SIZE.index("--points") + 1], goals=goals, degrees=DEGREES,
        seeds="One." if seeds == 1
        else f"Figures are means over {seeds} seeds, with the smallest and greatest mean error in brackets.",
        found_seeds="" if found_seeds == seeds else f"; {'one seed' if found_seeds == 1 else f'{found_seeds} seeds'}",
        lag=LAG, most_lag=2 * LAG - 1, where=results["machine"].rstrip("."),
        clips=WORDS.get(clips, str(clips)), given=table(groups[KNOWN]), found=table(groups[AVERAGE]),
        stranger=table(groups[STRANGER]), classes=class_table(groups), joints=joint_table(rows), command=results["command"]))


def write_results(results):
    """One run per line, so that differences between two files can be read."""
    rows = ",\n".join("  " + json.dumps(row) for row in results["rows"])
    head = json.dumps({key: value for key, value in results.items() if key != "rows"}, indent=1)[:-2]
    RESULTS.write_text(f'{head},\n "rows": [\n{rows}\n ]\n}}\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="*", help="name=file.bvh@start:frames")
    parser.add_argument("--stereo", default="", help="clips that are recorded as stereo pairs too: a,b")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--found-seeds", type=int, default=1, help="of them, as many with a person that is not known")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at once, of one thread each")
    parser.add_argument("--kinema", default=str(ROOT / "build" / "release" / "kinema"))
    parser.add_argument("--scratch", default=str(ROOT / "build" / "accuracy"))
    parser.add_argument("--page", action="store_true", help="only write the page, from the kept results")
    arguments = parser.parse_args()
    arguments.stereo = arguments.stereo.split(",")
    arguments.seeds = [int(seed) for seed in arguments.seeds.split(",")]
    if not arguments.page:
        if not arguments.clips:
            parser.error("give clips, or --page")
        arguments.clips = list(filter(is_sound, arguments.clips))
        scratch = Path(arguments.scratch)
        scratch.mkdir(parents=True, exist_ok=True)
        rows = sweep(arguments, scratch)
        # clips by name, wherever they are
        words = [f"{clip_of(c)[0]}=clips/{clip_of(c)[1].name}@{clip_of(c)[2]:g}:{clip_of(c)[3]}" for c in arguments.clips]
        words += ["--stereo", ",".join(arguments.stereo)] if arguments.stereo != [""] else []
        results = {"command": shlex.join(["scripts/measure_accuracy.py", *words]),
                   "machine": f"{platform.system()} {platform.machine()}, {datetime.date.today()}.", "rows": rows}
        write_results(results)
    write_page(json.loads(RESULTS.read_text()))


if __name__ == "__main__":
    main()
