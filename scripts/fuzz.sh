#!/usr/bin/env bash
# Fuzzes every reader of untrusted bytes, and prints executions and coverage of each as a table.
#
#   scripts/fuzz.sh [TARGET]...
#
# FUZZ_SECONDS: per target, 60 by default. FUZZ_JOBS: targets at once, 2 by default. The corpus of a target is kept in
# build/fuzz/corpus and starts its next run. Crashing inputs are left in build/fuzz/finds: fix the reader, and move the
# file to tests/fuzz/seeds/TARGET, which ctest replays. FUZZ_COVERAGE=1: then also counts lines (fuzz_coverage.sh).
set -euo pipefail
cd "$(dirname "$0")/.."

export FUZZ_SECONDS=${FUZZ_SECONDS:-60}
build=build/fuzz
if ! command -v clang++-14 >/dev/null; then
  echo 'fuzz: skipped: there is no clang++-14 (Debian: clang-14 and libclang-rt-14-dev, or scripts/setup.sh fuzz)' >&2
  exit 0
fi

mkdir -p $build/logs $build/finds
cmake --preset fuzz >$build/logs/configure.log || { cat $build/logs/configure.log >&2; exit 1; }
cmake --build $build --target fuzz_targets

if [ $# -gt 0 ]; then
  targets=("$@")
else
  mapfile -t targets < <(find $build -maxdepth 1 -name 'fuzz_*' -type f -executable -printf '%f\n' | sed 's/^fuzz_//' | sort)
fi

# fuzz_one TARGET. Inputs are small, so seconds for one are a hang, and hundreds of megabytes are an allocation by what
# a header claims.
fuzz_one() {
  mkdir -p "build/fuzz/corpus/$1"
  "build/fuzz/fuzz_$1" -max_total_time="$FUZZ_SECONDS" -max_len=8192 -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=256 \
    -artifact_prefix="build/fuzz/finds/$1-" -print_final_stats=1 \
    "build/fuzz/corpus/$1" "tests/fuzz/seeds/$1" >"build/fuzz/logs/$1.log" 2>&1 || true
}
export -f fuzz_one
printf '%s\n' "${targets[@]}" | xargs -P "${FUZZ_JOBS:-2}" -I{} bash -c 'fuzz_one {}'

failed=0
row() { printf '%-14s %12s %8s %8s %8s %8s  %s\n' "$@"; }
row target executions 'per s' edges features corpus result
for target in "${targets[@]}"; do
  log=$build/logs/$target.log
  stat() { sed -n "s/^stat::$1: *//p" "$log"; }
  reached=$(grep -oE 'cov: [0-9]+ ft: [0-9]+ corp: [0-9]+' "$log" | tail -n 1)
  read -r _ edges _ features _ corpus <<<"${reached:-cov: - ft: - corp: -}"
  result=$(grep -m 1 -oE 'SUMMARY: .*|ERROR: libFuzzer.*' "$log" || true)
  if [ -n "$result" ] || [ -z "$(stat number_of_executed_units)" ]; then failed=1; fi
  row "$target" "$(stat number_of_executed_units)" "$(stat average_exec_per_sec)" "$edges" "$features" "$corpus" "${result:-ok}"
done
if [ $failed = 1 ]; then
  echo "fuzz: what was found is in $build/finds, and what was printed in $build/logs" >&2
  exit 1
fi
if [ "${FUZZ_COVERAGE:-0}" != 0 ]; then
  echo
  scripts/fuzz_coverage.sh "${targets[@]}"
fi
