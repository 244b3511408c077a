#!/usr/bin/env bash
# Packs Debian's amd64 packages of Highway, TBB and Embree into build/amd64.tar.gz, for a machine that has none of them and
# cannot fetch any: carry it there with the sources, and scripts/gpu.sh unpacks it where `cmake --preset gpu` looks. Its C
# library must be at least as new as Debian 12's (2.36). Nothing is installed here; apt and dpkg stay as they are.
#
#   scripts/fetch_amd64.sh
set -euo pipefail
cd "$(dirname "$0")/.."
folder=build/amd64
packages=(libhwy-dev libhwy1 libtbb-dev libtbb12 libtbbmalloc2 libtbbbind-2-5 libembree-dev libembree3-3)

for program in apt-get dpkg-deb; do
  command -v "$program" >/dev/null || { echo "fetch_amd64: needs $program, of Debian" >&2; exit 2; }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# lists and cache of its own, for the other architecture alone
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
# what a build does not read
rm -rf "${folder:?}"/usr/share "${folder:?}"/usr/bin "$folder"/usr/lib/x86_64-linux-gnu/*.a
# an archive keeps links, and is a fourth of the size
tar -C "$folder" -czf "$folder.tar.gz" usr
du -sh "$folder.tar.gz"
