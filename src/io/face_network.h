// Landmarks of faces for other programs, live.
#pragma once

#include "io/live_sender.h"
#include "kinema/face_tracker.h"

#include <cstdint>
#include <vector>

namespace kinema::io {

/// For each face /kinema/face ,iif... frame face quality x0 y0 x1 y1 ... (pixels), or /kinema/face/lost ,i frame. Where the
/// pose of the head is known, the messages of pose_osc() follow, at /kinema/face/FACE.
std::vector<OscMessage> face_osc(std::int64_t frame, const std::vector<face::Estimate>& faces);

}  // namespace kinema::io
