// A module that says it is of another version, and has nothing else.
#include "gpu/module.h"

extern "C" const kinema::gpu::Functions* kinema_cuda_functions() {
  static constexpr kinema::gpu::Functions functions = {.version = "0.0.1"};
  return &functions;
}
