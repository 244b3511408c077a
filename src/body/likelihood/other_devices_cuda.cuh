// The devices that help one to weigh: each has a copy of the points, gets its share of the capsules and gives back
// log-likelihoods. The host only asks for all this, in the order in which it asks the first device; events keep that order
// between the devices.
#pragma once

#include "body/likelihood/weigh_cuda.cuh"
#include "core/slice.h"

#include <memory>
#include <vector>

namespace kinema::body {

class OtherDevicesCuda {
public:
  /// They help the device that this thread uses. One may be named several times, and be that device itself.
  OtherDevicesCuda(const std::vector<int>& devices, const LikelihoodSettings& settings);
  ~OtherDevicesCuda();

  /// The share of the first device in so many samples; the others have the rest.
  Slice first_share(std::size_t samples) const { return slice_of(samples, 0, static_cast<int>(others_.size()) + 1); }

  /// Copies of the first device's points, which must not change until release_points().
  void set_points(const RayTilesCuda& tiles, cudaStream_t stream);

  /// What the stream does from here on, it does when the last points have been copied.
  void release_points(cudaStream_t stream);

  /// See WeighCuda: the results of all samples but the first share. The capsules are those that the stream makes before this
  /// call. The rest of its work must wait for the results by join().
  void weigh(const float* capsules, std::size_t samples, std::size_t count, double* out, cudaStream_t stream);
  void join(cudaStream_t stream);

  /// Waits until the others have nothing left to do. Whether a capsule was invalid since the last call.
  bool finish();

  /// What has been copied between the devices so far.
  std::uint64_t exchanged_bytes() const { return exchanged_; }

private:
  struct Other;

  std::vector<std::unique_ptr<Other>> others_;
  cuda::Event ready_{cudaEventDisableTiming};  // what the others read
  std::uint64_t exchanged_ = 0;
};

}  // namespace kinema::body
