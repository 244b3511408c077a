// From the ANSUR II survey (4,082 men and 1,986 women of the US Army, both sexes weighted alike):
// scripts/analyse_survey.py prints its numbers, given the stature. Of these
//  - loads of the factors are within 0.01; that of the clavicle's radius, which was not measured, is near the chest's;
//  - elasticities are rounded towards 1, with one value of 1.1 for the lengths of trunk, thighs, shins and arms;
//  - own deviations are larger, of lengths mostly by a third, of radii 1.5 to 3 times as large: people were measured
//    without clothes, and at landmarks rather than joint centres;
//  - deviations of widths are chosen, of the size of those of breadths.
// Proportions of children at 1.22 m (7 years) and 0.95 m (3 years) are rounded from growth references: sitting height,
// head circumference, arm length and girths over stature.
#include "body/skeleton/proportions.h"

#include "body/constants_mechanisms.h"

#include <algorithm>
#include <cmath>

namespace kinema::body {
namespace {

constexpr double smallest_adult = 1.5, child_stature = 1.22, toddler_stature = 0.95, tallest_adult = 2.1;

struct Row {
  std::string_view name;
  SegmentVariation variation;
};

//                        length: elasticity, child, toddler, loads, own; radius: likewise; width
const Row rows[] = {
    {"pelvis",
     {{1.1, 0.0, 0.0, {-0.011, 0.030, 0.015}, 0.03}, {0.4, -0.15, -0.08, {-0.050, 0.006, -0.047}, 0.07}, 0.09}},
    {"lower_back",
     {{1.1, 0.0, 0.0, {-0.011, 0.030, 0.015}, 0.03}, {0.9, -0.17, -0.08, {-0.096, 0.013, -0.039}, 0.08}, 0.06}},
    {"spine",
     {{1.1, 0.0, 0.0, {-0.011, 0.030, 0.015}, 0.03}, {0.9, -0.17, -0.08, {-0.075, 0.010, -0.010}, 0.07}, 0.07}},
    {"neck", {{0.6, 0.0, 0.0, {0.012, 0.012, -0.003}, 0.06}, {1.2, -0.02, -0.05, {-0.066, 0.006, 0.032}, 0.06}, 0.05}},
    {"head",
     {{0.35, 0.22, 0.40, {-0.010, -0.005, 0.001}, 0.04}, {0.35, 0.22, 0.40, {-0.010, -0.005, 0.001}, 0.05}, 0.05}},
    {"clavicle",
     {{1.0, -0.02, -0.03, {-0.024, -0.001, 0.022}, 0.05}, {1.0, -0.15, -0.08, {-0.075, 0.010, 0.010}, 0.08}, 0.05}},
    {"shoulder",
     {{1.1, -0.05, -0.08, {-0.004, -0.016, -0.006}, 0.045}, {1.1, -0.15, -0.07, {-0.093, 0.002, 0.006}, 0.09}, 0.05}},
    {"elbow",
     {{1.1, -0.05, -0.08, {-0.008, -0.027, 0.008}, 0.045}, {1.1, -0.12, -0.07, {-0.057, 0.001, 0.020}, 0.08}, 0.05}},
    {"wrist",
     {{0.9, -0.04, -0.03, {-0.010, -0.022, 0.004}, 0.04}, {1.0, -0.08, -0.05, {-0.033, -0.002, 0.026}, 0.06}, 0.05}},
    {"hip",
     {{1.1, -0.07, -0.14, {0.006, -0.027, -0.009}, 0.035}, {0.5, -0.17, -0.13, {-0.063, 0.001, -0.042}, 0.08}, 0.05}},
    {"knee",
     {{1.1, -0.07, -0.14, {0.006, -0.023, -0.012}, 0.03}, {0.7, -0.10, -0.05, {-0.046, 0.007, -0.014}, 0.08}, 0.05}},
    {"ankle",
     {{1.0, 0.01, 0.02, {-0.015, -0.015, 0.010}, 0.05}, {0.9, -0.05, -0.03, {-0.030, 0.003, 0.005}, 0.10}, 0.05}},
    {"toe",
     {{1.0, 0.01, 0.02, {-0.015, -0.015, 0.010}, 0.05}, {0.9, -0.05, -0.03, {-0.030, 0.003, 0.005}, 0.10}, 0.05}},
};

}  // namespace

SegmentVariation variation_of(std::string_view segment) {
  for (const Row& row : rows) {
    if (row.name == segment) return row.variation;
  }
  return {{.own = 0.05}, {.own = 0.1}, 0.15};
}

double log_measure(const Variation& variation, double stature) {
  const double adult = std::clamp(stature, smallest_adult, tallest_adult);
  double child = 0;
  if (stature < child_stature) {
    const double share = std::min(1.0, (child_stature - stature) / (child_stature - toddler_stature));
    child = variation.child + share * (variation.toddler - variation.child);
  } else if (stature < smallest_adult) {
    child = variation.child * (smallest_adult - stature) / (smallest_adult - child_stature);
  }
  return variation.elasticity * std::log(adult) + std::log(stature / adult) +
         (mechanisms::child_proportions ? child : 0);
}

double stature_cost(double stature) {
  // adults of both sexes, and a fifth as many children of every size
  constexpr double adult_mean = 1.68, adult_deviation = 0.1, children = 0.2, least = 0.85, most = 1.6;
  const double away = (stature - adult_mean) / adult_deviation;
  const double adults = std::exp(-0.5 * away * away) / (adult_deviation * std::sqrt(2 * 3.14159265358979323846));
  const double young = stature > least && stature < most ? 1 / (most - least) : 1e-6;
  return -std::log((1 - children) * adults + children * young);
}

}  // namespace kinema::body
