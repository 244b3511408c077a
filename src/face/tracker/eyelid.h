// Whether an eye is closed, by the picture around it. A patch between its corners is compared with the person's own open
// eye in two ways, and both must say so: it resembles a closed eye as it follows from the open one (skin where iris and
// upper lid were, lashes along the line where the lids meet), and it lacks the contrast of iris and white along that
// line. A glance aside moves the iris, which the first takes for skin; the second is the same.
#pragma once

#include "kinema/image.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace kinema::face {

/// Logarithms of grey values, rows from above the brow to the cheek, columns from beyond the outer corner of the eye to
/// beyond the inner one, without their mean.
struct EyePatch {
  static constexpr std::size_t columns = 29, rows = 23;
  static constexpr double step = 0.05;              ///< widths of the eye
  static constexpr double left = -0.2, top = -0.6;  ///< of the first pixel, from the outer corner
  static double x(std::size_t column) { return left + step * static_cast<double>(column); }
  static double y(std::size_t row) { return top + step * static_cast<double>(row); }

  std::array<double, columns* rows> value = {};
  double operator()(std::size_t row, std::size_t column) const { return value[row * columns + column]; }
  double& operator()(std::size_t row, std::size_t column) { return value[row * columns + column]; }
};

/// The change from this open eye to a closed one.
EyePatch closing_of(const EyePatch& open);

/// The contrast of iris and white along the eye: standard deviation over columns.
double contrast_of(const EyePatch& patch);

/// One eye of one person. The first frame counts as open, unless later ones show more contrast. A hand before the eye is no
/// blink.
class Eyelid {
public:
  struct Value {
    double closure = 0;    ///< 0 open, about 1 closed; not bounded above
    double deviation = 0;  ///< of the closure, from its scatter while the eye is open
  };

  /// `seconds` since the last frame.
  Value follow(const EyePatch& patch, double seconds);

  /// What was learnt is forgotten.
  void reset() { seconds_ = -1; }

private:
  double learn(const EyePatch& patch, double contrast, double weight, double seconds);

  EyePatch open_;
  double contrast_ = 0;
  double squares_ = 0;   // of closures while open, their mean
  double seconds_ = -1;  // since the first frame; negative before
};

/// 0 open to 1 closed, flat at both ends.
double blink_of(double closure);

/// The patches about the person's left and right eye; nothing for an eye that is too small or lies outside the picture. `landmarks`: 68 in
/// iBUG's order, pixels from 0.
std::array<std::optional<EyePatch>, 2> eye_patches(const ImageView<const std::uint8_t>& image,
                                                   std::span<const float> landmarks);
std::array<std::optional<EyePatch>, 2> eye_patches(const ColourView& image, std::span<const float> landmarks);

}  // namespace kinema::face
