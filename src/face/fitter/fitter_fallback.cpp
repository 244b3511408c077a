// A GPU until it fails (out of memory, lost), then the CPU: faces that were finished stay as they are.
#include "core/device_failure.h"
#include "face/fitter/fitter_backends.h"
#include "kinema/error.h"
#include "kinema/grey.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinema::face {
namespace {

// What a device has at once, and what it loses if it fails then: enough that its batches overlap.
constexpr std::size_t faces_at_once = 2048;

class FallbackFitter final : public Fitter {
public:
  FallbackFitter(const Compute& compute, const MakeFitter& make_device, MakeFitter make_host)
      : losses_(compute.losses), place_(compute.devices.size()), make_host_(std::move(make_host)) {
    if (losses_->lost(place_)) {
      fall_back();
      return;
    }
    try {
      fitter_ = make_device();
    } catch (const DeviceFailure& failure) {
      fall_back(failure);
    }
  }

  std::vector<PlacedStage> stages() const override { return fitter_->stages(); }
  std::vector<StageTime> times() const override { return fitter_->times(); }
  bool takes_colour() const override { return fitter_->takes_colour(); }

  void expect(const Face& face) override { fitter_->expect(face); }

  Fit fit(const Face& face) override {
    if (on_device_) {
      try {
        return fitter_->fit(face);
      } catch (const DeviceFailure& failure) {
        check_host_has({&face, 1});
        fall_back(failure);
      }
    }
    Fit result;
    fit_on_host({&face, 1}, {&result, 1});
    return result;
  }

  void fit(std::span<const Face> faces, std::span<Fit> out) override {
    if (out.size() != faces.size())
      throw Error(fmt::format("room for {} fits, but {} faces", out.size(), faces.size()));
    std::size_t done = 0;
    while (on_device_ && done < faces.size()) {
      const std::size_t count = std::min(faces_at_once, faces.size() - done);
      try {
        fitter_->fit(faces.subspan(done, count), out.subspan(done, count));
        done += count;
      } catch (const DeviceFailure& failure) {
        check_host_has(faces.subspan(done));
        fall_back(failure);
      }
    }
    if (done < faces.size()) fit_on_host(faces.subspan(done), out.subspan(done));
  }

private:
  void fall_back() {
    on_device_ = false;
    fitter_ = make_host_();
  }
  void fall_back(const DeviceFailure& failure) {
    fitter_.reset();  // and with it the memory that it holds
    fall_back();
    losses_->add(place_, std::string(failure.what()) + "; the CPU goes on");
  }

  // Within a handler: pixels on the device cannot be fitted elsewhere, and its failure is what to report.
  static void check_host_has(std::span<const Face> faces) {
    if (std::any_of(faces.begin(), faces.end(), [](const Face& face) { return face.on_device; })) throw;
  }

  // The caller may have prepared colour frames for the device.
  void fit_on_host(std::span<const Face> faces, std::span<Fit> out) {
    std::vector<Face> grey(faces.begin(), faces.end());
    std::vector<std::vector<std::uint8_t>> images;
    for (Face& face : grey) {
      if (face.colour.data == nullptr || fitter_->takes_colour()) continue;
      images.push_back(grey_of(face.colour));
      face.image = {images.back().data(), face.colour.width, face.colour.height, face.colour.width};
      face.colour = {};
    }
    fitter_->fit(grey, out);
  }

  std::shared_ptr<DeviceLosses> losses_;
  std::size_t place_;  // behind the devices that can fail one by one
  MakeFitter make_host_;
  std::unique_ptr<Fitter> fitter_;
  bool on_device_ = true;
};

}  // namespace

std::unique_ptr<Fitter> make_fallback_fitter(const Compute& compute, const MakeFitter& make_device,
                                             const MakeFitter& make_host) {
  return std::make_unique<FallbackFitter>(compute, make_device, make_host);
}

}  // namespace kinema::face
