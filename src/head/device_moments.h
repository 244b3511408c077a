// Backends of head::Moments on a GPU, as the host sees them: begun, left alone, collected. Between the two the CPU is
// free, which is what a frame divided between both (eq. 8) needs.
#pragma once

#include "kinema/head.h"

#include <memory>

namespace kinema::head {

class DeviceMoments : public Moments {
public:
  using Moments::measure;

  /// Begins to measure. Frame and mask must stay where they are until finish(), which every start() needs.
  virtual void start(const ColourView& frame, const Weighing& weighing) = 0;
  virtual Sums finish() = 0;

  /// Milliseconds from start() to the last sum by the device's clock, transfers included; after finish(). 0 where the
  /// device had nothing to do, or was not asked to keep time.
  virtual double device_ms() const = 0;

  /// Whether frames that lie on the device are timed by its clock too, and the transfer of others on its own; both cost
  /// microseconds.
  virtual void keep_time(bool keep) = 0;

  Sums measure(const ColourView& frame, const Weighing& weighing = {}) override {
    start(frame, weighing);
    return finish();
  }
};

/// The cuda backend.
std::unique_ptr<DeviceMoments> make_cuda_device_moments(const MomentsSettings& settings);

/// The paper's versions GPU 1 to GPU 8.
std::unique_ptr<DeviceMoments> make_gpu_device_step(int step);

}  // namespace kinema::head
