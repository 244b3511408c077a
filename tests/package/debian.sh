#!/usr/bin/env bash
# The packages of `make packages` on a bare Debian 12, made by debootstrap: they are installed as a user would, and the
# README's commands and programs write what they should. Exit 77 with a line: something that this needs is missing.
#
#   debian.sh SOURCES PACKAGES
#
# KINEMA_BARE_DEBIAN names a folder with such a system, to keep it for another run.
set -euo pipefail
sources=$1 packages=$2

skip() { echo "skipped: $*"; exit 77; }
[ "$(id -u)" -eq 0 ] || skip 'a system in a folder of its own is made by root alone'
command -v debootstrap >/dev/null || skip 'there is no debootstrap'
unshare -m true 2>/dev/null || skip 'file systems cannot be mounted here'
ls "$packages"/libkinema0_*.deb >/dev/null 2>&1 || skip "there are no packages in $packages: make packages"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Created-By: Packages' 2>/dev/null | head -n 1)
[ -n "$mirror" ] || skip 'apt knows no mirror of Debian 12'

# Mounts are of this process and those that it starts, and end with them.
[ -n "${KINEMA_IN_NAMESPACE:-}" ] || KINEMA_IN_NAMESPACE=1 exec unshare -m "$0" "$@"

work=$(mktemp -d)
trap 'umount -R "$work/system" 2>/dev/null || true; rm -rf --one-file-system "$work"' EXIT
base=${KINEMA_BARE_DEBIAN:-$work/base}
if [ ! -e "$base/etc/debian_version" ]; then
  debootstrap --variant=minbase bookworm "$base" "$mirror" >"$work/log" 2>&1 ||
    { tail -n 3 "$work/log"; skip 'debootstrap cannot reach a mirror'; }
fi

# changes go to a layer of memory or disk of this run
mkdir "$work/system" "$work/upper" "$work/layer"
mount -t overlay overlay -o "lowerdir=$base,upperdir=$work/upper,workdir=$work/layer" "$work/system" 2>/dev/null ||
  cp -a "$base/." "$work/system"
system=$work/system
mount -t proc proc "$system/proc"
mount --bind /etc/apt "$system/etc/apt"  # its mirrors, and how to reach them
cp /etc/resolv.conf "$system/etc/"
mkdir "$system/packages" "$system/trial"
cp "$packages"/*.deb "$system/packages"
cp -r "$sources/tests/readme" "$sources/README.md" "$sources/samples" "$sources/tests/package/main.cpp" \
  "$sources/tests/package/installed" "$sources/tests/package/installed.sh" "$system/trial"

inside() { chroot "$system" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"; }
quiet() { inside "$@" >"$work/log" 2>&1 || { tail -n 30 "$work/log"; exit 1; }; }
quiet apt-get update
echo 'apt install ./*.deb'
quiet sh -c 'cd /packages && apt-get install -y --no-install-recommends ./*.deb'
inside kinema devices
# the same library with the module, of which no driver is here, and without
if ls "$packages"/kinema-cuda_*.deb >/dev/null 2>&1; then
  inside kinema devices | grep 'cuda  *no  .*finds no GPU' >/dev/null
  quiet apt-get remove -y kinema-cuda
fi
inside kinema devices | grep 'cuda  *no  .*install kinema-cuda' >/dev/null
inside /bin/bash -n /usr/share/bash-completion/completions/kinema
echo 'a compiler, for the programs'
quiet apt-get install -y --no-install-recommends g++ cmake make pkg-config
inside /trial/installed.sh
quiet sh -c 'apt-get remove -y kinema kinema-data libkinema0 && ! ls /usr/share/kinema /usr/lib/*/libkinema* 2>/dev/null'
