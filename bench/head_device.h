// What `kinema bench head` needs of a GPU in addition to the backends: frames in device and in pinned memory, and the times
// of the least that any program must do, a transfer and one read. Without CUDA all of it throws Error.
#pragma once

#include "bench/head_frames.h"

#include <memory>
#include <span>
#include <vector>

namespace kinema::bench {

/// A frame in memory of its own.
struct PlacedFrame {
  std::shared_ptr<std::uint8_t> memory;
  ColourView view;
};

PlacedFrame on_device(const HeadFrame& frame);
PlacedFrame pinned(const HeadFrame& frame);

class DeviceFloor {
public:
  DeviceFloor();
  ~DeviceFloor();

  /// Copies from pinned memory to the device and waits. Milliseconds by the device's clock.
  double transfer(const std::uint8_t* from, std::size_t bytes);

  /// Reads so many bytes of each of these frames in one launch and waits. Milliseconds by the device's clock.
  double read(std::span<const ColourView> frames, std::size_t bytes);

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::bench
