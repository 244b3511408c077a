// The cuda backend as a module of its own: what libkinema calls of it, and how it is opened. Packages are built so, and run on
// machines with a GPU or without; a static library has the backend linked in or not at all.
#pragma once

#include "body/likelihood/likelihood_backends.h"
#include "body/particles/particles.h"
#include "core/cuda/device.h"
#include "face/fitter/fitter_backends.h"
#include "head/moments/moments_backends.h"
#include "kinema/gpu_memory.h"
#include "stereo/matcher_backends.h"

#include <filesystem>
#include <string>

namespace kinema::gpu {

struct Functions {
  const char* version = nullptr;  ///< first, so that it can be read of a module of any version

  decltype(&cuda::devices) devices = nullptr;
  decltype(&cuda::why_no_device) why_no_device = nullptr;
  decltype(&cuda::use_device) use_device = nullptr;
  decltype(&cuda::device_in_use) device_in_use = nullptr;
  decltype(&cuda::toolkit) toolkit = nullptr;
  decltype(&kinema::gpu_of) gpu_of = nullptr;
  decltype(&kinema::wait_for_gpu) wait_for_gpu = nullptr;

  decltype(&body::make_cuda_likelihood) make_likelihood = nullptr;
  decltype(&body::make_particles_cuda) make_particles = nullptr;
  decltype(&head::make_cuda_moments) make_moments = nullptr;
  decltype(&face::make_cuda_fitter) make_fitter = nullptr;
  decltype(&stereo::make_cuda_matcher) make_matcher = nullptr;
};

/// The name of the function of a module that returns its `const Functions*`.
inline constexpr const char* entry = "kinema_cuda_functions";

struct Module {
  const Functions* functions = nullptr;  ///< null where there is none
  std::string problem = {};              ///< why there is none, in a line
};

/// libkinema-cuda.so.VERSION in the folder of the library.
Module open_module(const std::filesystem::path& folder, const std::string& version);

}  // namespace kinema::gpu
