// Weighs and counts the pixels of frames on the device, in one launch whatever their number. Weights are integers (2^20
// for 1; the bytes of a table), so every sum is exact and has the same bits in any order, and for a frame alone
// or in a batch.
#pragma once

#include "core/cuda/buffer.h"
#include "core/cuda/graph_launcher.h"
#include "kinema/head.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace kinema::head {

/// A frame in device memory, from the first pixel that counts.
struct DevicePlanes {
  const std::uint8_t* data = nullptr;
  const std::uint8_t* chroma = nullptr;
  std::size_t stride = 0, chroma_stride = 0;
};

/// The pixels that count, in coordinates of the frame; x a multiple of region_grain, y of row_grain.
struct Region {
  std::uint32_t x = 0, y = 0, width = 0, height = 0;
};
inline constexpr std::uint32_t region_grain = 16;

/// Wider or higher frames would overflow a block's sums.
inline constexpr std::size_t longest_side = 16384;

/// The sums of a frame in the device's format: each, in the order of Sums, as its lower 32 bits and the rest, both
/// below 2^48. Lower parts are not carried into upper ones.
struct FrameResult {
  static constexpr int parts = 10;
  unsigned long long part[parts];

  /// In units of a weight of 1.
  Sums sums(double unit) const;
};

/// The same during addition, with the number of contributing blocks in the upper bits.
struct alignas(128) FrameTotals {
  static constexpr unsigned long long one_block = 1ull << 48;
  unsigned long long part[FrameResult::parts];
};

/// Weighing, with the mask on the device and starting at the first pixel of the region.
struct DeviceWeighing {
  bool window = false;
  int cx = 0, cy = 0;              // whole pixels of its centre
  float cx_rest = 0, cy_rest = 0;  // and the fractions, so that float coordinates lose nothing far from 0
  float x_scale = 0, y_scale = 0;  // 1/rx, 1/ry
  const std::uint8_t* mask = nullptr;
  std::size_t mask_stride = 0;
};

/// Whether eq. 2 adds numbers so large that float would lose about 1e-6 of a degree.
inline bool is_steep(const SkinPlane& plane) {
  return std::abs(plane.d) + 255 * (std::abs(plane.r) + std::abs(plane.g) + std::abs(plane.b)) > 32;
}

class CountCuda {
public:
  static constexpr std::size_t most_frames = 64;  // of a launch
  static constexpr std::size_t sums = 5;          // in the order of Sums

  CountCuda();

  void set_classifier(const Classifier& classifier, cudaStream_t stream);

  /// The parts of the result of frames[i] are written to results[i], memory that the device can write, each with one
  /// store. Returns the unit of the weights. `hurry`: the stream is idle, so that the launch itself is on the critical path.
  double count(PixelFormat format, std::span<const DevicePlanes> frames, const Region& region,
               const DeviceWeighing* weighing, FrameResult* results, cudaStream_t stream, bool hurry = false);

private:
  struct Call {
    std::span<const DevicePlanes> frames;
    Region region;
    const DeviceWeighing* weighing;
    FrameResult* results;
    cudaStream_t stream;
    bool hurry;
  };
  template <class Strip>
  double launch(const Call& call, bool red_first);
  template <class Strip, class Degree>
  double launch(const Degree& degree, const Call& call);
  template <class Strip, class Degree, bool weighed, int frame_count>
  double launch_kernel(const Degree& degree, const Call& call);

  Classifier classifier_;
  cuda::Buffer<std::uint8_t> table_;
  cuda::Buffer<FrameTotals> totals_;
  cuda::GraphLauncher graphs_;
  unsigned multiprocessors_ = 1;
};

}  // namespace kinema::head
