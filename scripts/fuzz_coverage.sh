#!/usr/bin/env bash
# Counts the lines that the fuzz targets reach with their seeds and what earlier runs of fuzz.sh left in build/fuzz/corpus.
#
#   scripts/fuzz_coverage.sh [TARGET]...
#
# Prints a line for each source; build/fuzz-coverage/html/index.html shows the lines themselves. The build is one of its
# own because the counters would slow the fuzzing.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/fuzz-coverage
for tool in clang++-14 llvm-profdata-14 llvm-cov-14; do
  if ! command -v $tool >/dev/null; then
    echo "fuzz_coverage: skipped: there is no $tool (Debian: clang-14, libclang-rt-14-dev and llvm-14)" >&2
    exit 0
  fi
done

mkdir -p $build/profiles
rm -f $build/profiles/*
cmake --preset fuzz -B $build -DCMAKE_CXX_FLAGS='-fprofile-instr-generate -fcoverage-mapping' >$build/configure.log ||
  { cat $build/configure.log >&2; exit 1; }
cmake --build $build --target fuzz_targets

if [ $# -gt 0 ]; then
  targets=("$@")
else
  mapfile -t targets < <(find $build -maxdepth 1 -name 'fuzz_*' -type f -executable -printf '%f\n' | sed 's/^fuzz_//' | sort)
fi

programs=()
for target in "${targets[@]}"; do
  mkdir -p "build/fuzz/corpus/$target"
  # -runs=0: only the given inputs. A crash leaves no counts.
  LLVM_PROFILE_FILE=$build/profiles/$target.profraw "$build/fuzz_$target" -runs=0 "build/fuzz/corpus/$target" \
    "tests/fuzz/seeds/$target" >"$build/profiles/$target.log" 2>&1 ||
    { echo "fuzz_coverage: $target failed: $build/profiles/$target.log" >&2; exit 1; }
  programs+=(-object "$build/fuzz_$target")
done
llvm-profdata-14 merge -sparse $build/profiles/*.profraw -o $build/lines.profdata

# the name of the first program stands without its option
cover() { llvm-cov-14 "$1" "${programs[@]:1}" -instr-profile=$build/lines.profdata "${@:2}" "$PWD/src"; }
cover show -format=html -output-dir=$build/html
cover export -summary-only | python3 -c '
import json, os, sys
report = json.load(sys.stdin)["data"][0]
lines = {os.path.relpath(os.path.normpath(file["filename"]), sys.argv[1]): file["summary"]["lines"] for file in report["files"]}
lines = {name: count for name, count in lines.items() if not name.startswith("..")}
total, reached = (sum(count[key] for count in lines.values()) for key in ("count", "covered"))
print("{:34} {:>8} {:>8} {:>8}".format("source", "lines", "reached", "share"))
for name, count in [*sorted(lines.items()), ("all", {"count": total, "covered": reached, "percent": 100 * reached / total})]:
    print("{:34} {:8} {:8} {:7.1f}%".format(name, count["count"], count["covered"], count["percent"]))
' "$PWD/src/"
