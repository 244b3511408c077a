#!/usr/bin/env python3
"""Runs clang-tidy on the C++ sources of a configured build, except those that have not changed since they were clean.

    scripts/tidy.py [BUILD [FOLDER...]] [--seconds N]

BUILD defaults to build/lint (cmake --preset lint: clang-tidy cannot read g++'s precompiled headers), FOLDER to all source
folders. CUDA sources are not checked. Sources that changed most recently come first; after N seconds no more are started,
and the last line states how many remain.

A source is unchanged if its text, the text of every header of the project that it includes, its compile command,
.clang-tidy, the version of clang-tidy and those of the libraries that scripts/setup.sh names are the same. The cache is
$XDG_CACHE_HOME/kinema/tidy, by default ~/.cache/kinema/tidy; entries are empty files.
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


def libraries():
    """The versions of Debian's packages with headers that kinema uses. Others may be installed meanwhile."""
    named = set(re.findall(r"^\S+-dev", (ROOT / "scripts" / "setup.sh").read_text(), re.M))
    parts = ("libc6-dev", "libstdc++-", "libboost", "libopencv-")  # come with these, or with the compiler
    return [line for line in output("dpkg-query", "-W", "-f", "${Package} ${Version}\n").splitlines()
            if (package := line.split()[0]) in named or package.startswith(parts) and package.endswith("-dev")]


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
    """The number of commits since each file changed; 0 for uncommitted changes."""
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
    # a header that bench/machine.cpp includes
    subprocess.run(["cmake", "--build", str(build), "--target", "kinema_commit"], cwd=ROOT, capture_output=True)
    # only sources of this build: others have no compile command
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        if file.suffix == ".cpp" and any(file.is_relative_to(ROOT / folder) for folder in arguments.folders):
            commands[file] = entry["command"]

    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "kinema" / "tidy"
    cache.mkdir(parents=True, exist_ok=True)
    surroundings = "\n".join([output("clang-tidy", "--version"), (ROOT / ".clang-tidy").read_text(), *libraries()])
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
    print(f"tidy: {len(commands)} sources, {len(commands) - len(todo)} unchanged, "
          f"{len(todo) - left} checked, {wrong} with findings" + (f"; {left} not checked, out of time" if left else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
