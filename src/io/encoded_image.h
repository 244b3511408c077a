// Images as the bytes of a file: quick rather than small. A JPEG loses little, a PNG nothing. Without OpenCV they throw.
#pragma once

#include "io/image_file.h"

#include <string>

namespace kinema::io {

std::string encoded_png(const DepthImage& image);
std::string encoded_png(const Picture& picture);
std::string encoded_jpeg(const Picture& picture);
/// Images from the bytes of a file. Throw Error if they are none; depth has one channel of 16 bits.
Picture decoded_picture(const std::string& bytes);
DepthImage decoded_depth(const std::string& bytes);

}  // namespace kinema::io
