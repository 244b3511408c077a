#!/usr/bin/env python3
"""Runs the test programs of slow builds (asan, tsan, debug) in many small pieces on all cores.

    scripts/test_shards.py asan debug [--jobs 16] [--seconds 300] [--deadline 1800] [--only REGEX] [--out FOLDER]

ctest runs a program in one process, whose slowest program then decides how long it takes. Here each is divided into shards
of a few tests. A shard runs on two cores, or each of many side by side would start a thread a core. A shard that takes
longer than --seconds is stopped, all that are left after --deadline likewise, and the tests that were running are named.
What the tests printed is in FOLDER/<preset>.txt, FOLDER being build/shards unless given. Build the presets first. Where
sanitizers complain about the layout of memory, put `setarch -R` in front.
"""

import argparse
import concurrent.futures
import json
import os
import queue
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# The tests of a ctest test of this name, such as app.Demo, share what the first of them makes.
PART = re.compile(r"\w+\.[A-Z]")
PART_SHARDS = 4
EVERY_TEST_SKIPPED = 77  # exit status, see tests/test_main.cpp
LINE = re.compile(r"^\[ +(RUN|OK|FAILED|SKIPPED) +\] ([\w/]+\.[\w/]+)(?:.*\((\d+) ms\))?", re.M)


class Shard:
    def __init__(self, preset, name, command, index, count):
        self.preset, self.name, self.command, self.index, self.count = preset, name, command, index, count
        self.output, self.code, self.late, self.took = "", None, False, 0.0

    def run(self, log, seconds, deadline, cores):
        pair = cores.get()
        try:
            return self.run_on(pair, log, seconds, deadline)
        finally:
            cores.put(pair)

    def run_on(self, pair, log, seconds, deadline):
        seconds = min(seconds, deadline - time.monotonic())
        if seconds <= 0:
            self.late = True
            return self
        environment = {**os.environ, "GTEST_TOTAL_SHARDS": str(self.count), "GTEST_SHARD_INDEX": str(self.index)}
        environment.setdefault("TSAN_OPTIONS", f"suppressions={ROOT}/cmake/tsan.supp")
        start = time.monotonic()
        with open(log, "wb") as file:
            # a session of its own, so that programs that a test started are stopped with it
            process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                                       env=environment, start_new_session=True,
                                       preexec_fn=lambda: os.sched_setaffinity(0, pair))
            try:
                self.code = process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.late = True
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.took = time.monotonic() - start
        self.output = log.read_text(errors="replace")
        log.unlink()
        return self

    def tests(self):
        """The last word on each test: (RUN, OK, FAILED or SKIPPED, milliseconds). RUN: it was running when all ended."""
        last = {}
        for word, test, ms in LINE.findall(self.output):
            last[test] = (word, int(ms or 0))
        return last

    def title(self):
        return f"{self.preset} {self.name}, shard {self.index} of {self.count}"


def cases(command):
    listing = subprocess.run([*command, "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    return sum(line.startswith("  ") for line in listing.splitlines())


def shards_of(preset, jobs, only):
    """[(name, number of tests or None, shards)] of the programs that were compiled in this build"""
    done = subprocess.run(["ctest", "--preset", preset, "--show-only=json-v1"], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"test_shards: {done.stderr.strip()}\ntest_shards: build it first: cmake --preset {preset} && "
                 f"cmake --build --preset {preset}")
    found = []
    for test in json.loads(done.stdout)["tests"]:
        name, command = test["name"], test.get("command", [])
        if not command or not re.search(only, name) or Path(command[0]).parent != ROOT / "build" / preset:
            continue
        if not any(word.startswith("--gtest_filter") for word in command):
            found.append((name, None, [Shard(preset, name, command, 0, 1)]))
            continue
        command = [word for word in command if word != "--gtest_brief=1"]
        tests = cases(command)
        count = max(1, min(tests, PART_SHARDS if PART.match(name) else 4 * jobs))
        found.append((name, tests, [Shard(preset, name, command, i, count) for i in range(count)]))
    return found


def summary(preset, programs, out):
    """Writes what the tests of a preset printed, prints the outcome; returns whether all passed."""
    good = True
    with open(out / f"{preset}.txt", "w") as file:
        for name, tests, shards in programs:
            words, bad, unstarted = [], [], 0
            for shard in shards:
                if shard.output:
                    file.write(f"\n== {shard.title()}, {shard.took:.0f} s, exit {shard.code}\n{shard.output}")
                outcome = shard.tests()
                words += [word for word, _ in outcome.values()]
                running = [test for test, (word, _) in outcome.items() if word == "RUN"]
                failed = [test for test, (word, _) in outcome.items() if word == "FAILED"]
                bad += [f"  failed: {test}" for test in failed]
                if shard.late and not shard.took:
                    unstarted += 1
                elif shard.late:
                    bad.append(f"  out of time: shard {shard.index} after {shard.took:.0f} s, {', '.join(running) or 'no test running'}")
                elif shard.code not in (0, EVERY_TEST_SKIPPED) and not failed:
                    bad.append(f"  ended with {shard.code}: shard {shard.index}, {', '.join(running) or 'after its tests'}")
            if unstarted:
                bad.append(f"  out of time: {unstarted} shards that were not started")
            seconds = sum(shard.took for shard in shards)
            if tests is None:
                print(f"{preset:6} {name:14} {'failed' if bad else 'passed'}, {seconds:.0f} s")
            else:
                print(f"{preset:6} {name:14} {tests} tests: {words.count('OK')} passed, {words.count('SKIPPED')} skipped, "
                      f"{words.count('FAILED')} failed, {tests - len(words) + words.count('RUN')} not run to the end; "
                      f"{seconds:.0f} s in {len(shards)} shards")
            print("".join(f"{line}\n" for line in bad), end="")
            good = good and not bad
    slowest = sorted(((ms, test) for _, _, shards in programs for shard in shards
                      for test, (_, ms) in shard.tests().items()), reverse=True)
    print(f"{preset:6} slowest: " + ", ".join(f"{test} {ms / 1000:.0f} s" for ms, test in slowest[:5]))
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("presets", nargs="+")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=300, help="for one shard")
    parser.add_argument("--deadline", type=float, default=float("inf"), help="for everything, in seconds from the start")
    parser.add_argument("--only", default="", help="ctest tests whose name contains this regular expression")
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "shards")
    arguments = parser.parse_args()
    start = time.monotonic()
    deadline = start + arguments.deadline
    arguments.out.mkdir(parents=True, exist_ok=True)
    builds = {preset: shards_of(preset, arguments.jobs, arguments.only) for preset in arguments.presets}
    if not all(builds.values()):
        sys.exit(f"test_shards: no test fits --only {arguments.only}")
    all_cores, cores = sorted(os.sched_getaffinity(0)), queue.Queue()
    for job in range(arguments.jobs):
        cores.put({all_cores[(job + i) % len(all_cores)] for i in (0, 1)})
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        waiting = []
        for programs in builds.values():
            # those that cannot be divided further come first, so that nothing waits for them at the end
            for name, _, shards in sorted(programs, key=lambda program: len(program[2])):
                for shard in shards:
                    log = arguments.out / f".{shard.preset}.{name}.{shard.index}"
                    waiting.append(pool.submit(shard.run, log, arguments.seconds, deadline, cores))
        for done in concurrent.futures.as_completed(waiting):
            shard = done.result()
            if shard.code != 0 and shard.took:
                print(f"{time.monotonic() - start:.0f} s: {shard.title()}: {'out of time' if shard.late else 'failed'}", flush=True)
    good = [summary(preset, programs, arguments.out) for preset, programs in builds.items()]
    print(f"{time.monotonic() - start:.0f} s")
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
