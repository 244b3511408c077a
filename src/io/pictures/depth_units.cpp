// Metres from the units of a depth image, and back: the part of io/pictures/image_file.h that needs no OpenCV.
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

}  // namespace kinema::io
