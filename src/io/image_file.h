// Pictures and depth images on disk, in memory that needs no OpenCV. Without OpenCV every function here throws.
#pragma once

#include "kinema/image.h"
#include "kinema/picture.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace kinema::io {

/// 16 bits a pixel, row-major, 0: nothing measured.
struct DepthImage {
  int width = 0, height = 0;
  std::vector<std::uint16_t> units;
};

/// 8 bits a pixel, row-major.
struct GreyImage {
  int width = 0, height = 0;
  std::vector<std::uint8_t> grey;

  ImageView<const std::uint8_t> view() const {
    const auto columns = static_cast<std::size_t>(width);
    return {grey.data(), columns, static_cast<std::size_t>(height), columns};
  }
};

/// One channel of 16 bits (PNG, TIFF or PGM); anything else is refused, since 8 bits hold no depth.
DepthImage read_depth_image(const std::filesystem::path& path);

/// Any picture; 16 bits are brought to 8, grey to three equal channels.
Picture read_picture(const std::filesystem::path& path);

GreyImage grey_of(const Picture& picture);

/// Metres of each pixel.
std::vector<float> metres_of(const DepthImage& image, double depth_scale);

/// The nearest whole units; 0 where a depth is not above 0, not finite or beyond 65535 units.
DepthImage units_of(std::span<const float> metres, int width, int height, double depth_scale);

/// Written whole or not at all.
void write_depth_png(const std::filesystem::path& path, const DepthImage& image);
void write_picture_png(const std::filesystem::path& path, const Picture& picture);

/// The picture at another size.
Picture resized(const Picture& picture, int width, int height);

}  // namespace kinema::io
