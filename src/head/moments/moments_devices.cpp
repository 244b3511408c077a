// The frames of a batch divided among several devices, one worker thread each. The sums of a frame do not depend on the
// others, so the bits are those of one device.
#include "core/device_parts.h"
#include "core/slice.h"
#include "head/moments/moments_backends.h"
#include "kinema/error.h"

#include <algorithm>
#include <optional>

namespace kinema::head {
namespace {

class DevicesMoments final : public Moments {
public:
  DevicesMoments(const Compute& compute, const MakePart& make_part)
      : make_part_(make_part),
        one_device_(std::adjacent_find(compute.devices.begin(), compute.devices.end(), std::not_equal_to<>()) ==
                    compute.devices.end()),
        parts_(compute.devices, compute.losses) {
    do make();
    while (!parts_.wait());
  }

  void set_classifier(const Classifier& classifier) override {
    check_classifier(classifier);
    classifier_ = classifier;
    do_until_done([this](Moments& moments, int) { moments.set_classifier(*classifier_); });
  }

  Sums measure(const ColourView& frame, const Weighing& weighing) override {
    check_frame(frame, one_device_);
    Sums sums;
    do_until_done([&](Moments& moments, int part) {
      if (part == 0) sums = moments.measure(frame, weighing);
    });
    return sums;
  }

  void measure(std::span<const ColourView> frames, std::span<Sums> out) override {
    check_frames(frames, out, one_device_);
    do_until_done([this, frames, out](Moments& moments, int part) {
      const Slice own = slice_of(frames.size(), part, parts_.count());
      if (own.size() > 0) moments.measure(frames.subspan(own.begin, own.size()), out.subspan(own.begin, own.size()));
    });
  }

  std::vector<StageTime> times() const override { return parts_[0].times(); }

private:
  void make() {
    parts_.make([this](int device) {
      std::unique_ptr<Moments> moments = make_part_(device);
      if (classifier_) moments->set_classifier(*classifier_);
      return moments;
    });
  }

  template <class Call>
  void do_until_done(const Call& call) {
    for (;;) {
      parts_.each(call);
      if (parts_.wait()) return;
      make();
    }
  }

  MakePart make_part_;
  bool one_device_;  // frames in its memory can be counted
  std::optional<Classifier> classifier_;
  DeviceParts<Moments> parts_;
};

}  // namespace

std::unique_ptr<Moments> make_devices_moments(const Compute& compute, const MakePart& make_part) {
  return std::make_unique<DevicesMoments>(compute, make_part);
}

}  // namespace kinema::head
