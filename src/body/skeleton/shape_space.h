// The numbers by which a person differs from a skeleton.
//
// Two per joint, shared by left and right: the logarithm of the scale of its bones (offsets of its child joints and
// ends of its capsules) and of the radii of its capsules; and one more for joints in the middle of the body, of its
// width relative to its length, since tall people need not have broad hips.
#pragma once

#include "kinema/skeleton.h"

#include <Eigen/Dense>

#include <vector>

namespace kinema::body {

class ShapeSpace {
public:
  explicit ShapeSpace(const Skeleton& skeleton);

  Eigen::Index size() const { return static_cast<Eigen::Index>(2 * names_.size() + widths_); }

  /// The skeleton of a shape.
  Skeleton shaped(const Eigen::VectorXd& shape) const;

  /// The average person who is `size` times as tall.
  Eigen::VectorXd mean(double size) const;

  /// How people vary about mean(); `size_deviation`: that of their size.
  Eigen::MatrixXd covariance(double size_deviation) const;

  /// The person's height from sole to crown, metres.
  double stature() const { return stature_; }

private:
  Skeleton skeleton_;
  double stature_ = 0;
  std::vector<std::string> names_;     // of the groups: joints without their sides
  std::vector<std::size_t> of_joint_;  // its group
  std::vector<int> width_;             // (joints) index of the width, -1: none
  std::vector<std::size_t> of_width_;  // (widths) its group
  std::size_t widths_ = 0;
};

/// The average person who is `size` times as tall as the skeleton, which is that of an average person.
Skeleton resized(const Skeleton& skeleton, double size);

}  // namespace kinema::body
