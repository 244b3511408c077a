#!/usr/bin/env bash
# Makes a release of the tag that is checked out: sources, Debian packages, a wheel, what they are made of (SPDX) and
# checksums. Made twice of one tag, on machines with the same packages, the files are the same to the byte.
#
#   scripts/make_release.sh [--trial [-D NAME=VALUE]...] [OUT]  # build/dist; --trial: of any commit, also with changes, and with
#                                                               # further settings of CMake, such as KINEMA_QUICK=ON
set -euo pipefail
cd "$(dirname "$0")/.."
trial=no settings=()
if [ "${1:-}" = --trial ]; then
  trial=yes
  shift
  while [ "${1:-}" = -D ]; do
    settings+=(-D "$2")
    shift 2
  done
fi
out=$(realpath -m "${1:-build/dist}")

say() { printf 'release: %s\n' "$*" >&2; }
version=$(sed -nE 's/^project\(kinema VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
if [ "$trial" = no ]; then
  [ -n "$(git tag --points-at HEAD --list "v$version")" ] ||
    { say "this is version $version, but v$version is not the tag of this commit; --trial does without"; exit 2; }
  [ -z "$(git status --porcelain)" ] || { say 'there are changes that belong to no commit'; exit 2; }
  grep -q "^## $version" CHANGELOG.md || { say "CHANGELOG.md has no chapter $version"; exit 2; }
fi
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH

rm -rf "$out"
mkdir -p "$out"
scripts/make_packages.sh "${settings[@]}" "$out"
/usr/bin/python3 scripts/make_wheel.py "${settings[@]}" --out "$out"
git archive --format=tar --prefix="kinema-$version/" HEAD | gzip -n9 >"$out/kinema-$version.tar.gz"
scripts/make_sbom.py "$out" build/packages build/wheel >"$out/kinema-$version.spdx.json"
(cd "$out" && sha256sum -- * >SHA256SUMS)
cat "$out/SHA256SUMS"
