#include "head/frame_upload_cuda.cuh"

#include <algorithm>
#include <cstring>

namespace kinema::head {
namespace {

constexpr std::size_t load_bytes = 16;  // rows on the device begin at a multiple
constexpr std::size_t most_gap = 256;   // between rows, that is sent along so that all of them are one copy

}  // namespace

Place place_of(const void* data) {
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, data) != cudaSuccess) {
    cudaGetLastError();
    return Place::pageable;
  }
  switch (attributes.type) {
    case cudaMemoryTypeHost:
      return Place::pinned;
    case cudaMemoryTypeDevice:
    case cudaMemoryTypeManaged:
      return Place::device;
    default:
      return Place::pageable;
  }
}

const std::uint8_t* FrameUpload::add(const std::uint8_t* from, std::size_t stride, std::size_t row_bytes,
                                     std::size_t rows, std::size_t lines, std::size_t& device_stride) {
  const std::size_t buffer = planes_.size();
  const bool pinned = place_of(from) == Place::pinned;
  const bool keep = pinned && stride % load_bytes == 0 && stride - row_bytes <= most_gap;
  device_stride = keep ? stride : (row_bytes + load_bytes - 1) / load_bytes * load_bytes;
  device_[buffer].reserve(rows * device_stride);
  if (!pinned) staging_[buffer].reserve(rows * device_stride);
  planes_.push_back({from, stride, row_bytes, rows, lines, device_stride, pinned, buffer});
  return device_[buffer].data();
}

std::size_t FrameUpload::bytes() const {
  std::size_t sum = 0;
  for (const PlaneCopy& plane : planes_) sum += plane.rows * plane.row_bytes;
  return sum;
}

void FrameUpload::send(const PlaneCopy& plane, std::size_t first, std::size_t end, cudaStream_t copies) {
  if (first >= end) return;
  const std::size_t rows = end - first;
  const std::uint8_t* from = plane.from + first * plane.stride;
  std::size_t stride = plane.stride;
  if (!plane.pinned) {
    std::uint8_t* staged = staging_[plane.buffer].data() + first * plane.device_stride;
    if (stride == plane.device_stride) {
      std::memcpy(staged, from, (rows - 1) * stride + plane.row_bytes);
    } else {
      for (std::size_t y = 0; y < rows; ++y)
        std::memcpy(staged + y * plane.device_stride, from + y * stride, plane.row_bytes);
    }
    from = staged;
    stride = plane.device_stride;
  }
  std::uint8_t* to = device_[plane.buffer].data() + first * plane.device_stride;
  if (stride == plane.device_stride) {
    cuda::check(cudaMemcpyAsync(to, from, (rows - 1) * stride + plane.row_bytes, cudaMemcpyHostToDevice, copies),
                "uploading a frame");
  } else {
    cuda::check(
        cudaMemcpy2DAsync(to, plane.device_stride, from, stride, plane.row_bytes, rows, cudaMemcpyHostToDevice, copies),
        "uploading a frame");
  }
}

void FrameUpload::send(int piece, std::size_t first, std::size_t end, cudaStream_t copies, cudaStream_t reader) {
  for (const PlaneCopy& plane : planes_)
    send(plane, first / plane.lines, std::min(plane.rows, (end + plane.lines - 1) / plane.lines), copies);
  cuda::Event& arrived = arrived_[static_cast<std::size_t>(piece)];
  arrived.record(copies);
  cuda::check(cudaStreamWaitEvent(reader, arrived, 0), "waiting for a frame");
}

}  // namespace kinema::head
