#!/usr/bin/env bash
# Holds the sources against the rules of HACKING.md, "The layout". One line for each violation; exit 1 if there is any.
#
#   tests/structure/check.sh [ROOT]
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python=$(command -v python3)  # the other rules need only a shell
cd "${1:-$(dirname "$0")/../..}" || exit 2

# report MESSAGE: a violation for each line of standard input
report() {
  local line
  while IFS= read -r line; do
    printf '%s\n    %s\n' "$line" "$1"
  done
}

# sources FOLDER...: the C++ and CUDA files of the folders that exist
sources() {
  local folder
  for folder in "$@"; do
    [ -d "$folder" ] && find "$folder" -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \)
  done | sort
}

# includes FOLDER...: "file:line:path" for each #include, the path with its < or " in front
includes() {
  sources "$@" | xargs -r grep -nHE '^[[:space:]]*#[[:space:]]*include' |
    sed -E 's/^([^:]+:[0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*([<"][^>"]*).*/\1:\2/'
}

# only FOLDER ALLOWED MESSAGE: of the project's own files, a folder includes only those that match, and its neighbours
only() {
  local own='"|<(kinema|core|stereo|body|head|face|person|gpu|io|synth|report|serve|app|bench)/'
  includes "$1" | grep -E ":($own)" | grep -vE ":[<\"](($2)|[^/]*$)" | report "$3"
}

check() {
  # includes point down only
  tracker='a tracker stands on include/kinema and core, and never on another tracker'
  only include/kinema 'kinema/' 'a public header includes public headers and the standard library, nothing else'
  only src/core '(kinema|core)/' 'core stands at the bottom: it includes core and public headers only'
  only src/stereo '(kinema|core|stereo)/' 'stereo matching stands on include/kinema and core, below the trackers'
  only src/body '(kinema|core|stereo|body)/' "$tracker"
  local room='of the body: the skeleton stands at the bottom, then likelihood, refine, particles, smoothing, tracker'
  local of='constants|skeleton'
  only src/body/skeleton "kinema/|core/|body/($of)" "$room"
  only src/body/likelihood "kinema/|core/|body/(${of}|likelihood)" "$room"
  of+='|likelihood|refine'
  only src/body/refine "kinema/|core/|body/($of)" "$room"
  only src/body/particles "kinema/|core/|body/(${of}|particles)" "$room"
  only src/body/smoothing "kinema/|core/|body/(${of}|particles|smoothing)" "$room"
  only src/body/foreground 'kinema/|core/|body/(constants|foreground)' 'foreground stands beside the other folders of the body'
  only src/head '(kinema|core|head)/' "$tracker"
  only src/face '(kinema|core|face)/' "$tracker"
  room='of the face: the model stands at the bottom, then chain, stages, combined, fitter, training; tracker beside them'
  of='constants|model'
  only src/face/model "kinema/|core/|face/($of)" "$room"
  only src/face/chain "kinema/|core/|face/(${of}|chain)" "$room"
  only src/face/stages "kinema/|core/|face/(${of}|chain|stages)" "$room"
  of+='|stages|combined'
  only src/face/combined "kinema/|core/|face/($of)" "$room"
  only src/face/fitter "kinema/|core/|face/(${of}|chain|fitter)" "$room"
  only src/face/training "kinema/|core/|face/(${of}|chain|fitter|training)" "$room"
  only src/person '(kinema|core|person)/' 'the person tracker stands on the public headers of the trackers, and core'
  only src/io '(kinema|core|io)/' 'io depends on the public types and core only'
  local folder='of io: files stand at the bottom, then pictures, cameras, sources, recordings; the others stand beside these'
  only src/io/files '(kinema|core|io/files)/' "$folder"
  only src/io/pictures '(kinema|core|io/(files|pictures))/' "$folder"
  only src/io/cameras '(kinema|core|io/(files|pictures|cameras))/' "$folder"
  only src/io/sources '(kinema|core|io/(files|pictures|cameras|sources))/' "$folder"
  only src/io/recordings '(kinema|core|io/(files|pictures|cameras|sources|recordings))/' "$folder"
  only src/io/motion '(kinema|core|io/(files|motion))/' "$folder"
  only src/io/faces '(kinema|core|io/(files|pictures|faces))/' "$folder"
  only src/io/overlays '(kinema|core|io/(pictures|overlays))/' "$folder"
  only src/io/network '(kinema|core|io/(files|motion|network))/' "$folder"
  only src/gpu '(kinema|core|stereo|body|head|face|gpu|io/files)/' 'the cuda backend as a module knows the factories of the trackers'
  only src/synth '(kinema|core|io|synth)/' 'synth stands on the public types, core and io'
  only src/report 'report/' 'report is data for a page and includes nothing else'
  only src/serve '(kinema|core|io|serve)/' 'serve stands on the public types, core and io'
  only app '(kinema|core|io|synth|report|serve|bench|app)/' 'the command is written against the public headers, core, io, synth, report and bench'
  only python '(kinema)/' 'the Python module is written against the public headers'
  only bench '(kinema|core|body|head|face|io|synth|report|bench)/' 'a benchmark never includes the command'

  # CUDA in its place
  includes include src app bench python |
    grep -E ':[<"](cuda|cublas|cusolver|curand|cub/|thrust/|cooperative_groups|nvtx|device_launch)' |
    grep -vE '^(src/core/cuda/|[^:]*_cuda\.(cu|cuh|h):)' |
    report 'only *_cuda.{cu,cuh,h} and src/core/cuda/ include CUDA'
  sources src app bench python include | grep -E '\.(cu|cuh)$' | grep -vE '^src/core/cuda/|_cuda\.(cu|cuh)$' |
    report 'CUDA sources are named *_cuda.cu or stand in src/core/cuda/'
  sources include | xargs -r grep -nHE 'cudaStream|__device__|__global__|cv::' |
    report 'public headers know neither CUDA nor OpenCV'

  # OpenCV in its place
  includes include src app bench python | grep -E ':[<"]opencv' | grep -vE '^(src/io/|bench/(body/matcher|face/facemark)_opencv\.cpp)' |
    report 'only src/io knows OpenCV, and in bench what is measured against it'

  # what docs/security.md says is listened on
  sources src app bench python include | xargs -r grep -nHE '\blisten\(|INADDR_ANY|in6addr_any' |
    grep -vE '^src/(serve/server|io/sources/stream_source)\.cpp:[0-9]+:.*listen\(' |
    report 'only the server of the live page and the sockets of --input listen, and at the addresses that they are given'

  # KINEMA_HAVE_<PART> is defined only for sources that CMake lists
  local part source
  sources src bench app | xargs -r grep -HoE 'KINEMA_HAVE_(CUDA|OPENCV|MPI|EMBREE)\b' | sort -u | while IFS=: read -r source part; do
    grep -qsE "kinema_define_part\\(${part#KINEMA_HAVE_} .*\\b${source##*/}\\b|target_compile_definitions\\([a-z_]* P[A-Z]* $part\\)" \
      "${source%%/*}/CMakeLists.txt" || echo "$source: $part"
  done | report 'uses this definition, but kinema_define_part in its CMakeLists.txt does not list it'

  # a file has one subject
  sources src app bench python include | xargs -r wc -l |
    awk '$2 != "total" && $1 > 500 { print $2 ": " $1 " lines" }' |
    report 'a file past 500 lines has usually two subjects'

  # a folder can be taken in at a glance
  find src app bench python include tests -type f ! -name '*.pyc' 2>/dev/null | xargs -r -n1 dirname | sort | uniq -c |
    awk '$1 > 40 { print $2 ": " $1 " files" }' | report 'a folder of more than 40 files has rooms'

  # one definition of a name in a program
  [ -z "$python" ] || "$python" "$here/one_definition.py" .
}

violations=$(check)
[ -z "$violations" ] && exit 0
printf '%s\n' "$violations"
exit 1
