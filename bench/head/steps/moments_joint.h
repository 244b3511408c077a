// A frame divided between CPU and GPU, eq. 8: the GPU starts on the upper rows while the CPU processes the lower ones.
#pragma once

#include "bench/head/steps/division.h"
#include "core/threads.h"
#include "head/moments/moments_backends.h"

#include <memory>
#include <vector>

namespace kinema::head {

/// The sums depend on the division of the frame only as far as the two backends differ. Frames on the device are
/// processed there.
class JointMoments final : public Moments {
public:
  /// Each worker has its own table of colours.
  static constexpr int most_workers = 8;

  /// `host`: the CPU's rows are divided among these, each on its own thread. A backend that divides a whole frame among
  /// threads may use parts too large for a share of it.
  JointMoments(std::unique_ptr<DeviceMoments> device, std::vector<std::unique_ptr<Moments>> host)
      : device_(std::move(device)), host_(std::move(host)), threads_(static_cast<int>(host_.size())) {}

  void set_classifier(const Classifier& classifier) override;
  Sums measure(const ColourView& frame, const Weighing& weighing = {}) override;
  using Moments::measure;
  std::vector<StageTime> times() const override { return times_; }

  const Division& division() const { return division_; }

  /// Fixes the division of every frame from now on, instead of measured times: the share of the CPU, 0 to 1.
  void fix_host_share(double share) { fixed_share_ = share; }

private:
  std::size_t host_rows(std::size_t rows) const;
  Sums measure_on_host(const ColourView& frame, const Weighing& weighing, std::size_t first, std::size_t end);

  std::unique_ptr<DeviceMoments> device_;
  std::vector<std::unique_ptr<Moments>> host_;
  Threads threads_;
  std::vector<Sums> parts_;
  Division division_;
  double fixed_share_ = -1;
  std::vector<StageTime> times_;
};

}  // namespace kinema::head
