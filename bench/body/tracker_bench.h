// The second table of `kinema bench body`: frames per second of the whole tracker, except reading files.
#pragma once

#include "bench/body/body_report.h"

#include <functional>

namespace kinema::bench {

/// Rows with either association, with rival hypotheses, and with foreground segmentation of a depth image and of stereo pairs, for
/// each of `backends` that the tracker has (cpu, cuda) and that runs here; for all of them if it is empty.
/// `quick`: no large pictures.
std::vector<TrackerRow> measure_tracker(const std::vector<std::string>& backends, int threads, std::uint64_t seed,
                                        std::size_t frames, bool quick,
                                        const std::function<void(const std::string&)>& progress);

}  // namespace kinema::bench
