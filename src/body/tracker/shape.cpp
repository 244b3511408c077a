#include "body/tracker/shape.h"
#include "core/symmetric.h"

#include <algorithm>
#include <cmath>

namespace kinema::body {
namespace {

using Matrix7 = Eigen::Matrix<double, 7, 7>;
using Vector7 = Eigen::Matrix<double, 7, 1>;

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

FrameSystem linearise(const ShapeSpace& space, const Eigen::VectorXd& shape, const ShapeFrame& frame,
                      std::span<const float> state, const RefineSettings& settings) {
  const FlatSkeleton flat(space.shaped(shape));
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
    const FlatSkeleton changed(space.shaped(other));
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

// The derivative of all joints' places by the shape, with the pose as it is: (3 joints, shape).
Eigen::MatrixXd joint_moves(const ShapeSpace& space, const Eigen::VectorXd& shape, std::span<const float> state) {
  const auto places_of = [&](const Eigen::VectorXd& other) {
    const FlatSkeleton flat(space.shaped(other));
    std::vector<Place> places(static_cast<std::size_t>(flat.view().joint_count));
    place_joints(flat.view(), state.data(), places.data());
    return places;
  };
  const std::vector<Place> here = places_of(shape);
  Eigen::MatrixXd moves(3 * static_cast<Eigen::Index>(here.size()), shape.size());
  constexpr double step = 1e-3;
  for (Eigen::Index p = 0; p < shape.size(); ++p) {
    Eigen::VectorXd other = shape;
    other[p] += step;
    const std::vector<Place> moved = places_of(other);
    for (std::size_t j = 0; j < here.size(); ++j) {
      const Vec3f way = moved[j].origin - here[j].origin;
      moves.block<3, 1>(3 * static_cast<Eigen::Index>(j), p) << way.x / step, way.y / step, way.z / step;
    }
  }
  return moves;
}

}  // namespace

ShapeFit fit_shape(const ShapeSpace& space, const std::vector<ShapeFrame>& frames, const Threads& threads,
                   const Eigen::VectorXd& mean, double size_deviation, const Eigen::VectorXd& start, int steps) {
  const Eigen::Index shape_size = space.size();
  const Eigen::MatrixXd precision = inverse_symmetric(space.covariance(size_deviation));
  ShapeFit fit;
  fit.shape = start;
  for (const ShapeFrame& frame : frames) fit.states.push_back(frame.state);
  const std::vector<std::vector<float>> first = fit.states;

  for (int step = 0; step <= steps; ++step) {
    const Skeleton person = space.shaped(fit.shape);
    const FlatSkeleton flat(person);
    const int pose_size = tangent_size(flat.view());
    std::vector<FrameSystem> systems(frames.size());
    threads.for_each(frames.size(), [&](std::size_t f) {
      systems[f] = linearise(space, fit.shape, frames[f], fit.states[f], frames[f].refinement);
    });
    // eliminates the poses
    Eigen::MatrixXd reduced = precision;
    Eigen::VectorXd gradient = precision * (fit.shape - mean);
    std::vector<Eigen::MatrixXd> solved(frames.size());
    for (std::size_t f = 0; f < frames.size(); ++f) {
      Eigen::MatrixXd pose = systems[f].matrix.topLeftCorner(pose_size, pose_size);
      Eigen::VectorXd pose_gradient = systems[f].gradient.head(pose_size);
      std::vector<float> away(static_cast<std::size_t>(pose_size));
      state_difference(flat.view(), first[f].data(), fit.states[f].data(), away.data());
      // how strongly a pose is tied to the tracker's estimate
      using constants::shape::shape_pose_deviation;
      const double held = 1 / (shape_pose_deviation * shape_pose_deviation);
      for (int i = 0; i < pose_size; ++i) {
        pose(i, i) += held;
        pose_gradient[i] += held * away[static_cast<std::size_t>(i)];
      }
      const Eigen::MatrixXd coupling = systems[f].matrix.topRightCorner(pose_size, shape_size);
      Eigen::MatrixXd right(pose_size, shape_size + 1);
      right << coupling, pose_gradient;
      solved[f] = solve_symmetric_columns(pose, right);
      reduced += systems[f].matrix.bottomRightCorner(shape_size, shape_size) -
                 coupling.transpose() * solved[f].leftCols(shape_size);
      gradient += systems[f].gradient.tail(shape_size) - coupling.transpose() * solved[f].col(shape_size);
    }
    if (step == steps) {
      fit.skeleton = person;
      const Eigen::MatrixXd covariance = inverse_symmetric(reduced);
      fit.joint_variance.assign(person.joints.size(), 0);
      for (std::size_t f = 0; f < frames.size(); ++f) {
        const Eigen::MatrixXd moves = joint_moves(space, fit.shape, fit.states[f]) -
                                      joint_derivatives(flat.view(), fit.states[f]) * solved[f].leftCols(shape_size);
        const Eigen::MatrixXd spread = moves * covariance;
        for (std::size_t j = 0; j < person.joints.size(); ++j) {
          const auto row = 3 * static_cast<Eigen::Index>(j);
          const double trace = spread.middleRows<3>(row).cwiseProduct(moves.middleRows<3>(row)).sum();
          fit.joint_variance[j] += std::max(0.0, trace) / 3 / static_cast<double>(frames.size());
        }
      }
      break;
    }
    const Eigen::VectorXd change = solve_symmetric(reduced, -gradient);
    for (std::size_t f = 0; f < frames.size(); ++f) {
      const Eigen::VectorXd pose_change = -solved[f].col(shape_size) - solved[f].leftCols(shape_size) * change;
      std::vector<float> tangent(static_cast<std::size_t>(pose_size));
      for (int i = 0; i < pose_size; ++i) tangent[static_cast<std::size_t>(i)] = static_cast<float>(pose_change[i]);
      move_state(flat.view(), tangent.data(), fit.states[f].data());
    }
    fit.shape += change;
  }
  return fit;
}

}  // namespace kinema::body
