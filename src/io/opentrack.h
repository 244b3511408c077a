// The packet of opentrack's "UDP over network", and of the programs that understand it.
#pragma once

#include "kinema/geometry.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace kinema::io {

/// Six little-endian doubles x y z yaw pitch roll in centimetres and degrees. x points to the user's right, y up, z away
/// from the screen; yaw is positive to the user's right, pitch up, roll to the right shoulder. Other receivers may
/// expect a seventh double, which opentrack ignores: the capture time of the frame in seconds since 1970. `position` is
/// in metres in the camera frame: x right, y down, z forward, as seen by the camera, which faces the user: its right is
/// the user's left.
std::vector<std::byte> opentrack_packet(const Vec3& position, const std::array<double, 3>& yaw_pitch_roll = {},
                                        std::optional<double> unix_time = {});

}  // namespace kinema::io
