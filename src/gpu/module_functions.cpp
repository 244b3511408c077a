// The entry of the module itself.
#include "gpu/module.h"

extern "C" const kinema::gpu::Functions* kinema_cuda_functions() {
  using namespace kinema;
  static constexpr gpu::Functions functions = {
      KINEMA_VERSION,
      &cuda::devices,
      &cuda::why_no_device,
      &cuda::use_device,
      &cuda::device_in_use,
      &cuda::toolkit,
      &gpu_of,
      &wait_for_gpu,
      &body::make_cuda_likelihood,
      &body::make_particles_cuda,
      &head::make_cuda_moments,
      &face::make_cuda_fitter,
      &stereo::make_cuda_matcher,
  };
  return &functions;
}
