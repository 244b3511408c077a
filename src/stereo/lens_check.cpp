#include "kinema/lens_check.h"

#include "stereo/constants.h"

#include <cmath>
#include <cstddef>

namespace kinema::stereo {
namespace {

struct Detail {
  double contrast;  // deviation of brightness, grey levels
  double slopes;    // mean square between means of 2 x 2 pixels that are two pixels apart: noise has little part in it
};

Detail detail_of(ImageView<const std::uint8_t> picture) {
  double n = 0, sum = 0, squares = 0, slopes = 0;
  const auto mean = [&](std::size_t x, std::size_t y) {
    return 0.25 * (picture.at(x, y) + picture.at(x + 1, y) + picture.at(x, y + 1) + picture.at(x + 1, y + 1));
  };
  for (std::size_t y = 0; y + 4 <= picture.height; y += 2) {
    for (std::size_t x = 0; x + 4 <= picture.width; x += 2) {
      const double here = mean(x, y), across = mean(x + 2, y) - here, down = mean(x, y + 2) - here;
      n += 1, sum += here, squares += here * here, slopes += across * across + down * down;
    }
  }
  if (n == 0) return {};
  return {std::sqrt(std::max(0.0, squares / n - sum / n * (sum / n))), slopes / n};
}

}  // namespace

std::string lens_fault(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right) {
  const Detail of_left = detail_of(left), of_right = detail_of(right);
  const bool worse_left = of_left.slopes < of_right.slopes;
  const Detail &worse = worse_left ? of_left : of_right, &better = worse_left ? of_right : of_left;
  const std::string which = worse_left ? "left" : "right";
  if (worse.contrast < constants::covered_contrast && better.contrast > 2 * constants::covered_contrast)
    return "the " + which + " picture of the pair shows nothing: is its lens covered?";
  if (worse.slopes < constants::blurred_share * better.slopes)
    return "the " + which + " picture of the pair is blurred: is its lens out of focus, or dirty?";
  return {};
}

const std::string& LensCheck::look(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right) {
  if (done_) return fault_;
  fault_ = lens_fault(left, right);
  done_ = fault_.empty();
  faulty_ += done_ ? 0 : 1;
  return fault_;
}

bool LensCheck::lasts() const { return faulty_ >= constants::faulty_pairs && !done_; }

}  // namespace kinema::stereo
