#include "body/skeleton/shape_space.h"

#include "body/constants_mechanisms.h"
#include "body/skeleton/proportions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kinema::body {
namespace {

std::string without_side(const std::string& name) {
  for (const std::string_view side : {"left_", "right_"}) {
    if (name.starts_with(side)) return name.substr(side.size());
  }
  return name;
}

}  // namespace

double stature(const Skeleton& skeleton) {
  std::vector<double> height(skeleton.joints.size(), 0);
  for (std::size_t j = 1; j < height.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    height[j] = height[static_cast<std::size_t>(joint.parent)] + joint.offset.y;
  }
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (const SkinCapsule& capsule : skeleton.capsules) {
    const double at = height[static_cast<std::size_t>(capsule.joint)];
    lowest = std::min(lowest, at + std::min(capsule.a.y, capsule.b.y) - capsule.radius);
    highest = std::max(highest, at + std::max(capsule.a.y, capsule.b.y) + capsule.radius);
  }
  return skeleton.capsules.empty() ? 0 : highest - lowest;
}

ShapeSpace::ShapeSpace(const Skeleton& skeleton) : skeleton_(skeleton), stature_(body::stature(skeleton)) {
  for (const Joint& joint : skeleton.joints) {
    const std::string name = without_side(joint.name);
    const auto known = std::find(names_.begin(), names_.end(), name);
    of_joint_.push_back(static_cast<std::size_t>(known - names_.begin()));
    if (known == names_.end()) names_.push_back(name);
    width_.push_back(name == joint.name ? static_cast<int>(widths_++) : -1);
    if (width_.back() >= 0) of_width_.push_back(of_joint_.back());
  }
}

Skeleton ShapeSpace::shaped(const Eigen::VectorXd& shape) const {
  Skeleton result = skeleton_;
  const auto count = static_cast<Eigen::Index>(names_.size());
  const auto scale = [&](std::size_t joint, Vec3& v) {
    const double s = std::exp(shape[static_cast<Eigen::Index>(of_joint_[joint])]);
    const int w = width_[joint];
    v = {(w < 0 ? s : s * std::exp(shape[2 * count + w])) * v.x, s * v.y, s * v.z};
  };
  for (Joint& joint : result.joints) {
    if (joint.parent >= 0) scale(static_cast<std::size_t>(joint.parent), joint.offset);
  }
  for (SkinCapsule& capsule : result.capsules) {
    const auto joint = static_cast<std::size_t>(capsule.joint);
    scale(joint, capsule.a);
    scale(joint, capsule.b);
    capsule.radius *= std::exp(shape[count + static_cast<Eigen::Index>(of_joint_[joint])]);
  }
  return result;
}

Eigen::VectorXd ShapeSpace::mean(double size) const {
  Eigen::VectorXd shape = Eigen::VectorXd::Zero(this->size());
  const auto count = static_cast<Eigen::Index>(names_.size());
  for (Eigen::Index g = 0; g < count; ++g) {
    const SegmentVariation segment = variation_of(names_[static_cast<std::size_t>(g)]);
    const auto change = [&](const Variation& variation) {
      return log_measure(variation, size * stature_) - log_measure(variation, stature_);
    };
    shape[g] = change(segment.length);
    shape[count + g] = change(segment.radius);
  }
  return shape;
}

Eigen::MatrixXd ShapeSpace::covariance(double size_deviation) const {
  const auto count = static_cast<Eigen::Index>(names_.size());
  Eigen::VectorXd own = Eigen::VectorXd::Zero(size());
  Eigen::MatrixXd loads = Eigen::MatrixXd::Zero(size(), static_cast<Eigen::Index>(1 + common_factors));
  const auto set = [&](Eigen::Index row, const Variation& variation) {
    own[row] = variation.own * variation.own;
    loads(row, 0) = size_deviation * variation.elasticity;
    if (!mechanisms::common_proportions) return;
    for (std::size_t f = 0; f < common_factors; ++f) loads(row, static_cast<Eigen::Index>(1 + f)) = variation.loads[f];
  };
  for (Eigen::Index g = 0; g < count; ++g) {
    const SegmentVariation segment = variation_of(names_[static_cast<std::size_t>(g)]);
    set(g, segment.length);
    set(count + g, segment.radius);
  }
  for (std::size_t w = 0; w < widths_; ++w) {
    const double deviation = variation_of(names_[of_width_[w]]).width;
    own[2 * count + static_cast<Eigen::Index>(w)] = mechanisms::body_widths ? deviation * deviation : 1e-8;
  }
  Eigen::MatrixXd covariance = loads * loads.transpose();
  covariance.diagonal() += own;
  return covariance;
}

Skeleton resized(const Skeleton& skeleton, double size) {
  const ShapeSpace space(skeleton);
  return space.shaped(space.mean(size));
}

}  // namespace kinema::body
