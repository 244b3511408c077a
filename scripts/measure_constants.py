#!/usr/bin/env python3
"""Makes docs/constants.md: the constants of each tracker that were chosen by trial (src/<tracker>/constants*.h), and how much
the result depends on them.

    scripts/measure_constants.py                             write the page from what is kept in bench/results
    scripts/measure_constants.py --check                     exit 1 if the page is not what the sources and results give
    scripts/measure_constants.py --list                      the constants, as tracker.name=value
    scripts/measure_constants.py --measure [--command build/tunable/kinema] [--only body,head] [--jobs 16]

The last runs a command that was built with -DKINEMA_TUNABLE=ON -DKINEMA_CUDA=OFF (without --command it is built first, in
build/tunable) with each constant doubled and halved, and keeps the numbers in bench/results/constants.json:

    body   the walk of samples/, 40 frames as depth images (--mode points where there is no OpenCV), of a person who is not
           known: mean joint error, normalised error
    head   the head of `kinema demo`, and each --clip: a folder of pictures and a file with boxes x,y,w,h of the head
    face   a model trained on the faces of `kinema demo`, on faces that it has not seen
    person the pose of the head in a film of `kinema face film`, with the model that ships

Every run has one thread and the same seed, so that any machine can make --jobs of them at once. What one run varies by from
seed to seed is measured too: a change below that says nothing. --constants a,b measures these again and keeps the others.
"""

import argparse
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import measure_pose

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results" / "constants.json"
PAGE = ROOT / "docs" / "constants.md"
TRACKERS = ("body", "head", "face", "person")
SEEDS = (1, 2, 3)  # the first is that of all other runs

INTRODUCTION = """\
<!-- Made by scripts/measure_constants.py from the sources and bench/results/constants.json; changes made here by hand are
lost. -->
# Constants

Numbers that were chosen by trial, not derived. Each stands in `src/<tracker>/constants.h`, or in a `constants_<part>.h`
beside it, with its meaning. A build with `-DKINEMA_TUNABLE=ON -DKINEMA_CUDA=OFF` reads other values from the environment:
`KINEMA_CONSTANTS=head.size_gain=0.8,head.lost_contrast=0.2`.
"""

METRICS = {
    "body": "mean joint error in mm and, in brackets, normalised error; the walk of `samples/` as {mode}, 40 frames, a person who is not known, lag 15",
    "head": "mean error in percent of the head's width, a lost frame counted as 100, the head of `kinema demo`",
    "face": "mean error in percent of the outer-eye distance, unseen faces of `kinema demo`",
    "person": "mean error of the rotation in degrees and, in brackets, of the place in percent of the distance, 90 frames of `kinema face film --person 2`",
}

SCALAR = re.compile(r"^KINEMA_CONSTANT\(([\w:]+), (\w+), (.+)\);")
ARRAY = re.compile(r"^inline constexpr [\w:<>, ]+? (\w+)(?:\[\])? = (\{.*\});")
GROUP = re.compile(r"^namespace (\w+) \{")
NUMBER = re.compile(r"(?<![\w.])(\d+\.?\d*(?:e-?\d+)?)f?(?!\w)")


def value_of(text):
    """The number that a constant's text means: 0.06f, 1e-3, 1.0 / 30."""
    plain = NUMBER.sub(r"\1", text)
    if not re.fullmatch(r"[-+*/().\de ]+", plain):
        raise SystemExit(f"measure_constants: {text} is no number that this script can read")
    return eval(plain, {"__builtins__": {}})


def headers(tracker):
    folder = ROOT / "src" / tracker
    return sorted(folder.glob("constants*.h"), key=lambda path: path.name.removesuffix(".h"))


def constants(tracker):
    """Group, name, value, unit, origin and meaning of each constant, in the order of the files."""
    found, comment, group = [], [], ""
    for path in headers(tracker):
        for line in path.read_text().splitlines():
            if line.startswith("///"):
                comment.append(line[3:].strip())
                continue
            if opened := GROUP.match(line):
                group = opened[1]
            scalar, array = SCALAR.match(line), ARRAY.match(line)
            if scalar or array:
                tags, words = {"unit": "", "chosen": ""}, []
                for part in comment:
                    if tag := re.match(r"@(\w+) (.*)", part):
                        tags[tag[1]] = tag[2]
                    else:
                        words.append(part)
                text = scalar[3] if scalar else array[2]
                found.append({"group": group, "name": scalar[2] if scalar else array[1],
                              "type": scalar[1] if scalar else "array",
                              "value": NUMBER.sub(r"\1", text), "meaning": " ".join(words), **tags})
            comment = []
    names = [constant["name"] for constant in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SystemExit(f"measure_constants: {tracker} has these names twice: {', '.join(twice)}")
    return found


def changed(constant, factor):
    """The value times the factor, as its type allows; nothing where that is the value itself."""
    value = value_of(constant["value"])
    other = value * factor
    if constant["type"] not in ("double", "float"):
        other = max(1, round(other))
    return None if other == value else other


class Measurement:
    """Recordings that the trackers are measured on, made once, and one number for each run."""

    def __init__(self, command, scratch, clips, mode):
        self.command, self.scratch, self.mode = Path(command).resolve(), Path(scratch), mode
        self.clips = [(Path(frames).resolve(), Path(boxes).resolve()) for frames, boxes in clips]

    def call(self, *arguments, folder=None, constants=""):
        done = subprocess.run([str(self.command), *map(str, arguments), "--json"], cwd=folder or self.scratch,
                              capture_output=True, text=True, env={**os.environ, "KINEMA_CONSTANTS": constants})
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message")
        return json.loads(done.stdout)

    def prepare(self, trackers):
        if "body" in trackers:
            self.call("body", "simulate", "--motion", ROOT / "samples" / "walk.bvh", "--mode", self.mode, "--frames", 40,
                      "--out", "recording")
            (self.scratch / "recording" / "skeleton.json").unlink()  # a person who is not known
        if "head" in trackers or "face" in trackers:
            self.call("demo", "--out", "demo", "--frames", 60, "--backend", "cpu")
        if "person" in trackers:
            for seed in SEEDS:
                self.call("face", "film", "--frames", 90, "--person", 2, "--seed", seed, "--out", f"film{seed}")

    def run(self, tracker, constants="", seed=SEEDS[0]):
        folder = tempfile.mkdtemp(dir=self.scratch)
        try:
            return getattr(self, tracker)(folder, constants, seed)
        finally:
            shutil.rmtree(folder)

    def body(self, folder, constants, seed):
        self.call("body", "track", "--input", self.scratch / "recording", "--backend", "cpu", "--threads", 1, "--particles", 200,
                  "--points", 3000, "--seed", seed, "--out", "p.jsonl", folder=folder, constants=constants)
        evaluated = self.call("body", "evaluate", "--poses", "p.jsonl", "--truth",
                              self.scratch / "recording" / "truth.jsonl", folder=folder)
        frames = evaluated["frames"]
        return {"error": evaluated["results"]["mean_mm"], "beside": evaluated["results"]["normalised_error"],
                "found": 1 - frames["missing"] / frames["truth"]}

    def head(self, folder, constants, seed):
        errors, missing, all_frames = [], 0, 0
        for frames, boxes in [(self.scratch / "demo" / "head", self.scratch / "demo" / "head-boxes.txt"), *self.clips]:
            x, y, w, h = map(float, re.split(r"[,\s]+", boxes.read_text().split("\n", 1)[0].strip())[:4])
            oval = f"{x - 1 + (w - 1) / 2},{y - 1 + (h - 1) / 2},{w / 2},{h / 2}"
            self.call("head", "calibrate", "--input", frames, "--frames", 1, "--oval", oval, "--out", "f.json", folder=folder,
                      constants=constants)
            truth = self.call("head", "track", "--input", frames, "--filter", "f.json", "--backend", "cpu", "--truth", boxes,
                              "--out", "h.csv", folder=folder, constants=constants)["results"]["truth"]
            answered = truth["frames"] - truth["missing"]
            errors.append(100 * ((truth["mean"] or 0) * answered + truth["missing"]) / truth["frames"])
            missing, all_frames = missing + truth["missing"], all_frames + truth["frames"]
        return {"error": sum(errors) / len(errors), "found": 1 - missing / all_frames}

    def face(self, folder, constants, seed):
        faces = self.scratch / "demo" / "faces"
        self.call("face", "train", "--images", faces / "train", "--pixels", 4096, "--threads", 1, "--seed", seed, "--out", "m.kface",
                  folder=folder, constants=constants)
        result = self.call("face", "evaluate", "--model", "m.kface", "--images", faces / "test", "--backend", "cpu", "--threads",
                           1, "--seed", seed, folder=folder, constants=constants)
        return {"error": 100 * result["results"]["mean"], "found": 1}

    def person(self, folder, constants, seed):
        film = self.scratch / f"film{seed}"
        self.call("track", "--input", film, "--out", "t.jsonl", "--backend", "cpu", "--threads", 1, folder=folder,
                  constants=constants)
        truth = measure_pose.read(film / "truth.jsonl")
        estimates = {frame: line["head"] for frame, line in measure_pose.read(Path(folder) / "t.jsonl").items() if "head" in line}
        turns, places = [], []
        for frame, pose in estimates.items():
            true = truth[frame]["head"]
            turns.append(measure_pose.turned(pose["rotation"], true["rotation"]))
            places.append(100 * math.dist(pose["position"], true["position"]) / math.hypot(*true["position"]))
        if not turns:
            return {"error": None, "found": 0}
        return {"error": statistics.fmean(turns), "beside": statistics.fmean(places), "found": len(turns) / len(truth)}


def measure(arguments, trackers):
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    wanted = set(filter(None, arguments.constants.split(",")))
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(arguments.jobs) as pool:
        measurement = Measurement(arguments.command, scratch, arguments.clip, arguments.mode)
        measurement.prepare(trackers)

        def work(job):
            tracker, name, word, setting, seed = job
            try:
                row = measurement.run(tracker, setting, seed)
            except RuntimeError as error:
                row = {"error": None, "found": 0, "why": str(error)}
            print(f"{tracker} {setting or f'as it is, seed {seed}'}: {row}", file=sys.stderr, flush=True)
            return (tracker, name, word), row

        jobs = []
        for tracker in trackers:
            if not wanted or tracker not in kept:
                kept[tracker] = {"constants": {}}
            if tracker == "body":
                kept[tracker]["mode"] = arguments.mode
            jobs += [(tracker, None, seed, "", seed) for seed in SEEDS]
            for constant in constants(tracker):
                name = constant["name"]
                if constant["type"] == "array" or wanted and name not in wanted:
                    continue
                for word, factor in (("halved", 0.5), ("doubled", 2)):
                    other = changed(constant, factor)
                    if other is not None:
                        jobs.append((tracker, name, word, f"{tracker}.{name}={other!r}", SEEDS[0]))
        for done, ((tracker, name, word), row) in enumerate(pool.map(work, jobs), 1):
            if name is None:
                kept[tracker].setdefault("as_it_is", {})[str(word)] = row
            else:
                kept[tracker]["constants"].setdefault(name, {})[word] = row
            if done % 20 == 0 or done == len(jobs):  # one that is stopped keeps what it has
                RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


def build():
    folder = ROOT / "build" / "tunable"
    for command in (["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DKINEMA_TUNABLE=ON",
                     "-DKINEMA_CUDA=OFF", "-DKINEMA_WEB=OFF", "-DKINEMA_PYTHON=OFF", "-DKINEMA_TESTS=OFF"],
                    ["cmake", "--build", folder, "--target", "kinema_command"]):
        subprocess.run([str(word) for word in command], check=True, stdout=sys.stderr)
    return folder / "kinema"


def cell(row, digits=2):
    if not row:
        return ""
    if row["error"] is None:
        return "fails"
    lost = f", {100 * (1 - row['found']):.0f} % lost" if row["found"] < 1 else ""
    beside = f" ({row['beside']:.2f})" if "beside" in row else ""
    return f"{row['error']:.{digits}f}{beside}{lost}"


def page():
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    text = INTRODUCTION
    for tracker in TRACKERS:
        rows = constants(tracker)
        if not rows:
            continue
        measured = kept.get(tracker, {})
        own = measured.get("as_it_is", {})
        text += f"\n## {tracker.capitalize()}\n\n"
        if own:
            errors = [row["error"] for row in own.values()]
            text += (f"Halved, as it is, doubled: {METRICS[tracker].format(mode=measured.get('mode'))}. Seeds alone move it from {min(errors):.2f} to "
                     f"{max(errors):.2f}.\n\n")
        titles = ["constant", "value", "unit", "chosen on"] + (["halved", "as it is", "doubled"] if own else [])
        text += f"| {' | '.join(titles)} |\n|{' --- |' * 4}{' ---: |' * (len(titles) - 4)}\n"
        for row in rows:
            name = f"{row['group']}::{row['name']}" if row["group"] else row["name"]
            cells = [f"`{name}`", row["value"], row["unit"], row["chosen"]]
            if own:
                effect = measured["constants"].get(row["name"], {})
                cells += [cell(effect.get("halved")), cell(own[str(SEEDS[0])]) if effect else "", cell(effect.get("doubled"))]
            text += f"| {' | '.join(cells)} |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--command", help="a kinema built with KINEMA_TUNABLE")
    parser.add_argument("--only", default=",".join(TRACKERS), help="trackers: " + ",".join(TRACKERS))
    parser.add_argument("--constants", default="", help="names: measure only these")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at once, of one thread each")
    parser.add_argument("--mode", default="depth", choices=("depth", "points", "stereo"), help="of the walk")
    parser.add_argument("--clip", nargs=2, action="append", default=[], metavar=("FOLDER", "BOXES"))
    arguments = parser.parse_args()
    trackers = arguments.only.split(",")
    if unknown := [tracker for tracker in trackers if tracker not in TRACKERS]:
        parser.error(f"--only {unknown[0]}: give some of {','.join(TRACKERS)}")
    if arguments.list:
        for tracker in trackers:
            for constant in constants(tracker):
                print(f"{tracker}.{constant['name']}={constant['value']}")
        return
    if arguments.measure:
        arguments.command = arguments.command or build()
        measure(arguments, trackers)
    text = page()
    if arguments.check:
        if not PAGE.exists() or PAGE.read_text() != text:
            sys.exit(f"{PAGE.relative_to(ROOT)} is not up to date: run scripts/measure_constants.py")
    else:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
