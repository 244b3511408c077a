// Words on pictures of every tracker: a line at the foot, and at the top what a reader must not miss. Needs OpenCV.
#pragma once

#include "kinema/picture.h"

#include <string_view>

namespace kinema::io {

/// Draws into the picture, in letters that fit its width; either may be empty. An alarm frames the picture too.
void draw_words(Picture& picture, std::string_view caption, std::string_view alarm);

}  // namespace kinema::io
