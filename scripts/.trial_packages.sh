#!/usr/bin/env bash
# Makes the Debian packages of this tree: kinema, libkinema0, kinema-data, libkinema-dev, python3-kinema, and kinema-cuda where
# there is a CUDA toolkit.
#
#   scripts/make_packages.sh [-D NAME=VALUE]... [OUT]     # build/dist; with further settings of CMake
#
# With tests/package/debian.sh they are tried on a bare system. Nothing is written into the sources; of one commit and one
# set of compilers and libraries the packages are the same to the byte.
set -euo pipefail
cd "$(dirname "$0")/.."
settings=()
while [ "${1:-}" = -D ]; do
  settings+=("-D$2")
  shift 2
done
sources=$PWD build=$PWD/build/release out=$(realpath -m "${1:-build/dist}")

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH TZ=UTC LC_ALL=C.UTF-8
umask 022


# the version of CMake alone at its tag; between releases with the commit, below the release that follows
version=$(sed -nE 's/^project\(kinema VERSION ([0-9.]+).*/\1/p' CMakeLists.txt)
if [ -z "$(git tag --points-at HEAD --list "v$version")" ]; then
  version+="~$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d).g$(git rev-parse --short=8 HEAD)"
fi

work=$build/debian-work
rm -rf "$work"
mkdir -p "$work" "$out"
rm -f "$out"/*.deb
cp -r deploy/debian docs samples "$work"
cp README.md CHANGELOG.md "$work"
scripts/make_manual.py "$build/kinema" "$work"
cat >"$work/debian/changelog" <<END
kinema ($version-1) unstable; urgency=medium

  * See changelog.gz of this folder for what is new.

 -- The kinema authors <kinema@packages.debian.org>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")
END

cd "$work"
KINEMA_BUILD=$build KINEMA_OUT=$out debian/rules binary >"$work/log" 2>&1 || {
  tail -n 30 "$work/log" >&2
  exit 1
}
cd "$sources"
ls -l "$out"/*.deb
