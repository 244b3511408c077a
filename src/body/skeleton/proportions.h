// How people's proportions vary: with stature, in growth, and from person to person.
//
// Segments are named after the joint that carries them, without its side: "hip" is the thigh, "knee" the shin. All
// numbers are logarithms, so that 0.05 is 5 %.
#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace kinema::body {

/// Independent ways in which two people of the same stature differ: in build, in the length of their legs against the
/// trunk, and in shoulders and neck against hips.
inline constexpr std::size_t common_factors = 3;

/// One measure of a segment.
struct Variation {
  double elasticity = 1;                       ///< its growth with the stature among adults
  double child = 0, toddler = 0;               ///< at 1.22 m and 0.95 m, besides that of a small adult scaled down
  std::array<double, common_factors> loads{};  ///< by how much it changes with one deviation of each factor
  double own = 0.05;                           ///< its deviation besides
};

struct SegmentVariation {
  Variation length, radius;
  double width = 0.15;  ///< deviation of its extent across the body, besides that of its length
};

/// That of a segment of humans, or of one of which nothing is known.
SegmentVariation variation_of(std::string_view segment);

/// The logarithm of a measure at a stature in metres, up to a constant.
double log_measure(const Variation& variation, double stature);

/// -log p of a stature where nothing is known about the person, up to a constant.
double stature_cost(double stature);

}  // namespace kinema::body
