"""Signals at random moments: nothing is lost that was said to be kept."""

import json
import os
import random
import shutil
import signal
import time

from commands import Case
from results import count_in, whole_lines, whole_png
import senders

COUNTED = (".jsonl", ".csv", ".bvh")  # files that say how many frames they hold
SIGNALS = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
CHEAP = ["--particles", "20", "--points", "200", "--layers", "1", "--refined", "2", "--rivals", "0", "--no-shape",
         "--lag", "0", "--threads", "1"]


def codes_after(number):
    """It ended before, or the signal ended it before it was ready to take it as a request, or it did what was asked."""
    return [0, -number]


def into_files(kinema, case, words, outputs, runs, stdin=None):
    """A run that replaces former results: each file is the former one or a new one, both whole."""
    began = time.monotonic()
    kinema.need(words, stdin)
    length = time.monotonic() - began
    frames = max(count_in(kinema.folder / name) for name in outputs)
    chance = random.Random(1)
    for _ in range(runs):
        number = chance.choice(SIGNALS)
        ended = kinema.signalled([*words, "--json"], number, chance.uniform(0, 1.1 * length), stdin)
        faults = ended.faults(codes_after(number))
        # one that was stopped before its first frame leaves the former results
        kept = ended.json()["frames"] if ended.code == 0 and ended.json()["frames"] > 0 else frames
        for name in outputs:
            there = count_in(kinema.folder / name)
            if there < 0 or there != kept and name.endswith(COUNTED):
                faults.append(f"{name} holds {there} of {kept} frames")
        for partial in kinema.folder.glob("*.jsonl.partial"):
            if whole_lines(partial.read_bytes()) < 0:
                faults.append(f"{partial.name} is torn")
        case.check(faults, signal.Signals(number).name)
        if kept < frames:  # so that a torn result cannot pass for one that was stopped
            kinema.need(words, stdin)
    case.notes.append(f"{length:.2f} s each")


def body_track(kinema, runs):
    case = Case("body track, killed")
    outputs = ["poses.jsonl", "poses.csv", "walk.bvh"]
    into_files(kinema, case, ["body", "track", "--input", "walk", "--out", outputs[0], "--csv", outputs[1], "--bvh",
                              outputs[2], *CHEAP], outputs, runs)
    return case


def face_fit(kinema, runs):
    case = Case("face fit, killed")
    outputs = ["faces.jsonl", "faces.csv", "faces.mp4"]
    into_files(kinema, case, ["face", "fit", "--input", "film", "--sequence", "--out", outputs[0], "--csv", outputs[1],
                              "--overlay", outputs[2], "--threads", "1"], outputs, runs)
    return case


def record(kinema, runs):
    """A recording is whole at any moment, and holds what it said."""
    case = Case("record, killed")
    (kinema.folder / "frames").write_bytes(senders.stream(200, 160, 120))
    words = ["record", "--input", "-", "--out", "copy", "--json", "--threads", "2"]
    began = time.monotonic()
    kinema.need(words, kinema.folder / "frames")
    length = time.monotonic() - began
    chance = random.Random(2)
    copy = kinema.folder / "copy"
    for _ in range(runs):
        shutil.rmtree(copy, ignore_errors=True)
        number = chance.choice(SIGNALS)
        ended = kinema.signalled(words, number, chance.uniform(0, 1.1 * length), kinema.folder / "frames")
        faults = ended.faults(codes_after(number) + [1])  # 1: stopped while it waited for the first frame
        pictures = [path for path in copy.glob("depth/*.png") if not path.name.startswith(".")]
        faults += [f"{path.name} is torn" for path in pictures if whole_png(path.read_bytes()) < 0]
        if ended.code == 0 and ended.json()["frames"] != len(pictures):
            faults.append(f"it said {ended.json()['frames']} frames, and {len(pictures)} are there")
        if pictures:
            opened = kinema.run(["body", "track", "--input", "copy", "--out", "/dev/null", "--frames", "1", *CHEAP])
            faults += opened.faults([0, 1])  # 1: there is nobody in it
        case.check(faults, signal.Signals(number).name)
    case.notes.append(f"{length:.2f} s each")
    return case


def batch(kinema, runs):
    """What is done stays done, and the rest is done by the next run."""
    case = Case("batch, killed")
    jobs = len(list((kinema.folder / "recordings").iterdir()))
    words = ["batch", "recordings", "--out", "batch", "--body", " ".join(CHEAP[:-2]), "--json"]
    began = time.monotonic()
    kinema.need(words)
    length = (time.monotonic() - began) / jobs
    out, chance, done = kinema.folder / "batch", random.Random(3), {}

    def records():
        found = {}
        for path in out.glob("results/*/job.json"):
            if json.loads(path.read_text())["state"] == "done":
                found[path.parent.name] = path.read_bytes() + (path.parent / "poses.jsonl").read_bytes()
        return found

    for _ in range(runs):
        if len(done) == jobs:
            shutil.rmtree(out)
            done = {}
        number = chance.choice(SIGNALS)
        twice = chance.random() < 0.5
        child = kinema.start(words)
        time.sleep(chance.uniform(0, 0.3 + 4 * length))
        os.kill(child.pid, number)
        if twice and number != signal.SIGKILL:
            time.sleep(chance.uniform(0, 0.2))
            os.kill(child.pid, number)
        ended = kinema.end(child)
        faults = ended.faults(codes_after(number) + [1])
        if ended.code == 1:
            summary = ended.json()
            if not summary["shard"]["stopped"] or summary["done"] != len(records()):
                faults.append(f"it said {summary['shard']} with {len(records())} done")
            if not (out / "batch.html").read_bytes().rstrip().endswith(b"</html>"):
                faults.append("the report is torn")
        now = records()
        faults += [f"{name} was done and is lost" for name, bytes in done.items() if now.get(name) != bytes]
        done = now
        case.check(faults, signal.Signals(number).name + (" twice" if twice else ""))
    last = kinema.run(words)
    done = len(records())
    case.check(last.faults([0]) + ([] if done == jobs else [f"{done} of {jobs} are done in the end"]))
    left = [path.name for path in (out / "work").iterdir() if path.name != "report.lock"]
    case.check([f"{name} is left of jobs under way" for name in left])
    return case
