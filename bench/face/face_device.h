// Images in GPU memory, for `kinema bench face` and tests. Without CUDA it throws Error.
#pragma once

#include "bench/face/face_problem.h"

#include <cstdint>
#include <memory>

namespace kinema::bench {

struct DevicePicture {
  std::shared_ptr<std::uint8_t> memory;
  face::GreyView view;
};

DevicePicture on_device(const DrawnFace& face);

}  // namespace kinema::bench
