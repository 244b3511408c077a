// A frame as the fitter and the detector want it: a fitter on a device may take colour, the detector needs grey.
#pragma once

#include "core/stopwatch.h"
#include "kinema/face.h"
#include "kinema/grey.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace kinema::face {

class FramePicture {
public:
  explicit FramePicture(const GreyView& grey) : grey_(grey) {}
  explicit FramePicture(const ColourView& colour) : colour_(colour) {}

  const GreyView& grey() {
    if (grey_.data == nullptr) {
      const Stopwatch watch;
      made_ = grey_of(colour_);
      grey_ = {made_.data(), colour_.width, colour_.height, colour_.width};
      conversion_ms_ += watch.ms();
    }
    return grey_;
  }

  Face face(const Fitter& fitter, Start start) {
    if (colour_.data != nullptr && fitter.takes_colour()) return {{}, std::move(start), false, colour_};
    return {grey(), std::move(start), false};
  }

  // As it came: of colour, only what is looked at is converted. Of the two views one has pixels.
  bool is_grey() const { return grey_.data != nullptr; }
  const GreyView& grey_view() const { return grey_; }
  const ColourView& colour_view() const { return colour_; }

  double conversion_ms() const { return conversion_ms_; }

  std::size_t width() const { return colour_.data != nullptr ? colour_.width : grey_.width; }
  std::size_t height() const { return colour_.data != nullptr ? colour_.height : grey_.height; }

private:
  GreyView grey_{};
  ColourView colour_{};
  std::vector<std::uint8_t> made_;
  double conversion_ms_ = 0;
};

}  // namespace kinema::face
