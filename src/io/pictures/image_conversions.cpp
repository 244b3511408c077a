// Metres from the units of a depth image, and back; half of a picture. These need no OpenCV.
#include "io/pictures/image_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cmath>

namespace kinema::io {

std::vector<float> metres_of(const DepthImage& image, double depth_scale) {
  std::vector<float> metres(image.units.size());
  for (std::size_t i = 0; i < metres.size(); ++i) metres[i] = static_cast<float>(image.units[i] * depth_scale);
  return metres;
}

DepthImage units_of(std::span<const float> metres, int width, int height, double depth_scale) {
  if (width < 1 || height < 1 || metres.size() != static_cast<std::size_t>(width) * static_cast<std::size_t>(height)) {
    throw Error(fmt::format("{} depths are no image of {} x {} pixels", metres.size(), width, height));
  }
  if (!(depth_scale > 0))
    throw Error(fmt::format("a depth scale of {} metres per unit: it must be above 0", depth_scale));
  DepthImage image{width, height, std::vector<std::uint16_t>(metres.size())};
  for (std::size_t i = 0; i < metres.size(); ++i) {
    const double units = std::round(metres[i] / depth_scale);
    image.units[i] = units > 0 && units <= 65535 ? static_cast<std::uint16_t>(units) : 0;
  }
  return image;
}

Picture half(const Picture& both, int side) {
  Picture one{both.width / 2, both.height, {}};
  const std::size_t row = static_cast<std::size_t>(one.width) * 3;
  one.bgr.reserve(row * static_cast<std::size_t>(one.height));
  for (int y = 0; y < one.height; ++y) {
    const auto* from = both.bgr.data() + (static_cast<std::size_t>(y) * both.width + side * one.width) * 3;
    one.bgr.insert(one.bgr.end(), from, from + row);
  }
  return one;
}

}  // namespace kinema::io
