// Text on the images of every tracker: a caption at the bottom, and a warning at the top. Needs OpenCV.
#pragma once

#include "kinema/picture.h"

#include <string_view>

namespace kinema::io {

/// Draws into the image, in letters that fit its width; either may be empty. A warning also frames the image.
void draw_words(Picture& picture, std::string_view caption, std::string_view alarm);

}  // namespace kinema::io
