#!/usr/bin/env bash
# Run on a system on which the packages are installed, beside the README and its test: the programs of the README, compiled
# by what CMake and pkg-config say, and the model of faces from C++ and Python.
set -euo pipefail
cd "$(dirname "$0")"

# tests/package/main.cpp stands above its project
cmake -S installed -B use -DCMAKE_BUILD_TYPE=Release >/dev/null
cmake --build use >/dev/null
(cd use && ./uses_kinema)

cmake -DREADME=README.md -DOUT=readme.cpp -P readme/extract.cmake
# shellcheck disable=SC2046  # words, one by one
g++ -std=c++20 -O1 readme.cpp -o readme_program $(pkg-config --cflags --libs kinema)
KINEMA_SOURCE=$PWD KINEMA_COMMAND=kinema KINEMA_PROGRAM=$PWD/readme_program PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=readme \
  /usr/bin/python3 -m unittest -v test_readme

/usr/bin/python3 -c 'from kinema import face; face.read_model()'
kinema body simulate --motion samples/walk.bvh --mode depth --frames 24 --out walk >/dev/null
kinema body track --input walk --out poses.jsonl --bvh walk.bvh --overlay walk.mp4 >/dev/null
kinema body evaluate --poses poses.jsonl --truth walk/truth.jsonl
