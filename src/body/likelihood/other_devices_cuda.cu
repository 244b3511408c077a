#include "body/likelihood/other_devices_cuda.cuh"

#include "core/cuda/device.h"

namespace kinema::body {

struct OtherDevicesCuda::Other {
  Other(int number, const LikelihoodSettings& settings) : device(number), weigh(settings), bad(1), bad_host(1) {
    clear_bad();
  }

  void clear_bad() { cuda::check(cudaMemsetAsync(bad.data(), 0xff, sizeof(unsigned long long), stream), "clearing"); }

  int device;
  cuda::Stream stream, side;
  RayTilesCuda tiles;
  WeighCuda weigh;
  cuda::Buffer<float> capsules;
  cuda::Buffer<double> out;
  cuda::Buffer<unsigned long long> bad;
  cuda::PinnedBuffer<unsigned long long> bad_host;
  cuda::Event copied{cudaEventDisableTiming}, weighed{cudaEventDisableTiming};  // the points; the last samples
};

OtherDevicesCuda::OtherDevicesCuda(const std::vector<int>& devices, const LikelihoodSettings& settings) {
  int first = 0;
  cuda::check(cudaGetDevice(&first), "asking for the GPU");
  for (const int device : devices) {
    const cuda::DeviceGuard guard(device);
    cuda::use_device(device, {first});
    others_.push_back(std::make_unique<Other>(device, settings));
  }
}

OtherDevicesCuda::~OtherDevicesCuda() {
  for (auto& other : others_) {
    try {
      const cuda::DeviceGuard guard(other->device);
      cudaStreamSynchronize(other->stream);  // it may read what the first device is about to free
      other.reset();
    } catch (const DeviceFailure&) {
      other.reset();  // a device that is lost reads nothing
    }
  }
}

void OtherDevicesCuda::set_points(const RayTilesCuda& tiles, cudaStream_t stream) {
  if (others_.empty()) return;
  ready_.record(stream);
  for (const auto& other : others_) {
    const cuda::DeviceGuard guard(other->device);
    cuda::check(cudaStreamWaitEvent(other->stream, ready_), "waiting for points");
    exchanged_ += other->tiles.copy(tiles, other->stream);
    other->copied.record(other->stream);
  }
}

void OtherDevicesCuda::release_points(cudaStream_t stream) {
  for (const auto& other : others_) cuda::check(cudaStreamWaitEvent(stream, other->copied), "waiting for a copy");
}

void OtherDevicesCuda::weigh(const float* capsules, std::size_t samples, std::size_t count, double* out,
                             cudaStream_t stream) {
  if (others_.empty()) return;
  ready_.record(stream);
  const int parts = static_cast<int>(others_.size()) + 1;
  const std::size_t floats = count * capsule_floats;
  for (int part = 1; part < parts; ++part) {
    const Slice own = slice_of(samples, part, parts);
    if (own.size() == 0) return;  // nor have those after it
    Other& other = *others_[static_cast<std::size_t>(part) - 1];
    const cuda::DeviceGuard guard(other.device);
    other.capsules.reserve(own.size() * floats);
    other.out.reserve(own.size());
    cuda::check(cudaStreamWaitEvent(other.stream, ready_), "waiting for capsules");
    // unified addresses: the driver knows the device of each, and copies through the host where they cannot reach each other
    cuda::check(cudaMemcpyAsync(other.capsules.data(), capsules + own.begin * floats,
                                own.size() * floats * sizeof(float), cudaMemcpyDefault, other.stream),
                "copying capsules between GPUs");
    other.weigh.weigh(other.tiles.view(), other.capsules.data(), own.size(), count, other.out.data(), other.bad.data(),
                      other.stream, other.side);
    cuda::check(cudaMemcpyAsync(out + own.begin, other.out.data(), own.size() * sizeof(double), cudaMemcpyDefault,
                                other.stream),
                "copying results between GPUs");
    other.weighed.record(other.stream);
    exchanged_ += own.size() * (floats * sizeof(float) + sizeof(double));
  }
}

void OtherDevicesCuda::join(cudaStream_t stream) {
  for (const auto& other : others_) cuda::check(cudaStreamWaitEvent(stream, other->weighed), "waiting for another GPU");
}

bool OtherDevicesCuda::finish() {
  bool invalid = false;
  for (const auto& other : others_) {
    const cuda::DeviceGuard guard(other->device);
    cuda::check(cudaMemcpyAsync(other->bad_host.data(), other->bad.data(), sizeof(unsigned long long),
                                cudaMemcpyDeviceToHost, other->stream),
                "downloading results");
    other->stream.wait();
    if (*other->bad_host.data() == ~0ull) continue;
    invalid = true;
    other->clear_bad();
  }
  return invalid;
}

}  // namespace kinema::body
