// What `kinema bench head` needs of a GPU besides the backends: frames in device and in pinned memory, and the times of
// the least work of any program, a transfer and one read. Without CUDA all of it throws Error.
#pragma once

#include "bench/head/head_frames.h"

#include <memory>
#include <span>
#include <vector>

namespace kinema::bench {

/// A frame that owns its memory.
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

  /// Reads this many bytes of each of these frames in one launch and waits. Milliseconds by the device's clock.
  double read(std::span<const ColourView> frames, std::size_t bytes);

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::bench
