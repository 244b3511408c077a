#!/usr/bin/env python3
"""Makes docs/mechanisms.md: what each mechanism of the trackers is worth, by the results without it.

    scripts/measure_mechanisms.py                  write the page from what is kept in bench/results/mechanisms.json
    scripts/measure_mechanisms.py --list           the mechanisms, and how each is switched off
    scripts/measure_mechanisms.py --check          exit 1 if the list does not fit the sources, or the page the results
    scripts/measure_mechanisms.py --measure --work W [--command build/tunable/kinema] [--realistic DIR] [--kinect DIR]
                                  [--clips DIR] [--stereo DIR] [--faces NAME=DIR] [--clip FRAMES BOXES] [--jobs 16]

The last runs a command that was built with -DKINEMA_TUNABLE=ON -DKINEMA_CUDA=OFF, with everything on (three seeds, which tell
the noise) and with each mechanism off. A folder DIR has a recording with truth in each of its folders, as it is or packed by
pack_recordings.py, which a build without OpenCV needs; sets whose folder is not given are left out. The sets of heads, faces
and persons (--sets) are made as by measure_constants.py, whose options --clip and --faces are taken here too; they need
OpenCV.

--sets a,b and --only a,b choose sets and mechanisms (body.seats, or all of a tracker: body). What --work holds is not run
again, so a measurement goes on where it was stopped; --minutes stops it. For another build take another folder. Where all of
it would take too long, --undecided leaves out, set after set, what pays on another one.
"""

import argparse
import json
import os
import queue
import re
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import fmean, stdev

import measure_constants
from constant_runs import METRICS, ROOT, SEEDS
from mechanism_list import BODY, LIVE, MECHANISMS
from mechanism_runs import LIKELY_SHARE, OffMeasurement, Recordings, Runner, check_names, head_face_figures

RESULTS = ROOT / "bench" / "results" / "mechanisms.json"
PAGE = ROOT / "docs" / "mechanisms.md"
TRACKERS = measure_constants.TRACKERS
FOLDERS = ("realistic", "kinect", "clips", "stereo")
OTHERS = ("head", "face training", "face drawn", "face refined", "face detector", "face film", "face expression", "face deviations",
          "person", "person expression")
TRAINED = ("face training",)  # by several seeds on the same faces

# Of each set the figures in which a mechanism may pay: their sense, and what is nothing. Percents are told in points.
LESS, MORE, TO_SHARE, TO_ONE = (lambda on, off: off - on), (lambda on, off: on - off), \
    (lambda on, off: abs(off - LIKELY_SHARE) - abs(on - LIKELY_SHARE)), (lambda on, off: abs(off - 1) - abs(on - 1))
TRACKED = {"error": (LESS, 0.3), "near": (MORE, 0.3), "stated": (TO_SHARE, 0.3), "found": (MORE, 0.3)}
FITTED = {"error": (LESS, 0.05), "beside": (MORE, 0.003), "found": (MORE, 0.3)}
POSED = {"error": (LESS, 0.1), "beside": (LESS, 0.1), "found": (MORE, 0.3), "trembling": (LESS, 0.05)}
EXPRESSED = {"error": (LESS, 0.3), "found": (MORE, 0.3)}
FIGURES = {**dict.fromkeys(BODY, TRACKED), **dict.fromkeys(LIVE, {**TRACKED, "trembling": (LESS, 0.3)}),
           "head": {"error": (LESS, 0.3), "found": (MORE, 0.3)}, "face training": FITTED, "face drawn": FITTED, "face refined": FITTED,
           "face detector": FITTED, "face film": POSED, "person": POSED, "face expression": EXPRESSED, "person expression": EXPRESSED,
           "face deviations": {"error": (TO_ONE, 0.03), "found": (MORE, 0.3)}}
LEAST_SPREAD = 1  # that of recordings on which seeds happen to agree

INTRODUCTION = f"""\
<!-- Made by scripts/measure_mechanisms.py from scripts/mechanism_list.py and bench/results/mechanisms.json; changes made here
by hand are lost. -->
# What mechanisms are worth

What each part of the trackers that could be left out does for the results, by a run without it. A figure above 0 is a loss
without the mechanism. On recordings of the body it is a mean with weights by how far three seeds move each, and stands with
its deviation: on some, one seed turns a person round and another does not. A mechanism pays by a figure that is above what
counts as nothing and above twice its deviation (bold). It does not pay where all figures are below what counts as nothing; else
it is within the noise, and more recordings or seeds (`--seeds 1,2,3`) tell. `=`: not one bit changes, since it does nothing
there. In brackets: recordings, of those on which it was tried.

Figures of the **body** are, in this order: the mean error of joints in mm, points of joints within 100 mm of the truth
(missing ones are outside), and points by which the share of errors within the stated deviations, as far as {LIKELY_SHARE} % should
be, is off; then, where it changes, points of frames with a person, and of poses at once (live) how much joints tremble, in
mm. Nothing is less than 0.3 of each. Joints are compared after an offset by which their definitions differ: in the frame of
a bone, told by the other recordings (realistic people, stereo), or in that of the camera (Kinect). Of **heads** it is the mean
error in percent of the width, nothing is 0.3; of **faces** that in percent of the outer-eye distance, 0.05, and the area
under the ROC curve of the score, 0.003; of poses degrees and percent of the distance, 0.1, and degrees by which they tremble,
0.05; of expressions percent, 0.3.
"""


def known(tracker):
    """The constants of a tracker by name, and their names by group."""
    rows, groups = measure_constants.constants(tracker), {}
    for row in rows:
        groups.setdefault(row["group"], []).append(row["name"])
    return [row["name"] for row in rows], groups


def constants_of(mechanism):
    """Names of the constants that would go with it."""
    names, groups = known(mechanism.tracker)
    words = mechanism.constants.split()
    return [name for word in words for name in ([word] if word in names else groups.get(word, []))]


def switches(tracker):
    return [name for path in sorted((ROOT / "src" / tracker).glob("constants*.h"))
            for name in re.findall(r"^KINEMA_MECHANISM\((\w+)\);", path.read_text(), re.M)]


def complaints():
    """Where the list and the sources differ."""
    found = []
    for tracker in TRACKERS:
        names, groups = known(tracker)
        own = [mechanism for mechanism in MECHANISMS if mechanism.tracker == tracker and not mechanism.gone]
        switched = switches(tracker)
        labels = [mechanism.name for mechanism in own]
        found += [f"{tracker}.{name}: stands twice in the list" for name in sorted({name for name in labels if labels.count(name) > 1})]
        used = {word.partition("=")[0].partition(".")[2] for mechanism in own for word in mechanism.switches}
        found += [f"{tracker}.{name}: a switch that no mechanism of the list uses" for name in switched if name not in used]
        for mechanism in own:
            say = f"{mechanism.label}: {{}}".format
            found += [say(f"no constant or switch {name}") for name in
                      {word.partition("=")[0].partition(".")[2] for word in mechanism.switches} - {*names, *switched}]
            found += [say(f"no constant or group of constants {word}") for word in mechanism.constants.split()
                      if word not in names and word not in groups]
            found += [say(f"no file {word}") for word in mechanism.files.split()
                      if not (ROOT / "src" / tracker / word).is_dir() and not list((ROOT / "src" / tracker).glob(word + ".*"))]
            found += [say(f"no set {name}") for name in mechanism.sets if name not in FIGURES]
    return found


def chosen(words):
    """Mechanisms by their names, those of a tracker by its name."""
    wanted = [word for word in words.split(",") if word]
    unknown = set(wanted) - {*TRACKERS, *(mechanism.label for mechanism in MECHANISMS)}
    if unknown:
        sys.exit(f"measure_mechanisms: no mechanism {', '.join(sorted(unknown))}: see --list")
    return [mechanism for mechanism in MECHANISMS if not mechanism.why_not and not mechanism.gone and
            (not wanted or mechanism.tracker in wanted or mechanism.label in wanted)]


# ---- measuring

class Session:
    def __init__(self, options):
        self.options, self.started = options, time.monotonic()
        self.kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        self.kept.setdefault("sets", {})
        settings = {"particles": options.particles, "points": options.points, "frames": options.frames}
        place = options.work / "settings.json"
        options.work.mkdir(parents=True, exist_ok=True)
        if place.exists() and json.loads(place.read_text()) != settings:
            sys.exit(f"measure_mechanisms: {options.work} holds runs with other settings, {place.read_text()}: take another folder")
        place.write_text(json.dumps(settings))
        self.kept["settings"] = settings
        self.runner, self.written = Runner(options.command), time.monotonic()
        self.read, self.done, self.open, self.begun = {}, queue.SimpleQueue(), 0, set()

    def write(self, now=False):
        if now or time.monotonic() - self.written > 20:
            part = RESULTS.with_suffix(".partial")
            part.write_text(json.dumps(self.kept, indent=1, sort_keys=True) + "\n")
            part.rename(RESULTS)
            self.written = time.monotonic()

    def late(self):
        return self.options.minutes and time.monotonic() - self.started > 60 * self.options.minutes

    def rows(self, name, mechanism):
        own = self.kept["sets"].setdefault(name, {})
        return own.setdefault("mechanisms", {}).setdefault(mechanism.label, {}) if mechanism else own.setdefault("as_it_is", {})

    def recordings(self, name):
        """A set of the body, read once."""
        if name not in self.read:
            folder = getattr(self.options, name.split()[0])
            recordings = self.read[name] = Recordings(name, folder, self.options)
            if not recordings.folders:
                sys.exit(f"measure_mechanisms: {folder} has no recordings with truth.jsonl")
            self.kept["sets"].setdefault(name, {}).update(
                recordings=len(recordings.folders), frames=sum(len(truth.joints) for truth in recordings.truth.values()))
        return self.read[name]

    def start(self, name, part, mechanism, seeds):
        """Starts what is not there yet of a mechanism, or of everything on, on a set up to a part of its recordings."""
        if name in OTHERS:
            return [self.start_other(name, mechanism, seed) for seed in seeds]
        recordings, run = self.recordings(name), mechanism.label if mechanism else ""

        def usual(seed):
            """With everything on, on as many parts as there are."""
            return next(filter(None, (recordings.figures("", seed, k) for k in range(recordings.parts() - 1, -1, -1))), None)

        groups = []
        for seed in seeds:
            places = {path: recordings.place(run, seed, path) for path in recordings.first(part)}
            missing = [path for path, place in places.items() if place not in self.begun and not place.exists()]
            self.begun.update(places.values())
            groups.append(self.group(name, mechanism, seed, lambda seed=seed: recordings.figures(run, seed, part) if mechanism else usual(seed),
                                     [(recordings.track, self.runner, path, run, seed, mechanism) for path in missing]))
        return groups

    def start_other(self, name, mechanism, seed):
        if "error" in self.rows(name, mechanism).get(str(seed), {}):
            return self.group(name, mechanism, seed, None, [])
        settings = ",".join(mechanism.switches) if mechanism else ""
        own, found = self.measurement.off(mechanism.options.split() if mechanism else ()), {}

        def work():
            found.update(own.run(name, settings, seed))
            return {}

        return self.group(name, mechanism, seed, lambda: head_face_figures(found), [(work,)])

    def group(self, name, mechanism, seed, figures, jobs):
        """Runs whose results make one row."""
        group = {"name": name, "mechanism": mechanism, "seed": seed, "figures": figures, "left": len(jobs), "failed": False}
        for job in jobs:
            self.open += 1
            self.pool.submit(self.guarded, *job).add_done_callback(lambda done: self.done.put((group, done.result())))
        return group

    def guarded(self, work, *arguments):
        if self.late():
            return {"late": True}
        try:
            return work(*arguments)
        except (RuntimeError, OSError, ValueError) as error:
            return {"failed": str(error)}

    def finish(self, group):
        name, mechanism, seed = group["name"], group["mechanism"], group["seed"]
        row = group["figures"] and group["figures"]()
        if not row:
            return
        self.rows(name, mechanism)[str(seed)] = row
        told = ", ".join(f"{key} {value:.3f}" for key, value in mean_of(row).items() if value is not None)
        print(f"{name}, {mechanism.label if mechanism else 'as it is'}, seed {seed}: {told}", flush=True)
        self.write()

    def fail(self, group, why):
        name, mechanism = group["name"], group["mechanism"]
        self.rows(name, mechanism)[str(group["seed"])] = {"failed": why}
        print(f"{name}, {mechanism.label if mechanism else 'as it is'}: {why}", file=sys.stderr, flush=True)

    def run(self, sets, mechanisms):
        mechanisms = [mechanism for mechanism in mechanisms if set(mechanism.sets) & set(sets)]
        unread = check_names(self.options.command, [word for mechanism in mechanisms for word in mechanism.switches])
        if unread:
            sys.exit(f"measure_mechanisms: {self.options.command} does not read {', '.join(unread)}: build it with KINEMA_TUNABLE")
        seeds = [int(seed) for seed in self.options.seeds.split(",")]
        with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(self.options.jobs) as self.pool:
            self.measurement = OffMeasurement(self.options.command, scratch, self.options.clip, "depth", self.options.faces)
            if others := {name for name in sets if name in OTHERS}:
                self.measurement.prepare(others)
            parts = {name: 1 if name in others else self.recordings(name).parts() for name in sets}
            to_do = {mechanism.label: [(name, part) for part in range(max(parts.values())) for name in sets
                                       if name in mechanism.sets and part < parts[name]] for mechanism in mechanisms}
            begun, groups = set(), []

            def begin(name, part, mechanism):
                usual = [] if (name, part) in begun else self.start(name, part, None, SEEDS)
                begun.add((name, part))
                return usual + self.start(name, part, mechanism, seeds)

            def next_groups(mechanism):
                steps = to_do[mechanism.label]
                if self.options.undecided:
                    steps = steps[:1] if verdict(mechanism, self.kept) != "pays" else []
                to_do[mechanism.label] = to_do[mechanism.label][1:] if steps and self.options.undecided else []
                return [group for name, part in steps for group in begin(name, part, mechanism)]

            for mechanism in mechanisms:
                groups += next_groups(mechanism)
            late, complete = False, [group for group in groups if group["left"] == 0]
            while self.open or complete:
                if not complete:
                    group, result = self.done.get()
                    self.open, group["left"] = self.open - 1, group["left"] - 1
                    late = late or "late" in result
                    if "failed" in result and not group["failed"]:
                        self.fail(group, result["failed"])
                    group["failed"] = group["failed"] or "failed" in result or "late" in result
                    complete = [group] if group["left"] == 0 else []
                for group in complete:
                    if not group["failed"]:
                        self.finish(group)
                ended, complete = complete, []
                for group in ended:
                    if group["mechanism"] and group["seed"] == seeds[-1]:
                        complete += [further for further in next_groups(group["mechanism"]) if further["left"] == 0]
        self.write(now=True)
        if late:
            print("stopped after --minutes: run it again to go on", file=sys.stderr)


# ---- the page

def mean_of(row):
    """The figures of a row: the means over its recordings, where it has some."""
    by = list(row["by"].values()) if "by" in row else [row]
    return {key: fmean(own[key] for own in by) if by[0][key] is not None else None for key in by[0]}


def weighed_loss(key, sense, off, usual, seed):
    """The mean loss over recordings, and its standard deviation by what seeds move, which is their weight: on some recordings
    one seed turns a person round and another does not. Where not one bit changes the loss is 0."""
    weights, losses = [], []
    for name, row in off["by"].items():
        on = [own["by"][name][key] for own in usual.values() if name in own["by"]]
        if not on:
            continue
        if timeless(row) == timeless(usual.get(seed, {"by": {}})["by"].get(name, {})):
            losses.append(0)
            weights.append(LEAST_SPREAD ** -2)
            continue
        losses.append(fmean(sense(value, row[key]) for value in on))
        # by how much one run differs from the mean of the others
        variance = stdev(sense(value, row[key]) for value in on) ** 2 if len(on) > 1 else 0
        weights.append(1 / (variance + LEAST_SPREAD ** 2) / (1 + 1 / len(on)))
    return (sum(w * x for w, x in zip(weights, losses)) / sum(weights), sum(weights) ** -0.5) if weights else None


def worth(name, kept, label):
    """What a mechanism is worth in each figure of a set, the mean over seeds; or a word."""
    of = kept["sets"].get(name, {})
    rows, usual = of.get("mechanisms", {}).get(label, {}), of.get("as_it_is", {})
    if any("failed" in row for row in rows.values()):
        return "fails"
    both = [seed for seed in rows if seed in usual]
    if not both or any("error" in rows[seed] and rows[seed]["error"] is None for seed in both):
        return "fails" if both else None
    figures = {"noise": {}, "recordings": 0}
    for key, (sense, _) in FIGURES[name].items():
        if "by" in rows[both[0]]:
            told = [loss for seed in both if (loss := weighed_loss(key, sense, rows[seed], usual, seed))]
            if not told:
                return None
            figures[key], figures["noise"][key] = fmean(loss for loss, _ in told), told[0][1] / len(told) ** 0.5
            figures["recordings"] = min(len(rows[seed]["by"]) for seed in both)
        elif rows[both[0]].get(key) is not None:
            figures[key] = fmean(sense(usual[seed][key], rows[seed][key]) for seed in both)
            values = [row[key] for row in usual.values()] if name in TRAINED else [0]  # other faces are no noise
            figures["noise"][key] = (max(values) - min(values)) / 2 / len(both) ** 0.5
    if all(unchanged(rows[seed], usual[seed]) for seed in both):
        figures["equal"] = True
    return figures


def timeless(row):
    return {key: value for key, value in row.items() if key != "milliseconds"}


def unchanged(row, usual):
    if "by" not in row:
        return timeless(row) == timeless(usual)
    return all(timeless(own) == timeless(usual["by"].get(name, {})) for name, own in row["by"].items())


def pays(name, figures, clearly):
    return any(figures.get(key, 0) >= max(bound, 2 * figures["noise"][key] if clearly else 0)
               for key, (_, bound) in FIGURES[name].items())


def verdict(mechanism, kept):
    """What its figures say of a mechanism."""
    if mechanism.why_not:
        return f"not measured: {mechanism.why_not}"
    told = {name: worth(name, kept, mechanism.label) for name in mechanism.sets}
    if all(figures is None for figures in told.values()):
        return ""
    if any(figures == "fails" or figures and pays(name, figures, True) for name, figures in told.items()):
        return "pays"
    if any(figures is None or figures["recordings"] < kept["sets"][name].get("recordings", 0) for name, figures in told.items()):
        return "not on all recordings yet"
    if any(pays(name, figures, False) for name, figures in told.items()):
        return "within the noise"
    if all("equal" in figures for figures in told.values()):
        return f"not reached{': ' + mechanism.kept if mechanism.kept else ''}"
    if mechanism.kept:
        return f"kept: {mechanism.kept}"
    return "**does not pay**"


def cell(name, figures):
    if figures is None or figures == "fails":
        return figures or ""
    several = f" ({figures['recordings']})" if figures["recordings"] else ""
    if "equal" in figures:
        return "=" + several
    told = []
    for key, (_, bound) in FIGURES[name].items():
        if key not in figures or (key == "found" and abs(figures[key]) < 0.005):
            continue
        digits = (1 if figures["recordings"] else 2) if bound >= 0.05 else 3
        text, noise = f"{figures[key]:+.{digits}f}", figures["noise"][key]
        text = f"**{text}**" if figures[key] >= max(bound, 2 * noise) else text
        text += f" ± {noise:.{digits}f}" if noise else ""
        told.append(f"found {text}" if key == "found" else text)
    return ", ".join(told) + several


def as_it_is(name, kept):
    """A row of figures with everything on, and how far seeds move them."""
    rows = [mean_of(row) for row in kept["sets"][name].get("as_it_is", {}).values() if row.get("error", 0) is not None]
    told = []
    for key in ("error", "near", "stated", "found", "beside", "normalised", "trembling", "milliseconds"):
        values = [row[key] for row in rows if row.get(key) is not None]
        digits = 3 if key == "beside" else 2
        told.append(f"{fmean(values):.{digits}f} ({max(values) - min(values):.{digits}f})" if values else "")
    return told


def table(mechanisms, measured, kept):
    """Mechanisms and what each is worth on the sets that it has."""
    names = [name for name in measured if any(name in mechanism.sets for mechanism in mechanisms)]
    text = f"| mechanism | lines | constants | {''.join(name + ' | ' for name in names)}|\n"
    text += f"| --- | ---: | --- |{' ---: |' * len(names)} --- |\n"
    for mechanism in mechanisms:
        constants = mechanism.constants.split() if mechanism.gone else constants_of(mechanism)
        listed = ", ".join(constants) if len(constants) <= 3 else f"{len(constants)}"
        cells = [cell(name, worth(name, kept, mechanism.label)) if name in mechanism.sets else "" for name in names]
        label = mechanism.label if mechanism.gone else mechanism.name
        said = "" if mechanism.gone else verdict(mechanism, kept)
        text += f"| `{label}`: {mechanism.what} | {mechanism.lines} | {listed} | {''.join(c + ' | ' for c in cells)}{said} |\n"
    return text


def page():
    kept = json.loads(RESULTS.read_text())
    text = INTRODUCTION
    measured = [name for name in FIGURES if kept["sets"].get(name, {}).get("as_it_is")]
    text += "\n## With everything on\n\nIn brackets how far three seeds (of faces and films: other ones) move a figure: less is noise.\n\n"
    text += "| set | recordings | frames | error | near | stated | found | beside | normalised | trembling | ms a frame |\n"
    text += "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    for name in measured:
        of = kept["sets"][name]
        text += f"| {name} | {of.get('recordings', '')} | {of.get('frames', '')} | {' | '.join(as_it_is(name, kept))} |\n"
    for name in measured:
        if name in METRICS:
            text += f"\n- **{name}**: {METRICS[name].format(mode='depth', faces='photographs')}."
    text += "\n" * any(name in METRICS for name in measured)
    for tracker in TRACKERS:
        text += f"\n## {tracker.capitalize()}\n\n" + table([m for m in MECHANISMS if m.tracker == tracker and not m.gone], measured, kept)
    if gone := [mechanism for mechanism in MECHANISMS if mechanism.gone]:
        names = {name for mechanism in gone for name in mechanism.constants.split()}
        text += f"\n## Deleted\n\n{len(gone)} mechanisms of about {sum(m.lines for m in gone)} lines and {len(names)} constants did not pay:\n\n"
        text += table(gone, measured, kept)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--command", type=Path, default=ROOT / "build" / "tunable" / "kinema", help="a kinema built with KINEMA_TUNABLE")
    parser.add_argument("--work", type=Path, help="a folder for what was tracked, kept")
    for name in FOLDERS:
        parser.add_argument(f"--{name}", type=Path, metavar="DIR", help="recordings with truth")
    parser.add_argument("--faces", metavar="NAME=FOLDER", help="labelled photographs")
    parser.add_argument("--clip", nargs=2, action="append", default=[], metavar=("FOLDER", "BOXES"))
    parser.add_argument("--sets", default="", help="of " + ", ".join(FIGURES))
    parser.add_argument("--only", default="", help="mechanisms or trackers")
    parser.add_argument("--undecided", action="store_true", help="none that pays already by what is kept")
    parser.add_argument("--recordings", default="", help="names of recordings of the body: only these, in this order")
    parser.add_argument("--part", type=int, help="as many recordings of a set at once: with --undecided, others follow while needed")
    parser.add_argument("--frames", type=int, help="of each such recording, at most")
    parser.add_argument("--seeds", default=str(SEEDS[0]), help="of runs without a mechanism")
    parser.add_argument("--particles", type=int, default=200)
    parser.add_argument("--points", type=int, default=3000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at once, of one thread each")
    parser.add_argument("--minutes", type=float, help="start nothing after these")
    options = parser.parse_args()
    options.recordings = [name for name in options.recordings.split(",") if name]
    if options.list:
        for mechanism in MECHANISMS:
            if mechanism.gone:
                continue
            how = " ".join(mechanism.switches) or mechanism.options or f"not measured: {mechanism.why_not}"
            print(f"{mechanism.label:34} {mechanism.what}  [{how}]")
        return
    if options.check:
        found = complaints()
        if not found and RESULTS.exists() and (not PAGE.exists() or PAGE.read_text() != page()):
            found = [f"{PAGE.relative_to(ROOT)} is not up to date: run scripts/measure_mechanisms.py"]
        sys.exit("\n".join(found) or 0)
    if options.measure:
        if options.work is None:
            parser.error("--measure needs --work")
        options.work, options.command = options.work.resolve(), options.command.resolve()
        given = [name for name in FIGURES if name not in OTHERS and getattr(options, name.split()[0])]
        sets = [name for name in options.sets.split(",") if name] or given
        if unknown := [name for name in sets if name not in FIGURES]:
            parser.error(f"--sets {unknown[0]}: give some of {', '.join(FIGURES)}")
        if lacking := [name for name in sets if name not in OTHERS and not getattr(options, name.split()[0])]:
            parser.error(f"--sets {lacking[0]}: give --{lacking[0].split()[0]} DIR")
        if not sets:
            parser.error("give a folder of recordings, or --sets")
        session = Session(options)
        largest_first = sorted(chosen(options.only), key=lambda mechanism: -mechanism.lines)
        session.run(sets, [mechanism for mechanism in largest_first
                           if not (options.undecided and verdict(mechanism, session.kept) == "pays")])
    if not RESULTS.exists():
        sys.exit(f"{RESULTS.relative_to(ROOT)} is not there: measure first")
    PAGE.write_text(page())


if __name__ == "__main__":
    main()
