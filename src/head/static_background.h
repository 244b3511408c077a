// The background of a camera that does not move: a running mean of each pixel. What differs from it is foreground.
#pragma once

#include "kinema/head_calibration.h"
#include "kinema/image.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kinema::head {

class StaticBackground {
public:
  bool known() const { return !mean_.empty(); }

  /// A frame without the person.
  void set(const ColourView& frame);

  /// The degree, 255 for 1, to which each pixel differs from the background; 255 before the first frame. Valid until
  /// the next call.
  ImageView<const std::uint8_t> mask(const ColourView& frame);

  /// Updates the background, except where the head is.
  void learn(const ColourView& frame, const std::optional<Oval>& head);

private:
  std::size_t width_ = 0, height_ = 0;
  std::vector<std::uint16_t> mean_;  // r g b of each pixel, 256 per level
  std::vector<std::uint8_t> mask_;
};

}  // namespace kinema::head
