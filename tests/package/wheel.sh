#!/usr/bin/env bash
# A wheel of scripts/make_wheel.py in an environment that holds nothing else but NumPy: the README's Python program, the
# command, and the model of faces. Exit 77 with a line: there is no wheel, or nothing to install it with.
#
#   wheel.sh SOURCES FOLDER
set -euo pipefail
sources=$1 folder=$2

skip() { echo "skipped: $*"; exit 77; }
wheel=$(ls -t "$folder"/kinema-*-cp*.whl 2>/dev/null | head -n 1 || true)
[ -n "$wheel" ] || skip "there is no wheel in $folder: make wheel"
python=python$(sed -E 's/.*-cp([0-9])([0-9]+)-cp.*/\1.\2/' <<<"$wheel")
[ ! -x "/usr/bin/$python" ] || python=/usr/bin/$python
command -v "$python" >/dev/null || skip "the wheel is for $python, which is not here"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/venv" >/dev/null 2>&1 || skip "$python cannot make environments (Debian: python3-venv)"
if ! "$work/venv/bin/pip" install --quiet numpy >/dev/null 2>&1; then
  # without an index: that of the interpreter
  "$python" -c 'import numpy' 2>/dev/null || skip 'there is no NumPy, and no index of packages to get it from'
  "$python" -m venv --system-site-packages "$work/venv" >/dev/null
fi
"$work/venv/bin/pip" install --quiet --no-index "$wheel"

# no library of the system but what every system has: none of those that a build needs
cd "$work"
export PATH=$work/venv/bin:/usr/bin:/bin
unset PYTHONPATH LD_LIBRARY_PATH
find "$work/venv" -path '*kinema*' \( -name '*.so*' -o -path '*/bin/kinema' \) -exec ldd {} + >loaded 2>/dev/null || true
! grep 'not found' loaded
! grep '=> /' loaded | grep -vE "=> ($work/venv/|\S*/(libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so)"

kinema devices
kinema devices | grep 'cuda  *no  .*is not installed' >/dev/null
kinema devices --json | grep '"face_model": "/'
python -c 'from kinema import face; face.read_model()'
kinema body simulate --motion "$sources/samples/walk.bvh" --mode depth --frames 24 --out walk >/dev/null
kinema body track --input walk --out command.jsonl >/dev/null
KINEMA_SOURCE=$sources KINEMA_COMMAND=kinema KINEMA_PROGRAM= PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/readme \
  python - <<'END'
import pathlib
import test_readme

exec(test_readme.python_program())
of_python, of_command = (test_readme.poses(pathlib.Path(name)) for name in ("poses.jsonl", "command.jsonl"))
assert of_python == of_command and len(of_python) == 24, "the README's program and the command disagree"
END
echo "$(basename "$wheel"): $(stat -c %s "$wheel") bytes"
