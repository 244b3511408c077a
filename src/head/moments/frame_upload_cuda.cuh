// Transfer of a frame from host to device, whole or in pieces of rows, so that counting one overlaps with sending the
// next. Pinned memory is sent directly, all other through a pinned buffer filled by several threads.
#pragma once

#include "core/cuda/buffer.h"
#include "core/threads.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kinema::head {

enum class Place { pageable, pinned, device };

/// The kind of memory.
Place place_of(const void* data);

class FrameUpload {
public:
  static constexpr int most_pieces = 16;

  explicit FrameUpload(int threads) : threads_(threads) {}

  /// Resets, once the device no longer needs the previous transfer.
  void clear();

  /// Adds rows of bytes that the device needs; `lines`: rows of the frame contained in one of them. Planes are numbered
  /// from 0. Rows on the device begin at multiples of 16 bytes.
  void add(const std::uint8_t* from, std::size_t stride, std::size_t row_bytes, std::size_t rows, std::size_t lines);

  bool empty() const { return planes_.empty(); }
  bool pinned() const;
  std::size_t bytes() const { return bytes_; }

  /// Allocates memory after all planes are added. The addresses of the planes on the device:
  void reserve();
  const std::uint8_t* data(std::size_t plane) const { return device_.data() + planes_[plane].offset; }
  std::size_t stride(std::size_t plane) const { return planes_[plane].device_stride; }

  /// Sends rows `first` to `end` - 1 of the frame, and makes `reader` wait for them. Pieces are numbered from 0.
  /// `marked`: arrived() will be used, which delays later work in the same stream by up to 15 microseconds.
  void send(int piece, std::size_t first, std::size_t end, cudaStream_t copies, cudaStream_t reader, bool marked);

  /// The arrival of a marked piece.
  const cuda::Event& arrived(int piece) const { return arrived_[static_cast<std::size_t>(piece)]; }

private:
  struct PlaneCopy {
    const std::uint8_t* from;
    std::size_t stride, row_bytes, rows, lines;
    bool pinned;
    std::size_t device_stride, offset;
  };
  // Bytes with the same layout on the device as on the host.
  struct Run {
    const std::uint8_t* from;
    std::size_t offset, bytes;
  };
  void stage(const PlaneCopy& plane, std::size_t first, std::size_t end);
  void copy(const Run& run, cudaStream_t copies);

  Threads threads_;
  std::vector<PlaneCopy> planes_;
  std::size_t bytes_ = 0;
  cuda::Buffer<std::uint8_t> device_;         // all planes, one after the other
  cuda::PinnedBuffer<std::uint8_t> staging_;  // laid out like device_
  std::array<cuda::Event, most_pieces> arrived_;
};

}  // namespace kinema::head
