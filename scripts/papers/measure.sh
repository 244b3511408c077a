#!/usr/bin/env bash
# Measures on this machine all that docs/benchmarks.md and docs/papers/*.md show: body.json, head.json, face.json and
# paper-clips.json in a folder. Kept as bench/results/body-<device>.json and so on, they go into the pages.
#
#   scripts/papers/measure.sh KINEMA DIR [SECONDS]      SECONDS for each row [0.5]
#
# CLIPS names a folder with the motion-capture clips 02_01.bvh and 79_08.bvh [build/clips]; without it the filter of the body paper
# is measured on the clip that ships, samples/walk.bvh.
set -uo pipefail
cd "$(dirname "$0")/../.."
kinema=$1 out=$2 seconds=${3:-0.5}
clips=${CLIPS:-build/clips}
failed=0
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
mkdir -p "$out"

# measured: what is finished is kept, whatever fails after it
measured() {
  local begun=$SECONDS
  "$@" || { failed=1; echo "measure.sh: failed: $*" >&2; }
  cp "$made"/*.json "$out"
  echo "== $((SECONDS - begun)) s: ${*:2:2}"
}

measured "$kinema" bench body --out "$made" --seconds "$seconds" >/dev/null
measured "$kinema" bench head --out "$made" --seconds "$(awk "BEGIN { print $seconds / 2 }")" >/dev/null
measured "$kinema" bench face --out "$made" --seconds "$(awk "BEGIN { print $seconds / 2 }")" --model models/face.kface >/dev/null
if [ -d "$clips" ]; then
  clip=("walk=$clips/02_01.bvh@0:60" "box=$clips/79_08.bvh@2:60")
else
  clip=("walk=samples/walk.bvh@0:60")
fi
measured scripts/papers/measure_clips.py "${clip[@]}" --kinema "$kinema" --out "$made/paper-clips.json"
exit $failed
