#include "body/shape.h"
#include "core/symmetric.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace kinema::body {
namespace {

using Matrix7 = Eigen::Matrix<double, 7, 7>;
using Vector7 = Eigen::Matrix<double, 7, 1>;

// Joints of the same name on both sides share their scales; those in the middle have a width.
struct Groups {
  std::vector<std::size_t> of_joint;
  std::size_t count = 0;
  std::vector<bool> across;  // (groups) bones from the middle outwards, such as clavicles: a width too
  std::vector<int> width;    // (joints) index of the width, -1: none
  std::size_t widths = 0;

  std::size_t size() const { return 2 * count + widths; }

  explicit Groups(const Skeleton& skeleton) {
    std::map<std::string, std::size_t> known;
    for (const Joint& joint : skeleton.joints) {
      std::string name = joint.name;
      for (const char* side : {"left_", "right_"}) {
        if (name.starts_with(side)) name = name.substr(std::string(side).size());
      }
      width.push_back(name == joint.name ? static_cast<int>(widths++) : -1);
      const auto [place, isnew] = known.try_emplace(name, count);
      if (isnew) ++count;
      of_joint.push_back(place->second);
    }
    across.assign(count, false);
    for (const Joint& joint : skeleton.joints) {
      if (joint.parent <= 0) continue;
      const auto inner = static_cast<std::size_t>(joint.parent),
                 middle = static_cast<std::size_t>(skeleton.joints[inner].parent);
      const Vec3& bone = joint.offset;
      if (width[inner] < 0 && width[middle] >= 0 && std::abs(bone.x) > std::hypot(bone.y, bone.z))
        across[of_joint[inner]] = true;
    }
  }
};

// shape: logarithms of `count` bone scales, then of `count` radius scales, then of `widths` scales across.
Skeleton shaped(const Skeleton& skeleton, const Groups& groups, const Eigen::VectorXd& shape) {
  Skeleton result = skeleton;
  const auto bone = [&](std::size_t joint) { return std::exp(shape[static_cast<long>(groups.of_joint[joint])]); };
  const auto scale = [&](std::size_t joint, Vec3& v) {
    const double s = bone(joint);
    const int w = groups.width[joint];
    v = {(w < 0 ? s : s * std::exp(shape[static_cast<long>(2 * groups.count) + w])) * v.x, s * v.y, s * v.z};
  };
  for (Joint& joint : result.joints) {
    if (joint.parent >= 0) scale(static_cast<std::size_t>(joint.parent), joint.offset);
  }
  for (SkinCapsule& capsule : result.capsules) {
    const auto joint = static_cast<std::size_t>(capsule.joint);
    scale(joint, capsule.a);
    scale(joint, capsule.b);
    capsule.radius *= std::exp(shape[static_cast<long>(groups.count + groups.of_joint[joint])]);
  }
  return result;
}

std::vector<float> capsules_of(const Kinematics& kinematics, std::span<const float> state) {
  std::vector<Place> places(static_cast<std::size_t>(kinematics.joint_count));
  place_joints(kinematics, state.data(), places.data());
  std::vector<float> capsules(static_cast<std::size_t>(kinematics.capsule_count) * capsule_floats);
  for (int k = 0; k < kinematics.capsule_count; ++k) {
    place_capsule(kinematics, places.data(), k, &capsules[static_cast<std::size_t>(k) * capsule_floats]);
  }
  return capsules;
}

// Sums of the contacts of a capsule, for changes of its seven numbers.
struct CapsuleSums {
  Matrix7 matrix = Matrix7::Zero();
  Vector7 gradient = Vector7::Zero();
};

// The normal equations of one frame for (pose, shape).
struct FrameSystem {
  Eigen::MatrixXd matrix;
  Eigen::VectorXd gradient;
};

FrameSystem linearise(const Skeleton& skeleton, const Groups& groups, const Eigen::VectorXd& shape,
                      const ShapeFrame& frame, std::span<const float> state, const RefineSettings& settings) {
  const FlatSkeleton flat(shaped(skeleton, groups, shape));
  const Kinematics kinematics = flat.view();
  const int pose_size = tangent_size(kinematics), shape_size = static_cast<int>(shape.size());

  std::vector<CapsuleSums> sums(static_cast<std::size_t>(kinematics.capsule_count));
  for (const PointContact& contact : find_contacts(kinematics, frame.points, settings, state)) {
    const Vec3f n = contact.normal;
    const double s = contact.share;
    Vector7 g;  // the derivative of the distance by ax ay az r bx by bz
    g << -n.x * (1 - s), -n.y * (1 - s), -n.z * (1 - s), -1, -n.x * s, -n.y * s, -n.z * s;
    CapsuleSums& sum = sums[static_cast<std::size_t>(contact.capsule)];
    sum.matrix.noalias() += contact.weight * g * g.transpose();
    sum.gradient.noalias() += (contact.weight * contact.distance) * g;
  }

  // derivatives of the capsules by the shape, by finite differences
  const std::vector<float> here = capsules_of(kinematics, state);
  constexpr double step = 1e-3;
  std::vector<std::vector<float>> moved;
  for (int p = 0; p < shape_size; ++p) {
    Eigen::VectorXd other = shape;
    other[p] += step;
    const FlatSkeleton changed(shaped(skeleton, groups, other));
    moved.push_back(capsules_of(changed.view(), state));
  }
  std::vector<Place> places(static_cast<std::size_t>(kinematics.joint_count));
  std::vector<Twist> twists(static_cast<std::size_t>(pose_size));
  place_joints(kinematics, state.data(), places.data());
  joint_twists(kinematics, state.data(), places.data(), twists.data());

  FrameSystem system{Eigen::MatrixXd::Zero(pose_size + shape_size, pose_size + shape_size),
                     Eigen::VectorXd::Zero(pose_size + shape_size)};
  Eigen::MatrixXd moves(7, pose_size + shape_size);
  for (int k = 0; k < kinematics.capsule_count; ++k) {
    const CapsuleSums& sum = sums[static_cast<std::size_t>(k)];
    if (sum.matrix(3, 3) == 0) continue;
    moves.setZero();
    const float* capsule = &here[static_cast<std::size_t>(k) * capsule_floats];
    const Vec3f a = Vec3f{capsule[0], capsule[1], capsule[2]} - places[0].origin;
    const Vec3f b = Vec3f{capsule[4], capsule[5], capsule[6]} - places[0].origin;
    const auto add = [&](int i) {
      const Twist& twist = twists[static_cast<std::size_t>(i)];
      const Vec3f da = twist.v + cross(twist.w, a), db = twist.v + cross(twist.w, b);
      moves.col(i) << da.x, da.y, da.z, 0, db.x, db.y, db.z;
    };
    for (int i = 0; i < root_tangent; ++i) add(i);
    for (int j = kinematics.capsules[k].joint; j > 0; j = kinematics.joints[j].parent) {
      for (int i = 0; i < kinematics.joints[j].angles; ++i) add(root_tangent + kinematics.joints[j].first_angle + i);
    }
    for (int p = 0; p < shape_size; ++p) {
      const float* other = &moved[static_cast<std::size_t>(p)][static_cast<std::size_t>(k) * capsule_floats];
      for (int c = 0; c < 7; ++c) moves(c, pose_size + p) = (other[c] - capsule[c]) / step;
    }
    system.matrix.noalias() += moves.transpose() * sum.matrix * moves;
    system.gradient.noalias() += moves.transpose() * sum.gradient;
  }
  return system;
}

// The inverse covariance of the shape: lengths vary with the person and a little independently, widths more.
Eigen::MatrixXd shape_precision(const Groups& groups, const ShapeSettings& settings) {
  const auto n = static_cast<long>(groups.count);
  Eigen::MatrixXd covariance =
      Eigen::MatrixXd::Zero(static_cast<long>(groups.size()), static_cast<long>(groups.size()));
  // radii grow with the person too
  covariance.topLeftCorner(2 * n, 2 * n).setConstant(settings.size_deviation * settings.size_deviation);
  for (long i = 2 * n; i < covariance.rows(); ++i)
    covariance(i, i) = settings.width_deviation * settings.width_deviation;
  for (long i = 0; i < n; ++i) {
    const double own =
        groups.across[static_cast<std::size_t>(i)] ? settings.width_deviation : settings.length_deviation;
    covariance(i, i) += own * own;
    covariance(n + i, n + i) += settings.radius_deviation * settings.radius_deviation;
  }
  return inverse_symmetric(covariance);
}

}  // namespace

std::vector<double> shape_of_size(const Skeleton& skeleton, double size) {
  const Groups groups(skeleton);
  std::vector<double> shape(groups.size(), 0.0);
  for (std::size_t i = 0; i < 2 * groups.count; ++i) shape[i] = std::log(size);
  return shape;
}

ShapeFit fit_shape(const Skeleton& skeleton, const std::vector<ShapeFrame>& frames, const Threads& threads,
                   std::vector<double> start, const ShapeSettings& settings) {
  const Groups groups(skeleton);
  const int pose_size = root_tangent + static_cast<int>(skeleton.angle_count());
  const auto shape_size = static_cast<long>(groups.size());
  start.resize(groups.size(), 0.0);
  const Eigen::MatrixXd precision = shape_precision(groups, settings);
  Eigen::VectorXd shape = Eigen::Map<const Eigen::VectorXd>(start.data(), shape_size);
  ShapeFit fit;
  for (const ShapeFrame& frame : frames) fit.states.push_back(frame.state);
  const std::vector<std::vector<float>> first = fit.states;

  for (int step = 0; step < settings.steps; ++step) {
    std::vector<FrameSystem> systems(frames.size());
    threads.for_each(frames.size(), [&](std::size_t f) {
      systems[f] = linearise(skeleton, groups, shape, frames[f], fit.states[f], frames[f].refinement);
    });
    // eliminates the poses
    Eigen::MatrixXd reduced = precision;
    Eigen::VectorXd gradient = precision * shape;
    std::vector<Eigen::MatrixXd> solved(frames.size());
    std::vector<Eigen::VectorXd> pose_gradient(frames.size());
    const FlatSkeleton flat(shaped(skeleton, groups, shape));
    for (std::size_t f = 0; f < frames.size(); ++f) {
      Eigen::MatrixXd pose = systems[f].matrix.topLeftCorner(pose_size, pose_size);
      pose_gradient[f] = systems[f].gradient.head(pose_size);
      std::vector<float> away(static_cast<std::size_t>(pose_size));
      state_difference(flat.view(), first[f].data(), fit.states[f].data(), away.data());
      // how strongly a pose is tied to the tracker's estimate
      using constants::shape::shape_pose_deviation;
      const double held = 1 / (shape_pose_deviation * shape_pose_deviation);
      for (int i = 0; i < pose_size; ++i) {
        pose(i, i) += held;
        pose_gradient[f][i] += held * away[static_cast<std::size_t>(i)];
      }
      const Eigen::MatrixXd coupling = systems[f].matrix.topRightCorner(pose_size, shape_size);
      Eigen::MatrixXd right(pose_size, shape_size + 1);
      right << coupling, pose_gradient[f];
      solved[f] = solve_symmetric_columns(pose, right);
      reduced += systems[f].matrix.bottomRightCorner(shape_size, shape_size) -
                 coupling.transpose() * solved[f].leftCols(shape_size);
      gradient += systems[f].gradient.tail(shape_size) - coupling.transpose() * solved[f].col(shape_size);
    }
    const Eigen::VectorXd change = solve_symmetric(reduced, -gradient);
    for (std::size_t f = 0; f < frames.size(); ++f) {
      const Eigen::VectorXd pose_change = -solved[f].col(shape_size) - solved[f].leftCols(shape_size) * change;
      std::vector<float> tangent(static_cast<std::size_t>(pose_size));
      for (int i = 0; i < pose_size; ++i) tangent[static_cast<std::size_t>(i)] = static_cast<float>(pose_change[i]);
      move_state(flat.view(), tangent.data(), fit.states[f].data());
    }
    shape += change;
  }
  fit.skeleton = shaped(skeleton, groups, shape);
  fit.shape.assign(shape.begin(), shape.end());
  return fit;
}

}  // namespace kinema::body
