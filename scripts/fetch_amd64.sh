#!/usr/bin/env bash
# Packs Debian's amd64 packages of Highway, TBB, Embree and libpng into build/amd64.tar.gz, for a machine without them and without a
# network. Copy the archive there with the sources; scripts/gpu.sh unpacks it where `cmake --preset gpu` searches. That
# machine needs glibc 2.36 (Debian 12) or later. Nothing is installed here, and the state of apt and dpkg is not changed.
#
#   scripts/fetch_amd64.sh
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/amd64
packages=(libhwy-dev libhwy1 libtbb-dev libtbb12 libtbbmalloc2 libtbbbind-2-5 libembree-dev libembree3-3
  libpng-dev libpng16-16 zlib1g-dev zlib1g)

for program in apt-get dpkg-deb; do
  command -v "$program" >/dev/null || { echo "fetch_amd64: needs $program; run it on Debian" >&2; exit 2; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# separate package lists and cache, for amd64 only
mkdir -p "$scratch"/{lists,archives}/partial
apt=(apt-get -qq -o APT::Architecture=amd64 -o APT::Architectures=amd64 -o "Dir::State::lists=$scratch/lists"
  -o Dir::State::status=/dev/null -o "Dir::Cache=$scratch" -o APT::Sandbox::User=root)
"${apt[@]}" update
(cd "$scratch" && "${apt[@]}" download "${packages[@]}")

rm -rf "$folder"
mkdir -p "$folder"
for package in "$scratch"/*.deb; do
  dpkg-deb -x "$package" "$folder"
done
# not needed to build
rm -rf "${folder:?}"/usr/share "${folder:?}"/usr/bin "$folder"/usr/lib/x86_64-linux-gnu/*.a
# an archive preserves symbolic links
tar -C "$folder" -czf "$folder.tar.gz" usr
du -sh "$folder.tar.gz"
