// The third table of `kinema bench body`: stereo matching alone, beside OpenCV's.
#pragma once

#include "bench/body/body_report.h"

#include <functional>

namespace kinema::bench {

/// Rows of pairs of 640 x 480 and, unless `quick`, of 1,280 x 720 pixels, for each of `backends` that runs here (all of them if it is empty), and of
/// OpenCV's semi-global matching with five and with eight paths if it is built in. They take turns of `turn_ms`.
std::vector<MatcherRow> measure_matchers(const std::vector<std::string>& backends, int threads, std::uint64_t seed,
                                         double turn_ms, bool quick,
                                         const std::function<void(const std::string&)>& progress);

}  // namespace kinema::bench
