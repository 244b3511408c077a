#!/usr/bin/env bash
# Everything that needs a machine with an NVIDIA GPU, offline, with only a CUDA toolkit and the libraries of `cmake
# --preset gpu`. Highway, TBB and Embree are used if build/amd64.tar.gz exists (scripts/fetch_amd64.sh).
#
#   scripts/gpu.sh [build] [test] [sanitize] [bench] [batch] [face] [python] [profile]   no argument: the first four
#
#   build     configure and build the preset gpu
#   test      the tests with the label gpu, the trackers' accuracy included; fails where tests were skipped for want of a
#             device
#   sanitize  compute-sanitizer's memcheck, racecheck, initcheck and synccheck over the small cases of those tests
#   bench     kinema bench body, head and face: body.txt, body.json, body.html, head.txt, ...
#   batch     kinema batch with 1, 4, 8 and 16 recordings at once on the GPU: batch.json
#   face      of the face alone: its test program and the command are built, its GPU tests run, the checkers run over its chain,
#             and the default fit of $KINEMA_FACE_MODEL (build/face.kface) is timed if there is such a file, and held against the
#             cpu backend's on the pictures of $KINEMA_FACES (build/faces: NAME.pgm with NAME.pts) if there are any
#   python    a shared library, which opens the cuda backend as a module, and the Python package, in build/gpu-python: arrays of
#             PyTorch in GPU memory are tracked where they lie; fails where there is no PyTorch. KINEMA_GPU_PYTHON: an interpreter
#             with PyTorch, NumPy and pybind11 (python3)
#   profile   Nsight Compute (ncu) over one run of the largest problem of the benchmark
#
# Results go to $OUT if it is set, otherwise to build/gpu/results. To keep a benchmark, copy its body.json to
# bench/results/body-<device>.json and run scripts/make_benchmarks_md.py. KINEMA_COMMIT names the commit if the sources
# come without their history.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/gpu
results=${OUT:-$build/results}
mkdir -p "$results"
say() { printf '\n== %s (%ds)\n' "$*" "$SECONDS"; }

# gpu_tests: "PROGRAM --gtest_filter=PATTERNS" for each test program with the label gpu
gpu_tests() {
  ctest --preset gpu --show-only=json-v1 | python3 -c '
import json, sys
for test in json.load(sys.stdin)["tests"]:
    patterns = [word for word in test["command"] if word.startswith("--gtest_filter")]
    if patterns:
        print(test["command"][0], *patterns)'
}

# without these libraries the cpu backend uses OpenMP and no SIMD
unpack_libraries() {
  if [ build/amd64.tar.gz -nt build/amd64 ] && [ "$(uname -m)" = x86_64 ]; then
    rm -rf build/amd64
    mkdir -p build/amd64
    tar -C build/amd64 -xzf build/amd64.tar.gz
  fi
}

do_build() {
  unpack_libraries
  cmake --preset gpu
  cmake --build --preset gpu
}

# each program in four processes, which share its tests: the reference on the CPU takes most of the time
do_test() {
  local program filter shard failed=0 log=$results/tests.txt
  local jobs=()
  while read -r program filter; do
    for shard in 0 1 2 3; do
      GTEST_TOTAL_SHARDS=4 GTEST_SHARD_INDEX=$shard "$program" $filter >"$log.$(basename "$program").$shard" 2>&1 &
      jobs+=($!)
    done
  done < <(gpu_tests)
  # 77: every test of the shard skipped; those that may are sorted out below
  for job in "${jobs[@]}"; do wait "$job" || [ $? -eq 77 ] || failed=1; done
  cat "$log".* >"$log" && rm "$log".*
  grep -E '^\[  (FAILED|PASSED)' "$log" || true
  # photographs are beside the project, or missing
  if grep '^\[  SKIPPED \] [A-Za-z]' "$log" | grep -v OnPhotographs; then
    echo 'gpu.sh: these GPU tests were skipped: this run proves nothing about them' >&2
    failed=1
  fi
  # a script that calls the command, not a program with shards
  ctest --preset gpu -R accuracy --output-log "$results/accuracy.txt" || failed=1
  return $failed
}

# The checkers slow a kernel down a hundredfold and more, so only small cases are run; the race checker takes seconds
# for each, so it gets one of every kind of kernel.
small_cases='*Corner*cuda*:*Refusal*cuda*:*Chunks*cuda*:*OnDevice*:*SmallestModel*cuda*:*WithOneFactor*cuda*:*PaperKernels*:*FitChainOn.Gives*cuda*:*FitChainOn.Takes*cuda*:FitOnDevice_cuda.FitsPictures*'
fewest_cases='*CornerFrame*cuda*:*FreeSpace*cuda*:*BadPoints*cuda*:*NearestLooks*cuda*:*SmallestModel*cuda*:*PaperKernels*:*MomentsOnDevice*:*FitChainOn.Gives*cuda*:SmallShapes/MatrixVectorOnDevice*'

do_sanitize() {
  local binaries binary tool cases failed=() log=$results/sanitizer.txt
  binaries=$(gpu_tests | cut -d' ' -f1 | sort -u)
  : >"$log"
  for binary in $binaries; do
    for tool in memcheck racecheck initcheck synccheck; do
      say "$tool: $(basename "$binary")" | tee -a "$log"
      cases=$small_cases
      [ "$tool" = racecheck ] && cases=$fewest_cases
      cases=${KINEMA_SANITIZE_FILTER:-$cases}
      # without a test there is no CUDA call, which the checkers report as a failure
      "$binary" --gtest_list_tests --gtest_filter="$cases" | grep '^ ' >/dev/null || continue
      timeout 120 compute-sanitizer --tool "$tool" --error-exitcode 9 \
        "$binary" --gtest_filter="$cases" 2>&1 | tee -a "$log" || failed+=("$tool $(basename "$binary")")
    done
  done
  if [ ${#failed[@]} -gt 0 ]; then
    printf 'gpu.sh: not clean: %s\n' "${failed[@]}" >&2
    return 1
  fi
  if ! grep -q '^\[  PASSED  \] [1-9]' "$log"; then
    echo 'gpu.sh: no test ran under the sanitizer: no device, or KINEMA_SANITIZE_FILTER fits none' >&2
    return 1
  fi
}

do_bench() {
  nvidia-smi --query-gpu=name,driver_version,clocks.sm,clocks.max.sm --format=csv || true
  timeout 240 "$build/kinema" bench body --out "$results"
  timeout 120 "$build/kinema" bench head --out "$results"
  timeout 400 "$build/kinema" bench face --out "$results" --seconds 0.2
}

do_batch() {
  timeout 400 scripts/measure_batch.py "$build/kinema" --backend cuda | tee "$results/batch.json"
}

# a few minutes in all: the longest part is the build
do_face() {
  local failed=0 log=$results/face_tests.txt model=${KINEMA_FACE_MODEL:-build/face.kface} faces=${KINEMA_FACES:-build/faces} tool
  cmake --preset gpu
  cmake --build --preset gpu --target test_face kinema_command
  "$build/test_face" --gtest_brief=1 --gtest_filter='*FitChainOn*cuda*:FitOnDevice_cuda*' 2>&1 | tee "$log" || failed=1
  "$build/test_face" --gtest_brief=1 --gtest_filter='*cuda*:-*FitChainOn*:FitOnDevice_cuda*' 2>&1 | tee -a "$log" || failed=1
  if grep '^\[  SKIPPED \] [A-Za-z]' "$log" | grep -v OnPhotographs; then failed=1; fi
  if [ -e "$model" ] && [ -d "$faces" ]; then
    KINEMA_FACE_MODEL=$model KINEMA_FACES=$faces "$build/test_face" --gtest_filter='*DefaultFitOnPhotographs*cuda*' \
      --gtest_output=xml:"$results/photographs.xml" 2>&1 | tee -a "$log" || failed=1
    grep -o 'name="\(fits\|median\|worst\)" value="[^"]*"' "$results/photographs.xml" || true
  fi
  if [ -e "$model" ]; then
    timeout 120 "$build/kinema" bench face --model "$model" --only default-fit --out "$results" --seconds 1 || failed=1
  fi
  for tool in memcheck racecheck initcheck synccheck; do
    say "$tool" | tee -a "$results/sanitizer.txt"
    timeout 180 compute-sanitizer --tool "$tool" --error-exitcode 9 "$build/test_face" \
      --gtest_filter='*FitChainOn.GivesTheSameBits*cuda*' 2>&1 | tee -a "$results/sanitizer.txt" || failed=1
  done
  return $failed
}

do_python() {
  local folder=build/gpu-python python module
  python=$("${KINEMA_GPU_PYTHON:-python3}" -c 'import numpy, sys, torch; print(sys.executable)')
  unpack_libraries
  cmake --preset gpu -B "$folder" -DBUILD_SHARED_LIBS=ON -DKINEMA_PYTHON=ON -DPython3_EXECUTABLE="$python" \
    -DKINEMA_REQUIRE='CUDA_MODULE;PYTHON' -DKINEMA_APP=OFF -DKINEMA_TESTS=OFF
  cmake --build "$folder"
  say 'tests of the package'
  export PYTHONPATH=$PWD/$folder/python PYTHONDONTWRITEBYTECODE=1
  "$python" tests/python/test_gpu.py -v 2>&1 | tee "$results/python.txt"  # 77, of a skip, is a failure here
  # the same library without the module
  local failed=0
  module=$(echo "$folder"/src/libkinema-cuda.so.*)
  mv "$module" "$folder/module.away"
  "$python" -c '
import kinema
from kinema import body
assert "cuda" not in kinema.devices()["backends"]
body.Likelihood(backend="cpu")
try:
    body.Tracker(backend="cuda")
except kinema.Error as error:
    print(error)
    assert "install kinema-cuda" in str(error)
else:
    raise SystemExit("without the module there is a cuda backend")
' 2>&1 | tee -a "$results/python.txt" || failed=1
  mv "$folder/module.away" "$module"
  return $failed
}

do_profile() {
  # clocks are not locked, so that times are comparable with those of the benchmark
  timeout 240 ncu --clock-control none --set full --kernel-name-base function --launch-count 40 \
    --log-file "$results/profile.txt" \
    "$build/kinema" bench body --backends cuda --points 43000 --samples 3500 --seconds 0.01
  tail -n 40 "$results/profile.txt"
}

stages=("$@")
[ ${#stages[@]} -gt 0 ] || stages=(build test sanitize bench)
for stage in "${stages[@]}"; do
  case $stage in
    build | test | sanitize | bench | batch | face | python | profile) ;;
    *) echo "gpu.sh: no stage '$stage': build, test, sanitize, bench, batch, face, python, profile" >&2; exit 2 ;;
  esac
done
for stage in "${stages[@]}"; do
  say "$stage"
  "do_$stage"
done
say 'done'
