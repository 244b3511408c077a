#include "bench/face/face_device.h"
#include "core/cuda/buffer.h"

namespace kinema::bench {

DevicePicture on_device(const DrawnFace& face) {
  void* data = nullptr;
  cuda::check(cudaMalloc(&data, face.pixels.size()), "taking memory");
  DevicePicture placed{{static_cast<std::uint8_t*>(data), [](std::uint8_t* p) { cudaFree(p); }}, {}};
  cuda::check(cudaMemcpy(data, face.pixels.data(), face.pixels.size(), cudaMemcpyHostToDevice), "uploading a picture");
  placed.view = {placed.memory.get(), face.width, face.height, face.width};
  return placed;
}

}  // namespace kinema::bench
