#!/usr/bin/env python3
"""Which filter follows a person best for an equal number of likelihood evaluations.

Makes recordings with truth from motion-capture clips, tracks each with a list of filters at several budgets, compares
the poses with the truth, and writes bench/results/filters.json, docs/filters.md and docs/filters.svg.

    scripts/compare_filters.py                                  samples/, with build/release/kinema
    scripts/compare_filters.py walk=clips/02_01.bvh clips/      clips or folders of them, with a name if one is given
    scripts/compare_filters.py --people recordings/*            recordings with truth.jsonl too, of people who are not known
    scripts/compare_filters.py --page                           the page and the plot again, from the kept results

Runs that a --scratch folder already holds are not repeated, so that a sweep which was stopped resumes; use another folder
for another build of kinema.
"""

import argparse
import concurrent.futures
import datetime
import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import filters_page  # beside this file

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results" / "filters.json"

POINTS = 3000  # of the person in a frame
# the ends and the middle first, so that an interrupted sweep tells most
BUDGETS = [100, 400, 1600, 200, 800, 3200, 6400]
# evaluations of the variations around the default: those of the default on a machine with two cores
DEFAULT_BUDGET = 480

PLAIN = {"paper": False, "layers": 1, "refined": 0, "rivals": 0, "limbs": False, "motion": "constant-velocity",
         "association": "first-hit"}
DEFAULT = {**PLAIN, "layers": 2, "refined": 4, "rivals": 6}

FAMILIES = {
    "paper": {**PLAIN, "paper": True, "motion": "random-walk", "association": "nearest"},
    "plain": {**PLAIN, "motion": "random-walk"},
    "plain, constant velocity": PLAIN,
    "plain, spatial": {**PLAIN, "motion": "spatial"},
    "annealing, 3 layers": {**PLAIN, "layers": 3},
    "annealing, 5 layers": {**PLAIN, "layers": 5},
    "limb by limb": {**PLAIN, "limbs": True},
    "limb by limb, 2 layers": {**PLAIN, "limbs": True, "layers": 2},
    "refined": {**PLAIN, "refined": 4},
    "refined, 2 layers": {**PLAIN, "refined": 4, "layers": 2},
    "default": DEFAULT,
}

# the budgets at which people who are not known are tracked
PEOPLE_BUDGETS = [100, 400, 1600]

# Variations of the default, one setting at a time.
VARIATIONS = {
    "association": ["first-hit", "nearest"],
    "refined": [0, 1, 2, 4, 8, 16],
    "rivals": [0, 6, 12],
    "motion": ["random-walk", "constant-velocity", "spatial"],
    "layers": [1, 2, 3],
}


def overhead(filter_):
    """Evaluations of a frame besides those of the particles. One is a pass of a pose over all points of a frame.

    A refined pose costs one at its start, one per step (6; more where a step must be shortened, fewer once it has
    converged) and one to be weighed. A rival costs as much on 600 points, and is weighed on 1200; and every fifth frame at
    first, every 15th later, a search tries 10 rest poses and 12 facings with 300 points and refines the best 40 and 10.
    """
    cost = 8 * filter_["refined"]
    if filter_["rivals"] > 0:
        search = 10 * 12 * 5 * 300 + 40 * 7 * 600 + 10 * 13 * 1200
        cost += ((filter_["rivals"] + 1) * (7 * 600 + 1200) + search / 5) / POINTS
    return cost


def sized(filter_, budget):
    """The filter with as many particles as the budget holds; None where it holds too few to be a filter."""
    weighings = filter_["layers"] * (5 if filter_["limbs"] else 1)
    particles = round((budget - overhead(filter_)) / weighings)
    if particles < 8:
        return None
    return {**filter_, "particles": particles}


def evaluations(filter_):
    return filter_["particles"] * filter_["layers"] * (5 if filter_["limbs"] else 1) + overhead(filter_)


def plan(budgets):
    """All (group, name, budget, filter)."""
    runs = []
    for budget in budgets:
        for name, filter_ in FAMILIES.items():
            chosen = sized(filter_, budget)
            if chosen and (budget <= 3200 or name in ("paper", "plain", "plain, constant velocity")):
                runs.append(("families", name, budget, chosen))
    for setting, values in VARIATIONS.items():
        for value in values:
            chosen = sized({**DEFAULT, setting: value}, DEFAULT_BUDGET)
            runs.append(("variations", f"{setting} {value}", DEFAULT_BUDGET, chosen))
    return runs


def flags(filter_):
    if filter_["paper"]:  # which is all that the dictionary says, and more
        return ["--paper", "--particles", str(filter_["particles"])]
    words = [f"--{key} {filter_[key]}" for key in ("particles", "layers", "refined", "rivals", "motion", "association")]
    return " ".join(words + (["--limbs"] if filter_["limbs"] else [])).split()


def find_clips(arguments):
    """Names and files of `name=file`, files and folders."""
    clips = {}
    for argument in arguments:
        name, _, path = argument.rpartition("=")
        path = Path(path)
        files = sorted(path.glob("*.bvh")) if path.is_dir() else [path]
        if not files or not all(file.is_file() for file in files):
            sys.exit(f"compare_filters: {path}: no such clip, nor a folder with *.bvh files")
        for file in files:
            clips[name or file.stem] = file
    return clips


def call(command):
    """Standard output of a command, and the processor's seconds that it took."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([str(word) for word in command], stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        if process.returncode != 0:
            message = err.read().decode(errors="replace").strip().splitlines()
            raise RuntimeError(message[-1] if message else f"{command[0]} ended with {process.returncode}")
        return out.read().decode(), usage.ru_utime + usage.ru_stime


def find_people(folders):
    for folder in folders:
        if not (Path(folder) / "camera.json").is_file() or not (Path(folder) / "truth.jsonl").is_file():
            sys.exit(f"compare_filters: {folder}: no recording with camera.json and truth.jsonl")
    return {Path(folder).name: Path(folder) for folder in folders}


def simulate(arguments, clips, scratch):
    recordings = {}
    for name, clip in clips.items():
        folder = scratch / f"{name}-{arguments.frames}"
        if not (folder / "camera.json").exists():  # written last
            call([arguments.kinema, "body", "simulate", "--motion", clip, "--mode", "depth", "--out", folder, "--force",
                  "--fps", 30, "--frames", arguments.frames])
        recordings[name] = folder
    return recordings


# the default occurs in the plan several times, and is run once
RUNNING, RUNNING_LOCK = {}, threading.Lock()


def run_one(kinema, recording, filter_, seed, scratch, late):
    """Tracks and evaluates; None where the run is not kept and it is too late for it."""
    words = flags(filter_)
    key = hashlib.sha1(f"{recording.name} {seed} {words}".encode()).hexdigest()[:16]
    with RUNNING_LOCK:
        running = RUNNING.setdefault(key, threading.Lock())
    with running:
        return kept_or_run(kinema, recording, words, seed, scratch / key, late)


def kept_or_run(kinema, recording, words, seed, path, late):
    kept = path.with_suffix(".json")
    if kept.exists():
        return json.loads(kept.read_text())
    if late:
        return None
    poses = path.with_suffix(".jsonl")
    text, seconds = call([kinema, "body", "track", "--input", recording, "--out", poses, "--json", "--backend", "cpu",
                          "--threads", 1, "--points", POINTS, "--seed", seed, "--lag", 0, *words])
    tracked = json.loads(text)
    text, _ = call([kinema, "body", "evaluate", "--poses", poses, "--truth", recording / "truth.jsonl", "--json"])
    evaluated = json.loads(text)
    results = evaluated["results"]
    result = {"mean_mm": results["mean_mm"], "median_mm": results["median_mm"], "p95_mm": results["p95_mm"],
              "within_100mm": results["within_100mm_of_truth"], "missing_frames": evaluated["frames"]["missing"],
              "processor_ms_per_frame": 1000 * seconds / tracked["frames"]}
    poses.unlink()
    kept.write_text(json.dumps(result))
    return result


def sweep(arguments, recordings, also, people, scratch):
    began = time.monotonic()
    runs = [run for run in plan(arguments.budgets) if re.search(arguments.only, f"{run[0]}, {run[1]}")]
    motions = [motion for motion in recordings if motion not in also and motion not in people]
    jobs = [(seed, *run, motion) for seed in arguments.seeds for run in runs for motion in motions]
    # rival hypotheses matter for few motions, so they are tested on more
    jobs += [(arguments.seeds[0], "others", *run[1:], motion) for run in runs if run[1].startswith("rivals ")
             for motion in also]
    jobs += [(arguments.seeds[0], "people", *run[1:], person) for run in runs
             if run[0] == "families" and run[2] in PEOPLE_BUDGETS for person in people]
    rows, stop, lock = [], threading.Event(), threading.Lock()

    def work(job):
        seed, group, name, budget, filter_, motion = job
        late = stop.is_set() or time.monotonic() - began > 60 * arguments.minutes
        row = {"group": group, "name": name, "budget": budget, "evaluations": round(evaluations(filter_), 1),
               "motion": motion, "seed": seed, "filter": filter_}
        try:
            result = run_one(arguments.kinema, recordings[motion], filter_, seed, scratch, late)
            if result is None:
                return
            row.update(result)
        except RuntimeError as error:
            row["failure"] = str(error)
        with lock:
            rows.append(row)
            error = f"{row['mean_mm']:.1f} mm" if "mean_mm" in row else row["failure"]
            print(f"{len(rows)}/{len(jobs)} seed {seed}, {name}, {budget} on {motion}: {error}", flush=True)

    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        try:
            list(pool.map(work, jobs))
        except KeyboardInterrupt:
            stop.set()
    order = {(job[0], job[1], job[2], job[3], job[5]): i for i, job in enumerate(jobs)}
    rows.sort(key=lambda row: order[row["seed"], row["group"], row["name"], row["budget"], row["motion"]])
    return rows, len(jobs) - len(rows)


def machine():
    cpu = platform.processor() or platform.machine()
    try:
        for line in subprocess.run(["lscpu"], capture_output=True, text=True, check=True).stdout.splitlines():
            if line.startswith("Model name:"):
                cpu = line.split(":", 1)[1].strip()
                break
    except (OSError, subprocess.CalledProcessError):
        pass
    return {"cpu": cpu, "cores": os.cpu_count(), "threads": os.cpu_count(),
            "system": f"{platform.system()} {platform.machine()}", "gpus": []}


def commit():
    try:
        command = ["git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=12"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def write_results(path, result):
    """One run per line, so that differences between two files can be read."""
    head = {key: value for key, value in result.items() if key != "rows"}
    text = json.dumps(head, indent=2)[:-2] + ',\n  "rows": [\n'
    text += ",\n".join("    " + json.dumps(row) for row in result["rows"]) + "\n  ]\n}\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clips", nargs="*", default=[str(ROOT / "samples")], metavar="[NAME=]CLIP|DIR")
    parser.add_argument("--also", nargs="*", default=[], metavar="[NAME=]CLIP|DIR", help="clips for --rivals alone")
    parser.add_argument("--people", nargs="*", default=[], metavar="DIR", help="recordings of people who are not known")
    parser.add_argument("--kinema", default=str(ROOT / "build" / "release" / "kinema"), help="the command")
    parser.add_argument("--frames", type=int, default=45, help="of each clip, at 30 per second [45]")
    parser.add_argument("--seeds", default="1", help="such as 1,2,3 [1]")
    parser.add_argument("--budgets", default=",".join(map(str, BUDGETS)), help="evaluations per frame [%(default)s]")
    parser.add_argument("--only", default="", metavar="REGEX",
                        help="filters by 'families, NAME' or 'variations, NAME' [all]")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="start no run after this time [no limit]")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time, one thread each [the cores]")
    parser.add_argument("--scratch", help="a folder for recordings and runs, kept [a temporary one]")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--page", action="store_true", help="only write the page and the plot")
    arguments = parser.parse_args(argv)
    for option in ("seeds", "budgets"):
        text = getattr(arguments, option)
        if not re.fullmatch(r"\d+(,\d+)*", text):
            parser.error(f"--{option} is '{text}': give whole numbers, such as 1,2,3")
        setattr(arguments, option, [int(number) for number in text.split(",")])
    return arguments


def main(argv):
    arguments = parse(argv)
    if not arguments.page:
        clips, also = find_clips(arguments.clips), find_clips(arguments.also)
        people = find_people(arguments.people)
        if not shutil.which(arguments.kinema):
            sys.exit(f"compare_filters: {arguments.kinema}: no such command; build it, or name it with --kinema")
        with tempfile.TemporaryDirectory() as temporary:
            scratch = Path(arguments.scratch or temporary)
            scratch.mkdir(parents=True, exist_ok=True)
            try:
                recordings = simulate(arguments, {**clips, **also}, scratch)
            except (OSError, RuntimeError) as error:
                sys.exit(f"compare_filters: {error}")
            rows, left = sweep(arguments, {**recordings, **people}, also, people, scratch)
        result = {"kind": "filters",
                  "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
                  "commit": commit(), "machine": machine(), "frames": arguments.frames, "fps": 30, "points": POINTS,
                  "seeds": arguments.seeds, "clips": {name: clip.name for name, clip in clips.items()},
                  "other_clips": {name: clip.name for name, clip in also.items()}, "people": list(people), "runs_left_out": left, "rows": rows}
        write_results(arguments.results, result)
    try:
        result = json.loads(arguments.results.read_text())
    except OSError as error:
        sys.exit(f"compare_filters: {arguments.results}: {error.strerror}; run without --page first")
    if filters_page.write(result, ROOT / "docs"):
        return 0
    print("compare_filters: no page, for which the default is needed at 400 evaluations and another budget")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
