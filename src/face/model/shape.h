// The shape model: Procrustes analysis of labelled shapes, and principal components of the residuals (eqs. 1 and 2).
#pragma once

#include "kinema/face_model.h"

#include <span>
#include <vector>

namespace kinema::face {

struct AlignedShapes {
  std::vector<double> mean;                  ///< centroid 0, root mean square distance 1, upright as the examples are
  std::vector<std::vector<double>> aligned;  ///< each aligned to the mean in position, size and rotation
};

/// Generalised Procrustes analysis.
AlignedShapes procrustes(std::span<const std::vector<float>> shapes);

/// 4 x 2 n, orthonormal: the mean shape, the mean shape rotated by 90 degrees, x and y.
Matrix pose_modes(std::span<const double> mean);

/// As many modes as explain this share of the variance, or `modes` if it is not 0, but never more than there are.
ShapeModel shape_model(const AlignedShapes& shapes, const Matrix& pose, double variance, std::size_t modes);

/// Mode k of [pose_modes; shape modes].
inline std::span<const float> mode_of(const Model& model, std::size_t k) {
  return k < 4 ? model.pose_modes.row(k) : model.shape.modes.row(k - 4);
}

/// b of a shape in the model's unit, kept within `limit` standard deviations (0: not).
std::vector<double> shape_parameters(const ShapeModel& model, std::span<const double> shape, double limit);

/// s0 + Ps b.
std::vector<double> shape_of(const ShapeModel& model, std::span<const double> parameters);

/// Mean distance of the landmarks of two shapes.
double mean_distance(std::span<const float> a, std::span<const float> b);

/// How many of these descending variances add up to a share of their sum.
std::size_t modes_for_share(std::span<const double> variances, double share);

}  // namespace kinema::face
