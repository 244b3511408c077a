// The paper's ladder of head tracking, CPU 1 to 3 and GPU 1 to 8, and frames divided between CPU and GPU (eq. 8), behind the
// seam of head::Moments and by name.
#pragma once

#include "head/moments/moments_backends.h"
#include "kinema/head.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace kinema::head {

/// 1...3. wxx and wyy of all steps are 0: the paper does not have them.
std::unique_ptr<Moments> make_cpu_step(int step, int threads);

class GpuStepMoments : public DeviceMoments {
public:
  /// The kernel alone, once for each of these frames of rgba without gaps on the device: milliseconds of all of them by the
  /// device's clock.
  virtual double kernels_ms(std::span<const ColourView> frames) = 0;
};

/// 1...8.
std::unique_ptr<GpuStepMoments> make_gpu_step(int step);

/// The steps support whole frames only: throws if there are other weights.
void check_unweighed(const Weighing& weighing, std::string_view step);

}  // namespace kinema::head

namespace kinema::bench {

/// By name, in place of the backend of `compute`: those of parse_backend(), "joint" (a frame divided between cpu and cuda by
/// measured times), and the steps of the paper: "cpu1" ... "cpu3", "gpu1" ... "gpu8", "cpu+gpu". Throws Error for any other
/// name.
std::unique_ptr<head::Moments> make_moments(std::string_view name, const head::MomentsSettings& settings = {},
                                            Compute compute = {});

/// Whether it is a step of the paper: without second moments, and on a GPU with sums of single precision.
bool is_paper_step(std::string_view name);

/// All names that make_moments() accepts on this machine.
std::vector<std::string_view> moments_names();

}  // namespace kinema::bench
