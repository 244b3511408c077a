#!/usr/bin/env bash
# check.sh passes a tree without violations, and finds each kind of violation when it is planted alone.
set -uo pipefail
check=$(cd "$(dirname "$0")" && pwd)/check.sh
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
failures=0

clean_body='#include <vector>
#include "kinema/error.h"
'

# tree FILE: a tree without violations, with a folder for one more file
tree() {
  rm -rf "${root:?}"/*
  mkdir -p "$root/include/kinema" "$root/src/core" "$root/$(dirname "$1")"
  printf '%s' "$clean_body" >"$root/include/kinema/body.h"
  printf '#include "core/vector.h"\n#include "kinema/body.h"\n' >"$root/src/core/backend.cpp"
}

# allow NAME FILE CONTENT: the tree with this one file must pass
allow() {
  tree "$2"
  printf '%b' "$3" >"$root/$2"
  local output
  if ! output=$("$check" "$root"); then
    printf 'refused: %s\n%s\n' "$1" "$output"
    failures=$((failures + 1))
  fi
}

# plant NAME FILE CONTENT: the tree with this one file must be refused, and the file be named
plant() {
  tree "$2"
  printf '%b' "$3" >"$root/$2"
  local output
  if output=$("$check" "$root") || [[ $output != *"$2"* ]]; then
    echo "not found: $1"
    failures=$((failures + 1))
  fi
}

allow 'the clean tree' src/core/clean.cpp '#include "core/vector.h"\n'
plant 'core includes a tracker' src/core/up.cpp '#include "body/likelihood/ray_capsule.h"\n'
plant 'core includes a tracker by a relative path' src/core/up.cpp '#include "../body/ray_capsule.h"\n'
plant 'a tracker includes another' src/body/aside.cpp '#include "head/moments.h"\n'
plant 'a lower folder of the body includes a higher one' src/body/skeleton/up.cpp '#include "body/refine/refine.h"\n'
plant 'a lower folder of the face includes a higher one' src/face/model/up.cpp '#include "face/training/cascade.h"\n'
plant 'a tracker includes io' src/face/up.cpp '#  include <io/files/npy.h>\n'
plant 'io includes a tracker' src/io/down.cpp '#include "body/likelihood/ray_capsule.h"\n'
plant 'a lower folder of io includes a higher one' src/io/files/up.cpp '#include "io/cameras/rectify.h"\n'
plant 'a public header includes core' include/kinema/down.h '#include "core/vector.h"\n'
plant 'the command includes a tracker' app/down.cpp '#include "body/likelihood/ray_capsule.h"\n'
plant 'CUDA in a plain source' src/body/plain.cpp '#include <cuda_runtime.h>\n'
plant 'CUDA in a plain source of core' src/core/plain.h '#include <cub/cub.cuh>\n'
plant 'a .cu file of another name' src/body/kernels.cu 'int x;\n'
plant 'CUDA in a public header' include/kinema/gpu.h '#include <cuda_runtime.h>\n'
plant 'a CUDA type in a public header' include/kinema/gpu.h 'struct cudaStream_t;\n'
plant 'a socket that listens elsewhere' app/socket.cpp 'int open() { return ::listen(3, 4); }\n'
plant 'OpenCV outside io' app/picture.cpp '#include <opencv2/core.hpp>\n'
plant 'a source that uses KINEMA_HAVE_ and is not listed' src/core/ask.cpp '#ifdef KINEMA_HAVE_CUDA\n#endif\n'
tree src/core/part.txt
for number in $(seq 40); do : >"$root/src/core/part$number.txt"; done
if output=$("$check" "$root") || [[ $output != *'src/core: 41 files'* ]]; then
  echo 'not found: a folder of 41 files'
  failures=$((failures + 1))
fi
plant 'a file of 501 lines' src/core/long.cpp "$(printf '%.0s\\n' $(seq 501))"

# What two files may and may not define; the clean tree holds the first definition, in include/kinema/body.h.
if command -v python3 >/dev/null; then
  clean_body='#include <vector>
namespace kinema::body {
struct Block { int first; };
enum class Kind { a, b };
inline int twice(int value, int more = 2) { return more * value; }
inline int twice(double value) { return static_cast<int>(2 * value); }
struct Later;
namespace { struct Local {}; }
}
'
  defined='namespace kinema::body'
  allow 'a type of another namespace' src/head/other.cpp 'namespace kinema::head { struct Block { int last; }; }\n'
  allow 'a type that is local' src/body/other.cpp "$defined { namespace { struct Block {}; struct Local {}; } }\n"
  allow 'a declaration, a comment, a string' src/body/other.cpp \
    "$defined { struct Block; int twice(int); /* struct Block {}; */ const char* s = \"struct Block {\"; }\\n"
  allow 'an overload' src/body/other.cpp "$defined { inline int twice(float value) { return 2; } }\\n"
  allow 'the definition of what was declared' src/body/other.cpp "$defined { struct Later { int x; }; }\\n"
  allow 'a nested type' src/body/other.cpp "$defined { struct Outer { struct Block { int x; }; }; }\\n"
  allow 'what is compiled where a library is missing' src/body/no_blocks.cpp "$defined { struct Block {}; }\\n"
  plant 'a struct defined twice' src/body/other.cpp "$defined { struct Block { double x; }; }\\n"
  plant 'a class in place of a struct' src/body/other.h "namespace kinema { namespace body { class Block final {}; } }\\n"
  plant 'an enumeration defined twice' src/body/other.cpp "$defined { enum class Kind : char { c }; }\\n"
  plant 'an inline function defined twice' src/core/other.h "$defined { inline int twice(int v, int w) { return v; } }\\n"
  plant 'a type of the command that the library has' app/other.cpp "$defined { struct Block : Kind2 { int x; }; }\\n"
  plant 'a type of a test that the library has' tests/body/other.cpp "$defined { struct Block { int x; }; }\\n"
fi

[ "$failures" -eq 0 ]
