// Any picture of a face as 8-bit colour: grey, 16 bits and transparency included. Needs OpenCV.
#pragma once

#include "kinema/picture.h"

#include <filesystem>

namespace kinema::io {

/// 16 bits are brought to 8 by as many bits as the brightest pixel needs, so that 10 and 12 bits of a sensor are used;
/// what is transparent shows a middle grey.
Picture read_face_picture(const std::filesystem::path& path);

}  // namespace kinema::io
