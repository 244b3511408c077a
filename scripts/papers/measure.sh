#!/usr/bin/env bash
# Measures on this machine all that docs/benchmarks.md and docs/papers/*.md show: body.json, head.json, face.json and
# paper-clips.json in a folder. Kept as bench/results/body-<device>.json and so on, they go into the pages.
#
#   scripts/papers/measure.sh KINEMA DIR [SECONDS]      SECONDS for each row [0.5]
#
# PARTS in the environment: some of "body head face clips". LIMIT: the longest that one may take, in seconds [none]. CLIPS: a folder
# with the motion-capture clips 02_01.bvh and 79_08.bvh [build/clips]; without it samples/walk.bvh is tracked.
set -uo pipefail
cd "$(dirname "$0")/../.."
kinema=$1 out=$2 seconds=${3:-0.5}
clips=${CLIPS:-build/clips}
half=$(awk "BEGIN { print $seconds / 2 }")
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
mkdir -p "$out"

measure() {
  case $1 in
    body) set -- "$kinema" bench body --seconds "$seconds" --out "$made" ;;
    head) set -- "$kinema" bench head --seconds "$half" --out "$made" ;;
    face) set -- "$kinema" bench face --seconds "$half" --model models/face.kface --out "$made" ;;
    clips)
      set -- "walk=samples/walk.bvh@0:60"
      [ -d "$clips" ] && set -- "walk=$clips/02_01.bvh@0:60" "box=$clips/79_08.bvh@2:60"
      set -- scripts/papers/measure_clips.py "$@" --kinema "$kinema" --out "$made/paper-clips.json"
      ;;
  esac
  timeout "${LIMIT:-0}" "$@" >/dev/null && cp "$made"/*.json "$out"
}

failed=0
for part in ${PARTS:-body head face clips}; do
  begun=$SECONDS
  measure "$part" || { failed=1; echo "measure.sh: $part failed" >&2; }
  echo "== $part: $((SECONDS - begun)) s"
done
exit $failed
