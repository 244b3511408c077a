#!/usr/bin/env python3
"""clang-tidy over the C++ sources of a configured build; what was clean and has not changed since is not read again.

    scripts/tidy.py [BUILD [FOLDER...]] [--seconds N]

BUILD is build/lint (cmake --preset lint: clang-tidy cannot read g++'s precompiled headers), the folders are all that hold
sources. CUDA sources are left to nvcc. The sources that changed last come first; after N seconds no more are started, and
the last line says how many were left.

A source was clean if its own text, that of every header of the project below it, its compile command, .clang-tidy, the
release of clang-tidy and the versions of the installed libraries are the same. Such marks are kept in
$XDG_CACHE_HOME/kinema/tidy, or ~/.cache/kinema/tidy.
"""

import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDERS = ["src", "app", "bench", "python", "tests"]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.M)
COUNT = re.compile(r"^(\d+ warnings? generated\.|Suppressed \d+ warnings.*|Use -header-filter.*)\n", re.M)


def output(*command):
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    except FileNotFoundError:
        return ""


@functools.lru_cache(maxsize=None)
def headers_of(file):
    """The files of the project that a file includes directly."""
    found = []
    for name in INCLUDE.findall(file.read_text(errors="replace")):
        for folder in (file.parent, ROOT / "include", ROOT / "src", ROOT, *file.parents[:-1]):
            candidate = folder / name
            if candidate.is_file():
                if candidate.resolve().is_relative_to(ROOT):
                    found.append(candidate.resolve())
                break
    return found


def closure(file):
    seen, todo = {file}, [file]
    while todo:
        for header in headers_of(todo.pop()):
            if header not in seen:
                seen.add(header)
                todo.append(header)
    return sorted(seen)


@functools.lru_cache(maxsize=None)
def text_hash(file):
    return hashlib.sha256(file.read_bytes()).hexdigest()


def key_of(file, command, surroundings):
    parts = [surroundings, command.replace(str(ROOT), "")]
    parts += [f"{part.relative_to(ROOT)} {text_hash(part)}" for part in closure(file)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def ages():
    """How long ago each file changed, in commits; what is not committed yet counts as now."""
    result, commit = {}, 0
    for line in output("git", "log", "--format=@", "--name-only", "-n", "300").splitlines():
        if line == "@":
            commit += 1
        elif line:
            result.setdefault(line, commit)
    for line in output("git", "status", "--porcelain").splitlines():
        result[line[3:]] = 0
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default="build/lint")
    parser.add_argument("folders", nargs="*", default=FOLDERS)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    arguments = parser.parse_args()

    build = (ROOT / arguments.build).resolve()
    if not (build / "compile_commands.json").is_file():
        print(f"tidy: {arguments.build} is not configured; run: cmake --preset lint", file=sys.stderr)
        return 2
    # only what this build compiles: a part that was left out has no command to read it with
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if file.suffix == ".cpp" and any(file.is_relative_to(ROOT / folder) for folder in arguments.folders):
            commands[file] = entry["command"]

    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "kinema" / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    libraries = output("dpkg-query", "-W", "-f", "${Package} ${Version}\n")
    surroundings = "\n".join([output("clang-tidy", "--version"), (ROOT / ".clang-tidy").read_text(),
                              *(line for line in libraries.splitlines() if "-dev" in line)])
    age = ages()
    todo = []
    for file in sorted(commands, key=lambda file: (age.get(str(file.relative_to(ROOT)), 1000), file)):
        mark = cache / key_of(file, commands[file], surroundings)
        if not mark.exists():
            todo.append((file, mark))

    end = time.monotonic() + arguments.seconds

    def check(job):
        file, mark = job
        if time.monotonic() > end:
            return None
        result = subprocess.run(["clang-tidy", "-p", str(build), "--quiet", str(file)], cwd=ROOT, capture_output=True,
                                text=True)
        complaints = COUNT.sub("", result.stdout + result.stderr)
        if result.returncode == 0 and not complaints.strip():
            mark.touch()
        else:
            print(complaints, end="", flush=True)
        return result.returncode == 0 and not complaints.strip()

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(check, todo))
    left, wrong = results.count(None), results.count(False)
    print(f"tidy: {len(commands)} sources, {len(commands) - len(todo)} unchanged since they were clean, "
          f"{len(todo) - left} read, {wrong} not clean" + (f"; {left} left for want of time" if left else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
