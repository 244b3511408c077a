#include "bench/head/head_device.h"
#include "core/cuda/buffer.h"

#include <algorithm>
#include <array>

namespace kinema::bench {
namespace {

constexpr int threads = 256, loads = 8;
constexpr std::size_t most_frames = 64;

struct Frames {
  const uint4* data[most_frames];
};

// Loads only, as many in flight as a thread of the backend has.
__global__ void read_only(const __grid_constant__ Frames frames, std::size_t count, unsigned* out) {
  const uint4* data = frames.data[blockIdx.y];
  const std::size_t first = static_cast<std::size_t>(blockIdx.x) * threads * loads + threadIdx.x;
  uint4 v[loads];
#pragma unroll
  for (int i = 0; i < loads; ++i) v[i] = first + i * threads < count ? __ldg(data + first + i * threads) : uint4{};
  unsigned mixed = 0;
#pragma unroll
  for (int i = 0; i < loads; ++i) mixed ^= v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
  if (mixed == 0x12345678u) *out = mixed;  // so that the loads are not optimised away
}

std::shared_ptr<std::uint8_t> device_memory(std::size_t bytes) {
  void* data = nullptr;
  cuda::check(cudaMalloc(&data, bytes), "taking memory");
  return {static_cast<std::uint8_t*>(data), [](std::uint8_t* p) { cudaFree(p); }};
}

}  // namespace

PlacedFrame on_device(const HeadFrame& frame) {
  PlacedFrame placed{device_memory(frame.bytes.size()), {}};
  cuda::check(cudaMemcpy(placed.memory.get(), frame.bytes.data(), frame.bytes.size(), cudaMemcpyHostToDevice),
              "uploading a frame");
  cuda::check(cudaDeviceSynchronize(), "uploading a frame");  // a small copy may still be in flight
  placed.view = moved(frame, placed.memory.get());
  placed.view.on_device = true;
  return placed;
}

PlacedFrame pinned(const HeadFrame& frame) {
  void* data = nullptr;
  cuda::check(cudaMallocHost(&data, frame.bytes.size()), "taking memory");
  PlacedFrame placed{{static_cast<std::uint8_t*>(data), [](std::uint8_t* p) { cudaFreeHost(p); }}, {}};
  std::copy(frame.bytes.begin(), frame.bytes.end(), placed.memory.get());
  placed.view = moved(frame, placed.memory.get());
  return placed;
}

struct DeviceFloor::State {
  cuda::Stream stream;
  cuda::Event begun, done;
  cuda::Buffer<std::uint8_t> memory;
  cuda::Buffer<unsigned> out{1};

  double wait() {
    stream.wait();
    return cuda::elapsed_ms(begun, done);
  }
};

DeviceFloor::DeviceFloor() : state_(std::make_unique<State>()) {}
DeviceFloor::~DeviceFloor() = default;

double DeviceFloor::transfer(const std::uint8_t* from, std::size_t bytes) {
  state_->memory.reserve(bytes);
  state_->begun.record(state_->stream);
  cuda::check(cudaMemcpyAsync(state_->memory.data(), from, bytes, cudaMemcpyHostToDevice, state_->stream), "copying");
  state_->done.record(state_->stream);
  return state_->wait();
}

double DeviceFloor::read(std::span<const ColourView> frames, std::size_t bytes) {
  Frames all{};
  const std::size_t count = std::min(frames.size(), most_frames), vectors = bytes / sizeof(uint4);
  for (std::size_t i = 0; i < count; ++i) all.data[i] = reinterpret_cast<const uint4*>(frames[i].data);
  const dim3 grid(static_cast<unsigned>((vectors + threads * loads - 1) / (threads * loads)),
                  static_cast<unsigned>(count));
  state_->begun.record(state_->stream);
  read_only<<<grid, threads, 0, state_->stream>>>(all, vectors, state_->out.data());
  cuda::check_launch("reading");
  state_->done.record(state_->stream);
  return state_->wait();
}

}  // namespace kinema::bench
