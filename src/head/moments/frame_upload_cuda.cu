#include "head/moments/frame_upload_cuda.cuh"

#include <algorithm>
#include <cstring>

namespace kinema::head {
namespace {

constexpr std::size_t load_bytes = 16;   // rows on the device begin at a multiple
constexpr std::size_t most_gap = 256;    // gaps between rows are sent along if no larger, so that all rows are one copy
constexpr std::size_t rows_a_task = 32;  // of a thread that fills the pinned buffer

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

void FrameUpload::clear() {
  planes_.clear();
  bytes_ = 0;
}

void FrameUpload::add(const std::uint8_t* from, std::size_t stride, std::size_t row_bytes, std::size_t rows) {
  const bool pinned = place_of(from) == Place::pinned;
  const bool keep = stride % load_bytes == 0 && stride - row_bytes <= most_gap;
  const std::size_t device_stride = keep ? stride : (row_bytes + load_bytes - 1) / load_bytes * load_bytes;
  planes_.push_back({from, stride, row_bytes, rows, pinned, device_stride, bytes_});
  bytes_ += rows * device_stride;
}

void FrameUpload::reserve() {
  device_.reserve(bytes_);
  const auto pinned = [](const PlaneCopy& plane) { return plane.pinned; };
  if (!std::all_of(planes_.begin(), planes_.end(), pinned)) staging_.reserve(bytes_);
}

void FrameUpload::stage(const PlaneCopy& plane) {
  std::uint8_t* const to = staging_.data() + plane.offset;
  threads_.for_each((plane.rows + rows_a_task - 1) / rows_a_task, [&](std::size_t task) {
    const std::size_t begin = task * rows_a_task, stop = std::min(plane.rows, begin + rows_a_task);
    if (plane.stride == plane.device_stride) {
      std::memcpy(to + begin * plane.stride, plane.from + begin * plane.stride,
                  (stop - begin - 1) * plane.stride + plane.row_bytes);
    } else {
      for (std::size_t y = begin; y < stop; ++y)
        std::memcpy(to + y * plane.device_stride, plane.from + y * plane.stride, plane.row_bytes);
    }
  });
}

void FrameUpload::copy(const Run& run, cudaStream_t copies) {
  if (run.bytes == 0) return;
  cuda::check(cudaMemcpyAsync(device_.data() + run.offset, run.from, run.bytes, cudaMemcpyHostToDevice, copies),
              "uploading a frame");
}

void FrameUpload::send(cudaStream_t copies, cudaStream_t reader, bool marked) {
  // planes that are contiguous on both sides are one copy, since each costs microseconds to start
  Run run{};
  for (const PlaneCopy& plane : planes_) {
    if (plane.rows == 0) continue;
    if (!plane.pinned) stage(plane);
    if (plane.pinned && plane.stride != plane.device_stride) {
      cuda::check(cudaMemcpy2DAsync(device_.data() + plane.offset, plane.device_stride, plane.from, plane.stride,
                                    plane.row_bytes, plane.rows, cudaMemcpyHostToDevice, copies),
                  "uploading a frame");
      continue;
    }
    const std::uint8_t* const from = plane.pinned ? plane.from : staging_.data() + plane.offset;
    const std::size_t bytes = (plane.rows - 1) * plane.device_stride + plane.row_bytes;
    const bool follows = run.bytes > 0 && plane.offset - run.offset == static_cast<std::size_t>(from - run.from) &&
                         plane.offset - (run.offset + run.bytes) < load_bytes;
    if (follows) {
      run.bytes = plane.offset + bytes - run.offset;
    } else {
      copy(run, copies);
      run = {from, plane.offset, bytes};
    }
  }
  copy(run, copies);
  if (!marked && copies == reader) return;
  arrived_.record(copies);
  if (copies != reader) cuda::check(cudaStreamWaitEvent(reader, arrived_, 0), "waiting for a frame");
}

}  // namespace kinema::head
