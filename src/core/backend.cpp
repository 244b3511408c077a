#include "kinema/backend.h"

#include "core/cuda/device.h"
#include "core/simd.h"
#include "core/threads.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cstdlib>

namespace kinema {

std::string_view name(Backend backend) {
  switch (backend) {
    case Backend::reference:
      return "reference";
    case Backend::cpu:
      return "cpu";
    case Backend::cuda:
      return "cuda";
    case Backend::automatic:
      break;
  }
  return "auto";
}

Backend parse_backend(std::string_view word) {
  for (Backend backend : {Backend::automatic, Backend::reference, Backend::cpu, Backend::cuda})
    if (word == name(backend)) return backend;
  throw Error(fmt::format("there is no backend '{}': use auto, reference, cpu or cuda", word));
}

Backend choose(Backend wanted) {
  if (wanted == Backend::automatic) {
    if (const char* word = std::getenv("KINEMA_BACKEND"); word != nullptr && *word != '\0') {
      try {
        wanted = parse_backend(word);
      } catch (const Error& error) {
        throw Error(fmt::format("KINEMA_BACKEND: {}", error.what()));
      }
    }
  }
  if (wanted == Backend::automatic) return gpus().empty() ? Backend::cpu : Backend::cuda;
  if (wanted == Backend::cuda && gpus().empty()) throw Error(cuda::why_no_device());
  return wanted;
}

bool available(Backend backend) { return backend != Backend::cuda || !gpus().empty(); }

std::vector<Gpu> gpus() { return cuda::devices(); }

Build build() {
  Build b;
  b.version = KINEMA_VERSION;
  b.compiler = KINEMA_COMPILER;
  b.simd = simd_level();
  b.threads = Threads::built_with();
  b.cuda = cuda::toolkit();
#ifdef KINEMA_HAVE_OPENCV
  b.opencv = true;
#endif
#ifdef KINEMA_HAVE_MPI
  b.mpi = true;
#endif
  return b;
}

}  // namespace kinema
