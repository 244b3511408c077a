// The way of a frame from the host to the device: in pieces of rows, so that counting one overlaps with sending the next.
// Memory that is pinned goes as it is, all other through a pinned buffer.
#pragma once

#include "core/cuda/buffer.h"
#include "head/count_cuda.cuh"

#include <array>
#include <vector>

namespace kinema::head {

enum class Place { pageable, pinned, device };

/// Where memory lies.
Place place_of(const void* data);

class FrameUpload {
public:
  static constexpr int most_pieces = 16;

  /// Begins anew, once the device no longer needs what was sent before.
  void clear() { planes_.clear(); }

  /// Rows of bytes that the device needs; `lines`: rows of the frame that stand in one of them. Returns where the first
  /// will be, and sets the stride it has there.
  const std::uint8_t* add(const std::uint8_t* from, std::size_t stride, std::size_t row_bytes, std::size_t rows,
                          std::size_t lines, std::size_t& device_stride);

  bool empty() const { return planes_.empty(); }
  std::size_t bytes() const;

  /// Sends rows `first` to `end` - 1 of the frame, and lets `reader` wait for them. Pieces are numbered from 0.
  void send(int piece, std::size_t first, std::size_t end, cudaStream_t copies, cudaStream_t reader);

  /// When a piece has arrived.
  const cuda::Event& arrived(int piece) const { return arrived_[static_cast<std::size_t>(piece)]; }

private:
  struct PlaneCopy {
    const std::uint8_t* from;
    std::size_t stride, row_bytes, rows, lines;
    std::size_t device_stride;
    bool pinned;
    std::size_t buffer;
  };
  void send(const PlaneCopy& plane, std::size_t first, std::size_t end, cudaStream_t copies);

  std::vector<PlaneCopy> planes_;
  std::array<cuda::Buffer<std::uint8_t>, 3> device_;         // frame, chroma, mask
  std::array<cuda::PinnedBuffer<std::uint8_t>, 3> staging_;  // laid out as on the device
  std::array<cuda::Event, most_pieces> arrived_;
};

}  // namespace kinema::head
