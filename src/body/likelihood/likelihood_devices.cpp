// Samples divided among several devices, one worker thread each (section 5 of the paper). A device weighs the same
// share of the samples in every call, and a sample's result does not depend on the others: so the bits are those of one
// device.
#include "body/likelihood/kept_points.h"
#include "body/likelihood/likelihood_backends.h"
#include "core/device_parts.h"
#include "core/slice.h"
#include "kinema/error.h"

#include <algorithm>

namespace kinema::body {
namespace {

class DevicesLikelihood final : public Likelihood {
public:
  DevicesLikelihood(const Compute& compute, const MakePart& make_part)
      : make_part_(make_part), parts_(compute.devices, compute.losses) {
    do make();
    while (!parts_.wait());
  }

  PointCount set_points(PointsView points) override {
    check_points(points);
    if (parts_.recovers()) points_.set(points);
    give(points);
    const std::size_t bytes = (3 * points.size + points.deviation.size()) * sizeof(float) + points.background.size();
    exchanged_ += bytes * static_cast<std::size_t>(parts_.count() - 1);
    return count_;
  }

  void evaluate(CapsulesView capsules, std::span<double> out) override {
    check_sizes(capsules, out);
    // to all parts but the first, and back
    exchanged_ += (capsules.rows - slice_of(capsules.rows, 0, parts_.count()).size()) *
                  (capsules.columns * capsules.depth * sizeof(float) + sizeof(double));
    for (;;) {
      parts_.each([capsules, out, parts = parts_.count()](Likelihood& likelihood, int part) {
        const Slice own = slice_of(capsules.rows, part, parts);
        if (own.size() == 0) return;
        likelihood.evaluate({capsules.row(own.begin), own.size(), capsules.columns, capsules.depth},
                            out.subspan(own.begin, own.size()));
      });
      try {
        if (parts_.wait()) return;
      } catch (const Error& error) {
        // a part numbers samples from its first one
        if (error.cause() == Error::Cause::input) check_capsules(capsules);
        throw;
      }
      // the devices that are left need the points for what the lost one had
      make();
      give(points_.view());
    }
  }

  // Of the device that took longest, stage by stage: they run beside each other.
  std::vector<StageTime> times() const override {
    std::vector<StageTime> longest = parts_[0].times();
    for (int p = 1; p < parts_.count(); ++p) {
      for (const StageTime& time : parts_[p].times()) {
        const auto same = std::find_if(longest.begin(), longest.end(),
                                       [&](const StageTime& other) { return other.stage == time.stage; });
        if (same == longest.end())
          longest.push_back(time);
        else
          same->ms = std::max(same->ms, time.ms);
      }
    }
    return longest;
  }

  std::uint64_t exchanged_bytes() const override { return exchanged_; }

private:
  void make() { parts_.make(make_part_); }

  void give(PointsView points) {
    for (;;) {
      std::vector<PointCount> counts(static_cast<std::size_t>(parts_.count()));
      parts_.each([points, &counts](Likelihood& likelihood, int part) {
        counts[static_cast<std::size_t>(part)] = likelihood.set_points(points);
      });
      if (parts_.wait()) {
        count_ = counts[0];
        return;
      }
      make();
    }
  }

  MakePart make_part_;
  DeviceParts<Likelihood> parts_;
  PointCount count_;
  KeptPoints points_;  // where they may be needed again
  std::uint64_t exchanged_ = 0;
};

}  // namespace

std::unique_ptr<Likelihood> make_devices_likelihood(const Compute& compute, const MakePart& make_part) {
  return std::make_unique<DevicesLikelihood>(compute, make_part);
}

}  // namespace kinema::body
