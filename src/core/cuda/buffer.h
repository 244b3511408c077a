// RAII device memory, pinned host memory, streams and events, and CUDA errors as kinema::Error.
#pragma once

#include "core/device_failure.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace kinema::cuda {

inline void check(cudaError_t status, const char* doing) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // so that the next call does not report it again
  int device = 0;
  cudaGetDevice(&device);
  throw DeviceFailure("GPU " + std::to_string(device) + " failed while " + doing + ": " + cudaGetErrorString(status),
                      device);
}

/// After a kernel launch.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

namespace detail {
struct DeviceMemory {
  static cudaError_t take(void** p, std::size_t bytes) { return cudaMalloc(p, bytes); }
  static void give_back(void* p) { cudaFree(p); }
};
struct PinnedMemory {
  static cudaError_t take(void** p, std::size_t bytes) { return cudaMallocHost(p, bytes); }
  static void give_back(void* p) { cudaFreeHost(p); }
};
}  // namespace detail

/// An array of T that grows on demand and never shrinks; its content is lost when it grows. Giving back memory waits for all
/// streams of the device, so it grows by a quarter at least: the numbers of points of frames differ a little.
template <class T, class Memory>
class Array {
public:
  Array() = default;
  explicit Array(std::size_t count) { reserve(count); }
  ~Array() { Memory::give_back(data_); }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    swap(other);
    return *this;
  }

  void reserve(std::size_t count) {
    if (count <= capacity_) return;
    count = std::max(count, capacity_ + capacity_ / 4);
    Memory::give_back(std::exchange(data_, nullptr));
    capacity_ = 0;
    void* p = nullptr;
    check(Memory::take(&p, count * sizeof(T)), "taking memory");
    data_ = static_cast<T*>(p);
    capacity_ = count;
  }

  T* data() const { return data_; }
  std::size_t capacity() const { return capacity_; }
  std::size_t bytes() const { return capacity_ * sizeof(T); }

private:
  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
  }

  T* data_ = nullptr;
  std::size_t capacity_ = 0;
};

template <class T>
using Buffer = Array<T, detail::DeviceMemory>;
template <class T>
using PinnedBuffer = Array<T, detail::PinnedMemory>;

/// Sets memory to zeros, or to what lies on the host, before anything of any stream is launched after it. cudaMemset and
/// cudaMemcpy alone may return earlier, and the streams below do not wait for them.
inline void clear(void* to, std::size_t bytes) {
  check(cudaMemset(to, 0, bytes), "clearing memory");
  check(cudaStreamSynchronize(cudaStreamLegacy), "clearing memory");
}
inline void upload(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "uploading");
  check(cudaStreamSynchronize(cudaStreamLegacy), "uploading");
}

/// Scheduling priority where streams compete for a device.
enum class Priority { normal, high };

class Stream {
public:
  explicit Stream(Priority priority = Priority::normal) {
    int least = 0, greatest = 0;
    check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "making a stream");
    check(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, priority == Priority::high ? greatest : least),
          "making a stream");
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  operator cudaStream_t() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_), "waiting for the GPU"); }

private:
  cudaStream_t stream_ = nullptr;
};

class Event {
public:
  /// cudaEventDisableTiming: only to be waited for, which is cheaper.
  explicit Event(unsigned flags = cudaEventDefault) {
    check(cudaEventCreateWithFlags(&event_, flags), "making an event");
  }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  operator cudaEvent_t() const { return event_; }
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "recording an event"); }

private:
  cudaEvent_t event_ = nullptr;
};

/// Milliseconds between two events, both of which have been reached.
inline double elapsed_ms(const Event& from, const Event& to) {
  float ms = 0;
  check(cudaEventElapsedTime(&ms, from, to), "timing");
  return ms;
}

}  // namespace kinema::cuda
