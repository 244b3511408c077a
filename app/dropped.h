// Files that were dropped on the live page: found out what they are, tracked, shown on the page while that goes on, and
// written as CSV, JSON lines and BVH for it to take away.
#pragma once

#include "kinema/head_calibration.h"
#include "serve/channel.h"
#include "serve/job_partner.h"

#include <functional>
#include <optional>

namespace kinema::app {

/// `calibration` gives that of the page, where there is one. Throws Error where the files cannot be tracked, and
/// serve::Job::Cancelled.
void track_dropped(serve::Job& job, serve::Hub& hub,
                   const std::function<std::optional<head::Calibration>()>& calibration);

}  // namespace kinema::app
