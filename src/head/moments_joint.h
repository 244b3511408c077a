// A frame divided between CPU and GPU, eq. 8: the GPU begins with the upper rows, the CPU does the lower ones meanwhile.
#pragma once

#include "head/device_moments.h"
#include "head/division.h"

#include <memory>
#include <string_view>

namespace kinema::head {

/// The sums depend on where the frame was divided only as far as the two backends differ. A frame on the device is left
/// to it.
class JointMoments final : public Moments {
public:
  JointMoments(std::unique_ptr<DeviceMoments> device, std::unique_ptr<Moments> host)
      : device_(std::move(device)), host_(std::move(host)) {}

  void set_classifier(const Classifier& classifier) override;
  Sums measure(const ColourView& frame, const Weighing& weighing = {}) override;
  using Moments::measure;
  std::vector<StageTime> times() const override { return times_; }

  const Division& division() const { return division_; }

  /// Divides every frame so from now on, instead of by measured times: the share of the CPU, 0 to 1.
  void fix_host_share(double share) { fixed_share_ = share; }

private:
  std::size_t host_rows(std::size_t rows) const;

  std::unique_ptr<DeviceMoments> device_;
  std::unique_ptr<Moments> host_;
  Division division_;
  double fixed_share_ = -1;
  std::vector<StageTime> times_;
};

}  // namespace kinema::head
