#!/usr/bin/env bash
# Installs missing Debian packages, and names them; silent if none is missing.
#
#   scripts/setup.sh [demo|build|web|browser|docs|engines|packages|format|lint|fuzz]...
#
# Needs root or sudo only if there is something to install. Without either it names what is missing, continues if the
# build can do without, and stops if it cannot. KINEMA_SETUP=off skips all of it.
set -euo pipefail

say() { printf 'setup: %s\n' "$*" >&2; }

[ "${KINEMA_SETUP:-on}" = off ] && exit 0

# required by the build: the package, and a command or header that shows it is installed, even by other means
required_demo='
g++                 command g++
cmake               command cmake
ninja-build         command ninja
libfmt-dev          header  fmt/core.h
libeigen3-dev       header  eigen3/Eigen/Core
nlohmann-json3-dev  header  nlohmann/json.hpp
libcli11-dev        header  CLI/CLI.hpp
'
# optional, for speed or further parts: SIMD, threads, images and video, the face detector's data, landmarks in XML,
# depth cameras and their recordings
optional_demo='
libhwy-dev          header  hwy/highway.h
libtbb-dev          header  tbb/parallel_for.h
libopencv-dev       header  opencv4/opencv2/core.hpp
opencv-data         package -
libpugixml-dev      header  pugixml.hpp
libopenni2-dev      header  openni2/OpenNI.h
libavformat-dev     package -
'
required_build="$required_demo"'
libgtest-dev        header  gtest/gtest.h
'
# MPI ranks, the Python module and its tests, the comparison in `bench`, faster rebuilds, bags of ROS 1, and programs and
# modules that write or read files for tests
optional_build="$optional_demo"'
libopenmpi-dev      command mpicxx
openmpi-bin         command mpirun
ccache              command ccache
librosbag-storage-dev header rosbag/bag.h
python3-rosbag      package -
python3-sensor-msgs package -
python3-websocket   package -
ffmpeg              command ffmpeg
pybind11-dev        header  pybind11/pybind11.h
python3-dev         package -
python3-numpy       numpy   -
python3-pandas      package -
python3-matplotlib  package -
mypy                command mypy
libembree-dev       header  embree3/rtcore.h
assimp-utils        command assimp
'
# the live page: its server, and the tools that build its pages
optional_web='
libboost-dev        header  boost/beast/websocket.hpp
nodejs              command node
npm                 command npm
'
# the browser in which the pages are tested
optional_browser='
chromium            command chromium
'
# what makes the documentation's site, and reads the public headers for it
optional_docs='
python3-sphinx      package -
furo                package -
python3-myst-parser package -
doxygen             command doxygen
python3-breathe     package -
'
# the engines under which `kinema batch` is tested
optional_engines='
parallel            command parallel
slurm-wlm           command slurmctld
munge               command munged
'
# what makes packages and a wheel, and what looks at them
required_packages='
debhelper           command dh
dh-python           command dh_python3
patchelf            command patchelf
libpng-dev          header  png.h
'
optional_packages='
lintian             command lintian
debootstrap         command debootstrap
python3-venv        package -
'
required_format='
clang-format-14     command clang-format-14
'
required_lint='
clang-format-14     command clang-format-14
clang-tidy          command clang-tidy
python3             command python3
'
# libFuzzer, without which the step is skipped, and what counts the lines that it reached
optional_fuzz='
clang-14            command clang++-14
libclang-rt-14-dev  package -
llvm-14             command llvm-cov-14
'

# present PACKAGE KIND NAME
present() {
  if command -v dpkg-query >/dev/null && [[ $(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null) == ii* ]]; then
    return 0
  fi
  case $2 in
    command) command -v "$3" >/dev/null ;;
    header) [ -e "/usr/include/$3" ] || [ -e "/usr/local/include/$3" ] ;;
    numpy) python3 -c 'import numpy' 2>/dev/null ;;
    *) return 1 ;;
  esac
}

# missing TABLE: the packages of a table that are not installed
missing() {
  local package kind name
  while read -r package kind name; do
    [ -n "$package" ] || continue
    present "$package" "$kind" "$name" || printf '%s\n' "$package"
  done <<<"$1"
}

required='' optional=''
for part in "${@:-build}"; do
  case $part in
    demo) required+=$required_demo optional+=$optional_demo ;;
    build) required+=$required_build optional+=$optional_build ;;
    web) optional+=$optional_web ;;
    browser) optional+=$optional_browser ;;
    docs) optional+=$optional_docs ;;
    engines) optional+=$optional_engines ;;
    packages) required+=$required_packages optional+=$optional_packages ;;
    format) required+=$required_format ;;
    lint) required+=$required_lint ;;
    fuzz) optional+=$optional_fuzz ;;
    *) say "unknown part '$part': demo, build, web, browser, docs, engines, packages, format, lint or fuzz"; exit 2 ;;
  esac
done

mapfile -t need < <(missing "$required" | sort -u)
mapfile -t want < <(missing "$optional" | sort -u)
[ $((${#need[@]} + ${#want[@]})) -eq 0 ] && exit 0

# how to get the privileges to install
as_root=()
if ! command -v apt-get >/dev/null; then
  say "this is no Debian; install the like of these yourself: ${need[*]} ${want[*]}"
  say "going on with what is there"
  exit 0
elif [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root=(sudo)
  elif [ ${#need[@]} -gt 0 ]; then
    say "missing, and neither root nor sudo to install them: ${need[*]} ${want[*]}"
    say "ask for: apt-get install ${need[*]} ${want[*]}"
    exit 1
  else
    say "missing, and neither root nor sudo to install them: ${want[*]}"
    say "going on without; the summary of the configuration says what is left out"
    exit 0
  fi
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" >>"$log" 2>&1; }

say "installing" "${need[@]}" "${want[@]}"
apt update || say "the package lists could not be renewed; trying with those that are there"
if apt install -y --no-install-recommends "${need[@]}" "${want[@]}"; then
  exit 0
fi

# one of them is unavailable: required ones are installed together, the rest one by one
if [ ${#need[@]} -gt 0 ] && ! apt install -y --no-install-recommends "${need[@]}"; then
  tail -n 20 "$log" >&2
  say "could not install ${need[*]}"
  exit 1
fi
for package in "${want[@]}"; do
  apt install -y --no-install-recommends "$package" || say "could not install $package; going on without"
done
