// The faces of a batch divided among several devices, one worker thread each. A fit does not depend on the others of
// its batch, so the bits are those of one device.
#include "core/device_parts.h"
#include "core/slice.h"
#include "face/fitter/fitter_backends.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinema::face {
namespace {

class DevicesFitter final : public Fitter {
public:
  DevicesFitter(const Compute& compute, const MakePart& make_part)
      : make_part_(make_part),
        one_device_(std::adjacent_find(compute.devices.begin(), compute.devices.end(), std::not_equal_to<>()) ==
                    compute.devices.end()),
        parts_(compute.devices, compute.losses) {
    do make();
    while (!parts_.wait());
  }

  std::vector<PlacedStage> stages() const override { return parts_[0].stages(); }

  Fit fit(const Face& face) override {
    check(face);
    Fit found;
    do_until_done([&face, &found](Fitter& fitter, int part) {
      if (part == 0) found = fitter.fit(face);
    });
    return found;
  }

  void fit(std::span<const Face> faces, std::span<Fit> out) override {
    if (out.size() != faces.size())
      throw Error(fmt::format("room for {} fits, but {} faces", out.size(), faces.size()));
    for (const Face& face : faces) check(face);
    do_until_done([this, faces, out](Fitter& fitter, int part) {
      // a face alone is divided otherwise on a GPU, which changes the order of its sums: each part gets two or more
      const int used =
          static_cast<int>(std::clamp<std::size_t>(faces.size() / 2, 1, static_cast<std::size_t>(parts_.count())));
      if (part >= used) return;
      const Slice own = slice_of(faces.size(), part, used);
      if (own.size() > 0) fitter.fit(faces.subspan(own.begin, own.size()), out.subspan(own.begin, own.size()));
    });
  }

  std::vector<StageTime> times() const override { return parts_[0].times(); }

private:
  void make() { parts_.make(make_part_); }

  template <class Call>
  void do_until_done(const Call& call) {
    for (;;) {
      parts_.each(call);
      if (parts_.wait()) return;
      make();
    }
  }

  // Pixels on a device are those of one device.
  void check(const Face& face) const {
    if (face.on_device && !one_device_)
      throw Error("the image lies on one of the devices; with several give images of the host");
  }

  MakePart make_part_;
  bool one_device_;
  DeviceParts<Fitter> parts_;
};

}  // namespace

std::unique_ptr<Fitter> make_devices_fitter(const Compute& compute, const MakePart& make_part) {
  return std::make_unique<DevicesFitter>(compute, make_part);
}

}  // namespace kinema::face
