// Shared by the backends of head::Moments: their factories, checks of their input, and the pixels of a frame that can
// count at all.
#pragma once

#include "kinema/head.h"

#include <functional>
#include <memory>

namespace kinema::head {

std::unique_ptr<Moments> make_reference_moments();
std::unique_ptr<Moments> make_cpu_moments(int threads);
std::unique_ptr<Moments> make_cuda_moments(const MomentsSettings& settings, int threads);

/// Divides the frames of a batch among compute.devices. `make_part` gives the moments of a device, in the device's own
/// thread.
using MakePart = std::function<std::unique_ptr<Moments>(int device)>;
std::unique_ptr<Moments> make_devices_moments(const Compute& compute, const MakePart& make_part);

/// Throws if a plane has a number that is not finite, or a table does not have 256^3 degrees.
void check_classifier(const Classifier& classifier);

/// Throws if there are no pixels, a row is longer than a stride, or nv12 has no chroma; and, for a backend on the host,
/// if the frame lies on the device.
void check_frame(const ColourView& frame, bool device_is_fine = false);

/// Throws if the mask differs in size from the frame or has a stride shorter than a row, or the window has no extent.
void check_weighing(const ColourView& frame, const Weighing& weighing);

/// Throws if the frames differ in size or format, or `out` does not have one entry per frame.
void check_frames(std::span<const ColourView> frames, std::span<const Sums> out, bool device_is_fine = false);

/// Columns left...right - 1 of rows top...bottom - 1.
struct Box {
  std::size_t left = 0, top = 0, right = 0, bottom = 0;

  bool empty() const { return left >= right || top >= bottom; }
  std::size_t width() const { return right - left; }
  std::size_t height() const { return bottom - top; }
};

/// Outside of it no pixel has any weight; empty if none has.
Box pixels_that_count(const ColourView& frame, const Weighing& weighing);

/// Backends on a GPU, as seen by the host: started, then collected. In between the CPU is free, as a frame divided between
/// both (eq. 8) requires.
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
