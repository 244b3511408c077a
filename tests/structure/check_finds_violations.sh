#!/usr/bin/env bash
# check.sh passes a tree without violations, and finds each kind of violation when it is planted alone.
set -uo pipefail
check=$(cd "$(dirname "$0")" && pwd)/check.sh
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
failures=0

# plant NAME FILE CONTENT: the tree with this one file must be refused, and the file be named
plant() {
  rm -rf "${root:?}"/*
  mkdir -p "$root/include/kinema" "$root/src/core" "$root/$(dirname "$2")"
  printf '#include <vector>\n#include "kinema/error.h"\n' >"$root/include/kinema/body.h"
  printf '#include "core/vector.h"\n#include "kinema/body.h"\n' >"$root/src/core/backend.cpp"
  if ! "$check" "$root" >/dev/null; then
    echo "the clean tree is refused"
    failures=$((failures + 1))
  fi
  printf '%b' "$3" >"$root/$2"
  local output
  if output=$("$check" "$root") || [[ $output != *"$2"* ]]; then
    echo "not found: $1"
    failures=$((failures + 1))
  fi
}

plant 'core includes a tracker' src/core/up.cpp '#include "body/ray_capsule.h"\n'
plant 'core includes a tracker by a relative path' src/core/up.cpp '#include "../body/ray_capsule.h"\n'
plant 'a tracker includes another' src/body/aside.cpp '#include "head/moments.h"\n'
plant 'a tracker includes io' src/face/up.cpp '#  include <io/npy.h>\n'
plant 'io includes a tracker' src/io/down.cpp '#include "body/ray_capsule.h"\n'
plant 'a public header includes core' include/kinema/down.h '#include "core/vector.h"\n'
plant 'the command includes a tracker' app/down.cpp '#include "body/ray_capsule.h"\n'
plant 'CUDA in a plain source' src/body/plain.cpp '#include <cuda_runtime.h>\n'
plant 'CUDA in a plain source of core' src/core/plain.h '#include <cub/cub.cuh>\n'
plant 'a .cu file of another name' src/body/kernels.cu 'int x;\n'
plant 'CUDA in a public header' include/kinema/gpu.h '#include <cuda_runtime.h>\n'
plant 'a CUDA type in a public header' include/kinema/gpu.h 'struct cudaStream_t;\n'
plant 'OpenCV outside io' app/picture.cpp '#include <opencv2/core.hpp>\n'
plant 'a file of 501 lines' src/core/long.cpp "$(printf '%.0s\\n' $(seq 501))"

[ "$failures" -eq 0 ]
