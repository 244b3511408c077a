#!/usr/bin/env bash
# clang-tidy over the C++ sources of a configured build. CUDA sources are left to nvcc.
#
#   scripts/tidy.sh [BUILD [FOLDER...]]      default: build/release, all folders
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}
[ $# -gt 0 ] && shift
folders=("$@")
[ ${#folders[@]} -gt 0 ] || folders=(src app bench python tests)

if [ ! -f "$build/compile_commands.json" ]; then
  echo "tidy: $build is not configured; run: cmake --preset release" >&2
  exit 2
fi
# only what this build compiles: a part that was left out has no command line to read it with
grep -o '"file": "[^"]*\.cpp"' "$build/compile_commands.json" | cut -d'"' -f4 | sort -u |
  { grep -E "^$PWD/($(IFS='|'; echo "${folders[*]}"))/" || true; } |
  xargs -P "$(nproc)" -n 1 clang-tidy -p "$build" --quiet 2>&1 |
  { grep -vE '^[0-9]+ warnings? generated\.$' || true; }  # those that were suppressed, in other people's headers
