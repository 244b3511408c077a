// Backends of head::Moments on a GPU, as seen by the host: started, then collected. In between the CPU is free, as a
// frame divided between both (eq. 8) requires.
#pragma once

#include "kinema/head.h"

#include <memory>

namespace kinema::head {

class DeviceMoments : public Moments {
public:
  using Moments::measure;

  /// Starts the measurement. Frame and mask must stay valid until finish(), which every start() needs.
  virtual void start(const ColourView& frame, const Weighing& weighing) = 0;
  virtual Sums finish() = 0;

  /// Milliseconds from start() to the last sum by the device's clock, transfers included; after finish(). 0 if the
  /// device had nothing to do, or timing is off.
  virtual double device_ms() const = 0;

  /// Whether frames on the device are also timed by its clock, and the transfer of others separately; both cost
  /// microseconds.
  virtual void keep_time(bool keep) = 0;

  Sums measure(const ColourView& frame, const Weighing& weighing = {}) override {
    start(frame, weighing);
    return finish();
  }
};

/// The cuda backend.
std::unique_ptr<DeviceMoments> make_cuda_device_moments(const MomentsSettings& settings, int threads);

}  // namespace kinema::head
