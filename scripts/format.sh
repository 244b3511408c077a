#!/usr/bin/env bash
# Checks the layout of all C++ and CUDA sources, or corrects it with --fix. Exit 77: clang-format is not installed.
set -euo pipefail
cd "$(dirname "$0")/.."

# the layout differs slightly between releases, so everybody uses the same
clang_format=''
for candidate in clang-format-14 clang-format; do
  if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q 'version 14\.'; then
    clang_format=$candidate
    break
  fi
done
if [ -z "$clang_format" ]; then
  echo 'skipped: clang-format 14 is not installed' >&2
  exit 77
fi

sources() { find include src app bench python tests -type f -regex '.*\.\(h\|cpp\|cu\|cuh\)' -print0; }

if [ "${1:-}" = --fix ]; then
  sources | xargs -0 "$clang_format" -i
elif ! complaints=$(sources | xargs -0 "$clang_format" --dry-run -Werror 2>&1); then
  grep -oE '^[^ :]+:[0-9]+' <<<"$complaints" | sort -u -t: -k1,1
  echo 'not as clang-format wants it, from these lines on; mend with: make format'
  exit 1
fi
