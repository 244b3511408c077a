#!/usr/bin/env python3
"""Makes docs/constants.md: the constants of each tracker that were chosen by trial (src/<tracker>/constants*.h), and how much
the result depends on them.

    scripts/measure_constants.py                             write the page from what is kept in bench/results
    scripts/measure_constants.py --check                     exit 1 if the page is not what the sources and results give
    scripts/measure_constants.py --list                      the constants, as tracker.name=value
    scripts/measure_constants.py --measure [--command build/tunable/kinema] [--only body,head] [--jobs 16]

The last runs a command that was built with -DKINEMA_TUNABLE=ON -DKINEMA_CUDA=OFF (without --command it is built first, in
build/tunable) with each constant doubled and halved, and keeps the numbers in bench/results/constants.json. constant_runs.py
says what is run. After a constant's unit may stand which of the measurements that its tracker has shows it ("; measured:
film"); its comment may say why none does ("Not measured: it only limits memory."), and so may a line below the title of a group. --mode is that of the walk (points where there is no OpenCV);
--clip a folder of pictures and a file with boxes x,y,w,h for the head; --faces a name and a folder of labelled photographs
for the face, in place of drawn ones.

Every run has one thread and the same seed, so that any machine can make --jobs of them at once. What one run varies by from
seed to seed is measured too: a change below that says nothing. --constants a,b measures these again and keeps the others.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from constant_runs import METRICS, ROOT, SEEDS, VARIED, Measurement

RESULTS = ROOT / "bench" / "results" / "constants.json"
PAGE = ROOT / "docs" / "constants.md"
TRACKERS = ("stereo", "body", "head", "face", "person")
USUAL = {"face": "face training"}  # where a constant has no tag

INTRODUCTION = """\
<!-- Made by scripts/measure_constants.py from the sources and bench/results/constants.json; changes made here by hand are
lost. -->
# Constants

Numbers that were chosen by trial, not derived. Each stands in `src/<tracker>/constants.h`, or in a `constants_<part>.h`
beside it, with its meaning. A build with `-DKINEMA_TUNABLE=ON -DKINEMA_CUDA=OFF` reads other values from the environment:
`KINEMA_CONSTANTS=head.size_gain=0.8,head.lost_contrast=0.2`.

The figures show how far a result depends on a constant in one measurement, not which value is best: it is made on little
data, in part on what the constant was chosen on. Three equal ones mean that a constant does not matter there, or that the
measurement does not reach it. Where nothing stands under "chosen on", the value was never revised, and what it was chosen on is
not recorded.
"""

SCALAR = re.compile(r"^KINEMA_CONSTANT\(([\w:]+), (\w+), (.+)\); +// (.*)")
ARRAY = re.compile(r"^inline constexpr [\w:<>, ]+? (\w+)(?:\[\])? = (\{.*\}); +// (.*)")
UNMEASURED = re.compile(r"// Not measured: (.*)\.$")  # of a group
COMMENT = re.compile(r"(.*?)(?: ?\[([^][]*)\])?(?: ?Not measured: (.*)\.)?")
MEASURED = "; measured: "
GROUP = re.compile(r"^namespace (\w+) \{")
NUMBER = re.compile(r"(?<![\w.])(\d+\.?\d*(?:e-?\d+)?)f?(?!\w)")


def value_of(text):
    """The number that a constant's text means: 0.06f, 1e-3, 1.0 / 30."""
    plain = NUMBER.sub(r"\1", text)
    if not re.fullmatch(r"[-+*/().\de ]+", plain):
        raise SystemExit(f"measure_constants: {text} is not a number that this script can read")
    return eval(plain, {"__builtins__": {}})


def headers(tracker):
    folder = ROOT / "src" / tracker
    return sorted(folder.rglob("constants*.h"), key=lambda path: path.name.removesuffix(".h"))


def constants(tracker):
    """Group, name, value, unit, origin and meaning of each constant, in the order of the files."""
    found, comment, group, why = [], [], "", None
    for path in headers(tracker):
        for line in path.read_text().splitlines():
            if line.startswith("///"):
                comment.append(line[3:].strip())
                continue
            if opened := GROUP.match(line):
                group = opened[1]
            if line.startswith("// ----"):
                why = None
            if unmeasured_group := UNMEASURED.match(line):
                why = unmeasured_group[1]
            scalar, array = SCALAR.match(line), ARRAY.match(line)
            if scalar or array:
                meaning, chosen, unmeasured = COMMENT.fullmatch(" ".join(comment)).groups()
                unmeasured = unmeasured or why
                name, text, beside = scalar.groups()[1:] if scalar else array.groups()
                unit, _, measured = beside.partition(MEASURED)
                found.append({"group": group, "name": name, "type": scalar[1] if scalar else "array",
                              "value": NUMBER.sub(r"\1", text), "meaning": meaning, "unit": unit, "chosen": chosen or "",
                              "measured": f"not: {unmeasured}" if unmeasured else measured})
            comment = []
    names = [constant["name"] for constant in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise SystemExit(f"measure_constants: {tracker} has these names twice: {', '.join(twice)}")
    return found


def measurement_of(tracker, constant):
    """The measurement that shows a constant's effect; nothing where there is none."""
    if constant["type"] == "array" or constant["measured"].startswith("not:"):
        return None
    return f"{tracker} {constant['measured']}" if constant["measured"] else USUAL.get(tracker, tracker)


def changed(constant, factor):
    """The value times the factor, as its type allows; nothing where that is the value itself."""
    value = value_of(constant["value"])
    other = value * factor
    if constant["type"] not in ("double", "float"):
        other = max(1, round(other))
    return None if other == value else other


def measure(arguments, trackers):
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    wanted = set(filter(None, arguments.constants.split(",")))
    all_constants = [(tracker, constant) for tracker in trackers for constant in constants(tracker)]
    measured = [(measurement_of(tracker, constant), tracker, constant) for tracker, constant in all_constants
                if measurement_of(tracker, constant) and (not wanted or constant["name"] in wanted)]
    names = {name for name, _, _ in measured}
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(arguments.jobs) as pool:
        measurement = Measurement(arguments.command, scratch, arguments.clip, arguments.mode, arguments.faces)
        measurement.prepare(names)

        def work(job):
            name, constant, word, setting, seed = job
            try:
                row = measurement.run(name, setting, seed)
            except RuntimeError as error:
                row = {"error": None, "found": 0, "why": str(error)}
            print(f"{name}, {setting or f'as it is, seed {seed}'}: {row}", file=sys.stderr, flush=True)
            return (name, constant, word), row

        jobs = []
        for name in sorted(names):
            if not wanted or name not in kept:
                kept[name] = {"constants": {}}
            kept[name].update(mode=arguments.mode, faces=measurement.faces_name)
            jobs += [(name, None, seed, "", seed) for seed in SEEDS]
        for name, tracker, constant in measured:
            for word, factor in (("halved", 0.5), ("doubled", 2)):
                other = changed(constant, factor)
                if other is not None:
                    jobs.append((name, constant["name"], word, f"{tracker}.{constant['name']}={other!r}", SEEDS[0]))
        for done, ((name, constant, word), row) in enumerate(pool.map(work, jobs), 1):
            if constant is None:
                kept[name].setdefault("as_it_is", {})[str(word)] = row
            else:
                kept[name]["constants"].setdefault(constant, {})[word] = row
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


def short(name):
    """What is measured, without the tracker's name: film of face film, track of person."""
    return name.split(" ", 1)[1] if " " in name else "track"


def page():
    kept = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    text = INTRODUCTION
    for tracker in TRACKERS:
        rows = constants(tracker)
        if not rows:
            continue
        names = [name for name in METRICS if name.split()[0] == tracker and "as_it_is" in kept.get(name, {})]
        several = any(row["measured"] for row in rows) and bool(names)
        text += f"\n## {tracker.capitalize()}\n\n"
        if several:
            text += "Halved, as it is, doubled:\n\n"
        for name in names:
            measured = kept[name]
            errors = [row["error"] for row in measured["as_it_is"].values()]
            metric = METRICS[name].format(mode=measured.get("mode"), faces=measured.get("faces"))
            lead = f"- **{short(name)}**: " if several else "Halved, as it is, doubled: "
            text += f"{lead}{metric}. {VARIED.get(name, 'Seeds alone')} move it from {min(errors):.2f} to {max(errors):.2f}.\n"
        text += "\n" * bool(names)
        titles = ["constant", "value", "unit", "chosen on"]
        titles += ["measured"] * several + ["halved", "as it is", "doubled"] * bool(names)
        figures = 3 * bool(names)
        text += f"| {' | '.join(titles)} |\n|{' --- |' * (len(titles) - figures)}{' ---: |' * figures}\n"
        for row in rows:
            label = f"{row['group']}::{row['name']}" if row["group"] else row["name"]
            cells = [f"`{label}`", row["value"], row["unit"], row["chosen"]]
            name = measurement_of(tracker, row)
            measured = kept.get(name, {})
            effect = measured.get("constants", {}).get(row["name"], {})
            if several:
                cells.append(short(name) if effect else row["measured"])
            if names:
                own = cell(measured["as_it_is"][str(SEEDS[0])]) if effect else ""
                cells += [cell(effect.get("halved")), own, cell(effect.get("doubled"))]
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
    parser.add_argument("--faces", metavar="NAME=FOLDER", help="labelled photographs")
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
