// Transfer of a frame from host to device. Pinned memory is sent directly, all other through a pinned buffer filled by
// several threads.
#pragma once

#include "core/cuda/buffer.h"
#include "core/threads.h"

#include <cstdint>
#include <vector>

namespace kinema::head {

enum class Place { pageable, pinned, device };

/// The kind of memory.
Place place_of(const void* data);

class FrameUpload {
public:
  explicit FrameUpload(int threads) : threads_(threads) {}

  /// Resets, once the device no longer needs the previous transfer.
  void clear();

  /// Adds rows of bytes that the device needs. Planes are numbered from 0. Rows on the device begin at multiples of 16
  /// bytes.
  void add(const std::uint8_t* from, std::size_t stride, std::size_t row_bytes, std::size_t rows);

  bool empty() const { return planes_.empty(); }

  /// Allocates memory after all planes are added. The addresses of the planes on the device:
  void reserve();
  const std::uint8_t* data(std::size_t plane) const { return device_.data() + planes_[plane].offset; }
  std::size_t stride(std::size_t plane) const { return planes_[plane].device_stride; }

  /// Sends all planes, and makes `reader` wait for them. `marked`: arrived() will be used, which delays later work in the
  /// same stream by up to 15 microseconds.
  void send(cudaStream_t copies, cudaStream_t reader, bool marked);

  /// The arrival of a marked frame.
  const cuda::Event& arrived() const { return arrived_; }

private:
  struct PlaneCopy {
    const std::uint8_t* from;
    std::size_t stride, row_bytes, rows;
    bool pinned;
    std::size_t device_stride, offset;
  };
  // Bytes with the same layout on the device as on the host.
  struct Run {
    const std::uint8_t* from;
    std::size_t offset, bytes;
  };
  void stage(const PlaneCopy& plane);
  void copy(const Run& run, cudaStream_t copies);

  Threads threads_;
  std::vector<PlaneCopy> planes_;
  std::size_t bytes_ = 0;
  cuda::Buffer<std::uint8_t> device_;         // all planes, one after the other
  cuda::PinnedBuffer<std::uint8_t> staging_;  // laid out like device_
  cuda::Event arrived_;
};

}  // namespace kinema::head
