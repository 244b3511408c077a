#!/usr/bin/env bash
# An installation finds its face model wherever it was moved, from the command, from Python and from a program that links the
# library, and never in the sources.
#
#   moved.sh PREFIX PROGRAM [PYTHON PACKAGES]: of an installation, with the folder of its Python packages below the prefix
set -euo pipefail
prefix=$1 program=$2 python=${3:-} packages=${4:-}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp -a "$prefix" "$folder/moved"
cd "$folder"

fail() { echo "$*" >&2; exit 1; }
from_python() { PYTHONPATH="$folder/moved/$packages" PYTHONDONTWRITEBYTECODE=1 "$python" -c 'from kinema import face; face.read_model()'; }

model() { moved/bin/kinema devices --json | sed -nE 's/.*"face_model": "?([^",]*)"?,?$/\1/p'; }

[ "$(model)" = "$folder/moved/share/kinema/face.kface" ] || fail "the command of the moved installation finds '$(model)'"
[ -z "$python" ] || from_python || fail 'the Python package does not find the model of the moved installation'
"$program" >/dev/null || fail 'a program that links the library does not find the model of the installation'

# no other model takes its place
rm moved/share/kinema/face.kface
[ "$(model)" = null ] || fail "without a model of its own the command finds '$(model)'"
[ -z "$python" ] || ! from_python 2>/dev/null || fail 'without a model of its own the Python package finds another'
