// The joints of a skeleton whose angles the ISB defines: between which bones, about which axes.
#pragma once

#include "body/smoothing/deviation.h"
#include "kinema/anatomical_angles.h"

#include <Eigen/Dense>

#include <span>
#include <vector>

namespace kinema::body {

/// Axes of a bone as the ISB places them: x forwards, y along the bone towards the trunk, z to the right.
struct BoneAxes {
  Vec3 x, y, z;
};

struct AnatomicalJoint {
  enum class Sequence {
    zxy,  ///< flexion, adduction, rotation: hip, knee, ankle, elbow
    yxy,  ///< plane of elevation, elevation, rotation: shoulder
  };

  int distal = 0, proximal = 0;         ///< joints that carry the two bones; the first hangs below the second
  BoneAxes distal_axes, proximal_axes;  ///< in the frames of these joints
  bool left = false;                    ///< mirrored
  Sequence sequence = Sequence::zxy;
  double first_sign = 1;              ///< of the first angle: a knee bends backwards
  std::size_t name = 0;               ///< of the first angle, in anatomical_angle_names
  std::size_t first = 0, count = 3;   ///< which of the three angles are given: one of a hinge
  std::vector<std::size_t> freedoms;  ///< the angles of a pose between the two bones
  double flesh = 0;  ///< by how much the bones turn, in radians, if each of their ends is off by the flesh about it
};

class AnatomicalJoints {
public:
  explicit AnatomicalJoints(const Skeleton& skeleton);

  /// `angles`: those of a pose.
  std::vector<AnatomicalAngle> angles(std::span<const double> angles) const;

  /// With deviations from a covariance of the pose's tangent; see deviation.h.
  std::vector<AnatomicalAngle> angles(std::span<const double> angles, const Eigen::MatrixXd& covariance,
                                      const ErrorSources& sources) const;

private:
  std::array<double, 3> angles_of(const AnatomicalJoint& joint, std::span<const double> angles) const;

  Skeleton skeleton_;
  std::vector<std::size_t> first_angle_;  // of each joint of the skeleton, in a pose
  std::vector<AnatomicalJoint> joints_;
};

}  // namespace kinema::body
