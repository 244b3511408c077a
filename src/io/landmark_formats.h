// The readers of io/landmark_file.h, each from the bytes of a file, with what they count from already taken off. Their
// errors do not name the file.
#pragma once

#include "io/landmark_file.h"

#include <string_view>

namespace kinema::io {

LandmarkedFace read_pts(std::string_view bytes, double first_pixel);
LandmarkedFace read_asf(std::string_view bytes);
std::vector<LandmarkedFace> read_dlib_xml(std::string_view bytes, double first_pixel);
std::vector<LandmarkedFace> read_coco_json(std::string_view bytes, double first_pixel);
std::vector<LandmarkedFace> read_landmark_csv(std::string_view bytes, double first_pixel);

/// More landmarks than any face has: a file that asks for more is no such file.
inline constexpr std::size_t most_landmarks = 4096;

/// A coordinate that a picture could have, as the float that is kept. Throws Error where it is none.
float coordinate(double value, std::string_view what);

}  // namespace kinema::io
