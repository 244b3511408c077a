// The shape of drawn heads in three dimensions, as the pose of a head needs it: the mean of people, how they differ, and
// how expressions move the 68 landmarks. Printed into src/face/tracker/head_shape_table.cpp by the target print_head_shape.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kinema::synth {

/// Coordinates x0 y0 z0 x1 ... of 68 points in the head's frame (x to the person's left, y up, z out of the face), in
/// distances between the outer corners of the eyes, about the point midway between these.
struct DrawnHeadShape {
  std::vector<double> mean;
  std::vector<std::vector<double>> people;       ///< principal components, each by one standard deviation
  std::vector<std::vector<double>> expressions;  ///< face::expression_names, each in full
};

/// From this many drawn people.
DrawnHeadShape drawn_head_shape(std::size_t people = 2000, std::size_t components = 14);

/// The source of the table, hundredths of a millimetre at 90 mm between the eyes.
std::string head_shape_source(const DrawnHeadShape& shape);

}  // namespace kinema::synth
