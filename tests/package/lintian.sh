#!/usr/bin/env bash
# lintian finds no errors in the packages of `make packages`. Exit 77 with a line: there are none, or no lintian.
#
#   lintian.sh PACKAGES
set -euo pipefail
skip() { echo "skipped: $*"; exit 77; }
ls "$1"/*.deb >/dev/null 2>&1 || skip "there are no packages in $1: make packages"
command -v lintian >/dev/null || skip 'there is no lintian'
lintian --allow-root --fail-on error "$1"/*.deb
