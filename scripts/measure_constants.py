#!/usr/bin/env python3
"""Makes docs/constants.md: the constants of each tracker that were chosen by trial (src/<tracker>/constants.h), and how far
the result depends on them.

    scripts/measure_constants.py                             write the page from what is kept in bench/results
    scripts/measure_constants.py --check                     exit 1 if the page is not what the sources and results give
    scripts/measure_constants.py --measure build/tunable/kinema [--trackers head,face] [--clip FOLDER BOXES]...

The last runs a command that was built with -DKINEMA_TUNABLE=ON -DKINEMA_CUDA=OFF, with each constant doubled and halved, on
what `kinema demo` makes (a walk, a head, faces), and keeps the numbers in bench/results/constants.json. A --clip is a folder
of pictures with boxes x,y,w,h of the head, one line per frame; clips count beside the head of the demo.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results" / "constants.json"
PAGE = ROOT / "docs" / "constants.md"
TRACKERS = ("body", "head", "face")

INTRODUCTION = """\
<!-- Made by scripts/measure_constants.py; changes made here by hand are lost. -->
# Constants

Numbers that were chosen by trial, not derived. Each stands in `src/<tracker>/constants.h`. A build with `-DKINEMA_TUNABLE=ON
-DKINEMA_CUDA=OFF` reads other values from the environment: `KINEMA_CONSTANTS=head.size_gain=0.8,head.lost_contrast=0.2`.
"""

METRICS = {
    "body": "mean joint error on the demo's walk, mm",
    "head": "mean error over the head's width, in percent, on the demo's head and on clips",
    "face": "mean error over the outer-eye distance, in percent, on the demo's unseen faces",
}

SCALAR = re.compile(r"^KINEMA_CONSTANT\(([\w:]+), (\w+), (.+)\);")
ARRAY = re.compile(r"^inline constexpr [\w:<>, ]+? (\w+)(?:\[\])? = (\{.*\});")


def constants(tracker):
    """Name, value, unit, origin and meaning of each constant, in the order of the file."""
    path = ROOT / "src" / tracker / "constants.h"
    if not path.exists():
        return []
    found, comment = [], []
    for line in path.read_text().splitlines():
        if line.startswith("///"):
            comment.append(line[3:].strip())
            continue
        scalar, array = SCALAR.match(line), ARRAY.match(line)
        if scalar or array:
            tags = {"unit": "", "chosen": ""}
            words = []
            for part in comment:
                tag = re.match(r"@(\w+) (.*)", part)
                if tag:
                    tags[tag[1]] = tag[2]
                else:
                    words.append(part)
            found.append({
                "name": scalar[2] if scalar else array[1],
                "type": scalar[1] if scalar else "array",
                "value": (scalar[3] if scalar else array[2]).removesuffix("f"),
                "meaning": " ".join(words),
                **tags,
            })
        comment = []
    return found


class Demo:
    """Recordings that the trackers are measured on, made once."""

    def __init__(self, command, folder, clips):
        self.command, self.folder = Path(command).resolve(), Path(folder)
        self.clips = [(Path(frames).resolve(), Path(boxes).resolve()) for frames, boxes in clips]
        self.run("demo", "--out", ".", "--backend", "cpu")

    def run(self, *arguments, constants=""):
        done = subprocess.run([self.command, *arguments, "--json"], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "KINEMA_CONSTANTS": constants})
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no message")
        return json.loads(done.stdout)

    def body(self, constants):
        self.run("body", "track", "--input", "walk", "--height", "1.65", "--backend", "cpu", "--out", "p.jsonl",
                 constants=constants)
        result = self.run("body", "evaluate", "--poses", "p.jsonl", "--truth", "walk/truth.jsonl")
        return result["results"]["mean_mm"]

    def head(self, constants):
        errors = []
        for frames, boxes in [(self.folder / "head", self.folder / "head-boxes.txt"), *self.clips]:
            x, y, w, h = map(float, re.split(r"[,\s]+", boxes.read_text().split("\n", 1)[0].strip()))
            oval = f"{x - 1 + (w - 1) / 2},{y - 1 + (h - 1) / 2},{w / 2},{h / 2}"
            self.run("head", "calibrate", "--input", str(frames), "--frames", "1", "--oval", oval, "--out", "f.json",
                     constants=constants)
            result = self.run("head", "track", "--input", str(frames), "--filter", "f.json", "--backend", "cpu",
                              "--truth", str(boxes), "--out", "h.csv", constants=constants)
            truth = result["results"]["truth"]
            # a frame without an answer counts as a whole width
            answered = truth["frames"] - truth["missing"]
            errors.append(100 * (truth["mean"] * answered + truth["missing"]) / truth["frames"])
        return sum(errors) / len(errors)

    def face(self, constants):
        self.run("face", "train", "--images", "faces/train", "--pixels", "4096", "--out", "m.kface", constants=constants)
        result = self.run("face", "evaluate", "--model", "m.kface", "--images", "faces/test", "--backend", "cpu",
                          constants=constants)
        return 100 * result["results"]["mean"]


def measure(command, trackers, clips):
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        demo = Demo(command, folder, clips)
        for tracker in trackers:
            metric = getattr(demo, tracker)
            kept[tracker] = {"clips": [frames.parent.name for frames, _ in demo.clips] if tracker == "head" else [],
                             "as_it_is": metric(""), "constants": {}}
            for constant in constants(tracker):
                if constant["type"] == "array":
                    continue
                name, value = constant["name"], float(constant["value"])
                row = {}
                for word, factor in (("halved", 0.5), ("doubled", 2)):
                    other = value * factor
                    if constant["type"] not in ("double", "float"):
                        other = max(1, round(other))
                    try:
                        row[word] = metric(f"{tracker}.{name}={other}")
                    except RuntimeError as error:
                        row[word] = str(error)
                kept[tracker]["constants"][name] = row
                print(f"{tracker}.{name}: {row}", file=sys.stderr)
                RESULTS.write_text(json.dumps(kept, indent=1) + "\n")


def page():
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    text = INTRODUCTION
    for tracker in TRACKERS:
        rows = constants(tracker)
        if not rows:
            continue
        measured = kept.get(tracker)
        text += f"\n## {tracker.capitalize()}\n\n"
        if measured:
            text += f"Effect: {METRICS[tracker]}; {measured['as_it_is']:.2f} with all constants as they are"
            text += f", clips: {', '.join(measured['clips'])}.\n\n" if measured["clips"] else ".\n\n"
        titles = ["name", "value", "unit", "meaning", "chosen on"] + (["halved", "doubled"] if measured else [])
        text += f"| {' | '.join(titles)} |\n|{' --- |' * len(titles)}\n"
        for row in rows:
            cells = [f"`{row['name']}`", row["value"], row["unit"], row["meaning"], row["chosen"]]
            if measured:
                effect = measured["constants"].get(row["name"], {})
                for word in ("halved", "doubled"):
                    value = effect.get(word, "")
                    cells.append(f"{value:.2f}" if isinstance(value, float) else ("fails" if value else ""))
            text += f"| {' | '.join(cells)} |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--measure", metavar="COMMAND")
    parser.add_argument("--trackers", default="head,face,body")
    parser.add_argument("--clip", nargs=2, action="append", default=[], metavar=("FOLDER", "BOXES"))
    arguments = parser.parse_args()
    if arguments.measure:
        measure(arguments.measure, arguments.trackers.split(","), arguments.clip)
    text = page()
    if arguments.check:
        if not PAGE.exists() or PAGE.read_text() != text:
            sys.exit(f"{PAGE.relative_to(ROOT)} is not up to date: run scripts/measure_constants.py")
    else:
        PAGE.write_text(text)


if __name__ == "__main__":
    main()
