#include "kinema/head_pose.h"

#include "core/geometry.h"
#include "face/constants.h"
#include "face/tracker/head_shape.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace kinema::face {
namespace {

constexpr std::size_t points = HeadPoseSolver::landmarks;
constexpr double degrees = 180 / std::numbers::pi;
constexpr Quaternion towards_camera{0, 1, 0, 0};  // of a head that faces the camera

// The unknowns: rotation (a vector in the camera frame), position, expression, proportions.
constexpr int turns = 0, moves = 3, shapes = 6;
constexpr int expressions = static_cast<int>(expression_names.size());
constexpr int people = static_cast<int>(head_shape_components);
constexpr int unknowns = 6 + expressions + people, proportions = shapes + expressions;

using Vector = Eigen::Matrix<double, unknowns, 1>;
using Matrix = Eigen::Matrix<double, unknowns, unknowns>;
using People = Eigen::Matrix<double, people, 1>;
using PeopleMatrix = Eigen::Matrix<double, people, people>;

Vec3 at(const HeadShapeRow& row, std::size_t point) {
  return {head_shape_unit * row[3 * point], head_shape_unit * row[3 * point + 1], head_shape_unit * row[3 * point + 2]};
}

// In outer-eye distances, by parts of iBUG's 68; 0: not used.
double deviation_of(std::size_t point) {
  if (point < 7 || (point > 9 && point < 17)) return landmark_deviations[0];
  if (!mechanisms::landmark_parts) return landmark_deviations[3];
  if (point < 17) return landmark_deviations[1];
  if (point < 27) return landmark_deviations[2];
  if (point < 31) return landmark_deviations[3];
  if (point < 36) return landmark_deviations[4];
  return point < 48 ? landmark_deviations[5] : landmark_deviations[6];
}

// A person in front of the camera.
struct Head {
  Quaternion rotation = towards_camera;
  Vec3 position{0, 0, 1};  // in outer-eye distances
  Expression expression = {};
  People person = People::Zero();

  Vec3 point(std::size_t i) const {
    Vec3 p = at(head_shape_mean[0], i);
    for (std::size_t e = 0; e < expression_names.size(); ++e) {
      if (expression[e] != 0) p = p + expression[e] * at(head_shape_expressions[e], i);
    }
    for (int k = 0; k < people; ++k) p = p + person[k] * at(head_shape_people[static_cast<std::size_t>(k)], i);
    return p;
  }

  Head stepped(const Vector& step) const {
    Head head = *this;
    head.rotation = normalised(exponential(Vec3{step[0], step[1], step[2]}) * rotation);
    head.position = position + Vec3{step[3], step[4], step[5]};
    for (int e = 0; e < expressions; ++e) {
      double& weight = head.expression[static_cast<std::size_t>(e)];
      weight = std::clamp(weight + step[shapes + e], 0.0, 1.0);
    }
    head.person += step.tail<people>();
    return head;
  }
};

// What is known of the person before a frame.
struct Prior {
  People mean = People::Zero();
  PeopleMatrix information = PeopleMatrix::Identity();
};

// The landmarks of a frame, and how far each may be trusted.
struct Seen {
  std::span<const float> at;
  std::array<double, points> deviation = {};  // pixels; 0: not used
  double size = 0;                            // outer-eye distance, pixels
};

// Normal equations of the weighted residuals and the priors about a head.
struct Equations {
  Matrix information = Matrix::Zero();
  Vector gradient = Vector::Zero();
  double cost = 0, squares = 0, weights = 0, distance = 0;
  int used = 0;
  bool valid = true;

  // root mean square distance of the landmarks that keep their weight, pixels
  double residual() const { return std::sqrt(distance / std::max(1e-9, weights)); }
};

Equations equations_of(const Head& head, const Seen& seen, const Camera& camera, const Prior& prior, bool jacobian) {
  Equations sum;
  const double robust = outlier_scale * outlier_scale;
  for (std::size_t i = 0; i < points; ++i) {
    if (seen.deviation[i] == 0) continue;
    const Vec3 turned = rotate(head.rotation, head.point(i)), p = turned + head.position;
    if (!(p.z > 0.1)) {
      sum.valid = false;
      return sum;
    }
    const double u = camera.fx * p.x / p.z + camera.cx, v = camera.fy * p.y / p.z + camera.cy;
    const double du = static_cast<double>(seen.at[2 * i]) - u, dv = static_cast<double>(seen.at[2 * i + 1]) - v;
    const double variance = seen.deviation[i] * seen.deviation[i], squared = (du * du + dv * dv) / variance;
    // Cauchy: outliers lose their weight as their residual grows
    const double trust = 1 / (1 + squared / robust), weight = trust / variance;
    sum.cost += robust * std::log1p(squared / robust);
    sum.squares += trust * squared;
    sum.weights += trust;
    sum.distance += trust * (du * du + dv * dv);
    ++sum.used;
    if (!jacobian) continue;

    const auto column = [&](const Vec3& motion) {
      return Eigen::Vector2d(camera.fx * (motion.x - p.x / p.z * motion.z) / p.z,
                             camera.fy * (motion.y - p.y / p.z * motion.z) / p.z);
    };
    Eigen::Matrix<double, 2, unknowns> derivative;
    const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int a = 0; a < 3; ++a) {
      derivative.col(turns + a) = column(cross(axes[a], turned));
      derivative.col(moves + a) = column(axes[a]);
    }
    for (int e = 0; e < expressions; ++e) {
      derivative.col(shapes + e) =
          column(rotate(head.rotation, at(head_shape_expressions[static_cast<std::size_t>(e)], i)));
    }
    for (int k = 0; k < people; ++k) {
      derivative.col(proportions + k) =
          column(rotate(head.rotation, at(head_shape_people[static_cast<std::size_t>(k)], i)));
    }
    sum.information.noalias() += weight * derivative.transpose() * derivative;
    sum.gradient.noalias() += weight * derivative.transpose() * Eigen::Vector2d(du, dv);
  }
  const double rest = 1 / (expression_deviation * expression_deviation);
  for (int e = 0; e < expressions; ++e) {
    const double weight = head.expression[static_cast<std::size_t>(e)];
    sum.cost += rest * weight * weight;
    sum.information(shapes + e, shapes + e) += rest;
    sum.gradient[shapes + e] -= rest * weight;
  }
  const People off = prior.mean - head.person;
  sum.cost += off.dot(prior.information * off);
  sum.information.bottomRightCorner<people, people>() += prior.information;
  sum.gradient.tail<people>() += prior.information * off;
  return sum;
}

// Expressions at the end of their range that would go further stay where they are.
void hold_bounds(const Head& head, Equations& equations) {
  for (int e = 0; e < expressions; ++e) {
    const double weight = head.expression[static_cast<std::size_t>(e)], pull = equations.gradient[shapes + e];
    if ((weight > 0 || pull >= 0) && (weight < 1 || pull <= 0)) continue;
    equations.information.row(shapes + e).setZero();
    equations.information.col(shapes + e).setZero();
    equations.information(shapes + e, shapes + e) = 1;
    equations.gradient[shapes + e] = 0;
  }
}

struct Solution {
  Head head;
  Equations equations;
};

// Levenberg and Marquardt.
Solution descend(Head head, const Seen& seen, const Camera& camera, const Prior& prior) {
  constexpr int rounds = 30;
  double damping = 1e-4;
  Equations now = equations_of(head, seen, camera, prior, true);
  for (int round = 0; round < rounds && now.valid; ++round) {
    Equations held = now;
    hold_bounds(head, held);
    Matrix damped = held.information;
    damped.diagonal() *= 1 + damping;
    const Vector step = damped.ldlt().solve(held.gradient);
    const Head next = head.stepped(step);
    const Equations there = equations_of(next, seen, camera, prior, false);
    if (there.valid && there.cost < now.cost) {
      const bool settled = now.cost - there.cost < 1e-7 * now.cost;
      head = next;
      now = equations_of(head, seen, camera, prior, true);
      damping = std::max(1e-9, damping * 0.2);
      if (settled) break;
    } else {
      damping *= 10;
      if (damping > 1e8) break;
    }
  }
  return {head, now};
}

}  // namespace

std::array<double, 3> head_angles(const Quaternion& rotation) {
  // R = Ry(-yaw) Rx(-pitch) Rz(roll), from the head's frame to one with y up and z towards the camera
  const Quaternion q = normalised(towards_camera * rotation);
  const Vec3 x = rotate(q, Vec3{1, 0, 0}), y = rotate(q, Vec3{0, 1, 0}), z = rotate(q, Vec3{0, 0, 1});
  return {-std::atan2(z.x, z.z) * degrees, std::asin(std::clamp(z.y, -1.0, 1.0)) * degrees,
          std::atan2(x.y, y.y) * degrees};
}

Quaternion head_rotation(double yaw, double pitch, double roll) {
  const Quaternion q = exponential(Vec3{0, -yaw / degrees, 0}) * exponential(Vec3{-pitch / degrees, 0, 0}) *
                       exponential(Vec3{0, 0, roll / degrees});
  return normalised(conjugate(towards_camera) * q);
}

struct HeadPoseSolver::State {
  HeadPoseSettings settings;
  Prior prior;
  std::optional<Head> last;

  Camera camera(std::size_t width, std::size_t height) const {
    const auto w = static_cast<double>(width), h = static_cast<double>(height);
    if (!settings.camera) {
      const double focal = w / 2 / std::tan(settings.field_of_view / 2);
      return {static_cast<int>(width), static_cast<int>(height), focal, focal, (w - 1) / 2, (h - 1) / 2};
    }
    const Camera& own = *settings.camera;
    const double x = w / own.width, y = h / own.height;
    return {static_cast<int>(width),  static_cast<int>(height), own.fx * x, own.fy * y,
            (own.cx + 0.5) * x - 0.5, (own.cy + 0.5) * y - 0.5};
  }

  std::optional<Solution> solve(std::span<const float> at, std::span<const float> confidence, const Camera& camera,
                                const std::optional<Head>& start) const;
  HeadPose pose_of(const Solution& solution) const;
  void learn(const Solution& solution);
};

namespace {

Seen seen_of(std::span<const float> at, std::span<const float> confidence) {
  if (at.size() != 2 * points) {
    throw Error(fmt::format("{} landmarks: the pose of a head needs {}, in iBUG's order", at.size() / 2, points));
  }
  if (!confidence.empty() && confidence.size() != points) {
    throw Error(fmt::format("{} confidences for {} landmarks", confidence.size(), points));
  }
  Seen seen;
  seen.at = at;
  for (float value : at) {
    if (!std::isfinite(value)) return seen;
  }
  // the median of several extents: a turned head is narrow, a nodding one short, and a landmark may be anywhere
  const auto apart = [&](std::size_t a, std::size_t b) {
    return std::hypot(static_cast<double>(at[2 * a] - at[2 * b]), static_cast<double>(at[2 * a + 1] - at[2 * b + 1]));
  };
  const double brows = apart(27, 21) + apart(27, 22), eyes = apart(36, 45), height = apart(27, 57) / 0.965;
  seen.size = std::max(std::min(brows / 0.473, eyes), std::min(std::max(brows / 0.473, eyes), height));
  if (!(seen.size > 1)) return seen;
  for (std::size_t i = 0; i < points; ++i) {
    const double sure = !mechanisms::landmark_confidences || confidence.empty()
                            ? 1
                            : std::clamp(static_cast<double>(confidence[i]), 0.02, 1.0);
    seen.deviation[i] = deviation_of(i) * seen.size / sure;
  }
  return seen;
}

}  // namespace

std::optional<Solution> HeadPoseSolver::State::solve(std::span<const float> at, std::span<const float> confidence,
                                                     const Camera& camera, const std::optional<Head>& start) const {
  const Seen seen = seen_of(at, confidence);
  if (!(seen.size > 1)) return std::nullopt;
  std::optional<Solution> best;
  const auto attempt = [&](const Head& from) {
    const Solution solution = descend(from, seen, camera, prior);
    if (!solution.equations.valid || (best && best->equations.cost <= solution.equations.cost)) return;
    best = solution;
  };
  const auto fits = [&] { return best && best->equations.residual() < 0.05 * seen.size; };
  if (start) attempt(*start);
  if (!fits()) {
    // anew: at the place and the roll of the eyes, facing the camera and to both sides
    const double dx = static_cast<double>(at[90] - at[72]), dy = static_cast<double>(at[91] - at[73]);
    const double depth = camera.fx / seen.size, roll = -std::atan2(dy, dx) * degrees;
    for (double yaw : {0.0, -35.0, 35.0}) {
      if (!mechanisms::turned_starts && yaw != 0) continue;
      Head head;
      head.rotation = head_rotation(yaw, 0, roll);
      head.position = {depth * (static_cast<double>(at[54]) - camera.cx) / camera.fx,
                       depth * (static_cast<double>(at[55]) - camera.cy) / camera.fy, depth};
      head.person = prior.mean;
      attempt(head);
    }
  }
  if (!best) return std::nullopt;
  // half of a face may be anywhere, not more
  const Equations& found = best->equations;
  if (found.residual() > pose_residual * seen.size || found.weights < least_weight * found.used) return std::nullopt;
  return best;
}

HeadPose HeadPoseSolver::State::pose_of(const Solution& solution) const {
  const Head& head = solution.head;
  const Equations& equations = solution.equations;
  HeadPose pose;
  pose.rotation = head.rotation;
  pose.position = settings.eye_distance * head.position;
  const std::array<double, 3> angles = head_angles(head.rotation);
  pose.yaw = angles[0], pose.pitch = angles[1], pose.roll = angles[2];
  pose.residual = equations.residual();
  pose.expression = head.expression;

  // residuals larger than expected mean that the landmarks are worse than expected
  const double spread =
      mechanisms::residual_spread ? std::max(1.0, equations.squares / std::max(1e-9, 2 * equations.weights)) : 1;
  const Matrix covariance = landmark_correlation * spread * equations.information.ldlt().solve(Matrix::Identity());
  Eigen::Matrix3d by_turn;  // degrees of yaw, pitch, roll by the rotation vector
  constexpr double small = 1e-5;
  for (int a = 0; a < 3; ++a) {
    const Vec3 turn{a == 0 ? small : 0, a == 1 ? small : 0, a == 2 ? small : 0};
    const std::array<double, 3> there = head_angles(exponential(turn) * head.rotation);
    for (std::size_t i = 0; i < 3; ++i) {
      const double change = std::remainder(there[i] - angles[i], 360);
      by_turn(static_cast<Eigen::Index>(i), a) = change / small;
    }
  }
  const Eigen::Matrix3d turned = by_turn * covariance.topLeftCorner<3, 3>() * by_turn.transpose();
  for (int i = 0; i < 3; ++i)
    pose.angle_deviation[static_cast<std::size_t>(i)] = std::sqrt(std::max(0.0, turned(i, i)));
  const auto moved = [&](int axis) {
    return settings.eye_distance * std::sqrt(std::max(0.0, covariance(moves + axis, moves + axis)));
  };
  pose.position_deviation = {moved(0), moved(1), moved(2)};
  for (int e = 0; e < expressions; ++e) {
    pose.expression_deviation[static_cast<std::size_t>(e)] =
        std::sqrt(std::max(0.0, covariance(shapes + e, shapes + e)));
  }
  return pose;
}

// The proportions of a person gather over frames; the prior returns slowly, so that another person is learnt too.
void HeadPoseSolver::State::learn(const Solution& solution) {
  const Matrix covariance = solution.equations.information.ldlt().solve(Matrix::Identity());
  const PeopleMatrix after = covariance.bottomRightCorner<people, people>().inverse();
  const double keep = 1 - 1 / proportions_memory, part = 1 / (landmark_correlation * frame_correlation);
  const PeopleMatrix gained = part * (after - prior.information);
  const PeopleMatrix kept = keep * prior.information + (1 - keep) * PeopleMatrix::Identity();
  const PeopleMatrix total = kept + gained;
  // what this frame alone says, weighted as one of many that err together
  const People evidence = after * solution.head.person - prior.information * prior.mean;
  prior.mean = total.ldlt().solve(keep * prior.information * prior.mean + part * evidence);
  prior.information = 0.5 * (total + total.transpose());
}

HeadPoseSolver::HeadPoseSolver(const HeadPoseSettings& settings) : state_(std::make_unique<State>()) {
  if (!(settings.field_of_view > 0.01 && settings.field_of_view < 3.1)) {
    throw Error(
        fmt::format("a field of view of {} rad: it lies between 0.01 and 3.1 (half a turn)", settings.field_of_view));
  }
  if (!(settings.eye_distance >= 0.03 && settings.eye_distance <= 0.3)) {
    throw Error(fmt::format("outer corners of the eyes {} m apart: give metres, 0.03 to 0.3 (adults: 0.09)",
                            settings.eye_distance));
  }
  if (settings.camera) {
    const Camera& camera = *settings.camera;
    if (camera.width <= 0 || camera.height <= 0 || !(camera.fx > 0) || !(camera.fy > 0)) {
      throw Error("the camera of the head's pose has no size or no focal length");
    }
  }
  state_->settings = settings;
}
HeadPoseSolver::~HeadPoseSolver() = default;
HeadPoseSolver::HeadPoseSolver(HeadPoseSolver&&) noexcept = default;
HeadPoseSolver& HeadPoseSolver::operator=(HeadPoseSolver&&) noexcept = default;

std::optional<HeadPose> HeadPoseSolver::solve(std::span<const float> points, std::span<const float> confidence,
                                              std::size_t width, std::size_t height) const {
  State alone;
  alone.settings = state_->settings;
  const auto solution = alone.solve(points, confidence, camera(width, height), std::nullopt);
  if (!solution) return std::nullopt;
  return alone.pose_of(*solution);
}

std::optional<HeadPose> HeadPoseSolver::follow(std::span<const float> points, std::span<const float> confidence,
                                               std::size_t width, std::size_t height) {
  const auto solution = state_->solve(points, confidence, camera(width, height), state_->last);
  if (!solution) {
    state_->last.reset();
    return std::nullopt;
  }
  state_->last = solution->head;
  const HeadPose pose = state_->pose_of(*solution);
  state_->learn(*solution);
  return pose;
}

void HeadPoseSolver::reset() {
  state_->last.reset();
  state_->prior = {};
}

Camera HeadPoseSolver::camera(std::size_t width, std::size_t height) const { return state_->camera(width, height); }

std::array<float, 2 * HeadPoseSolver::landmarks> HeadPoseSolver::project(const HeadPose& pose, std::size_t width,
                                                                         std::size_t height) const {
  const Camera seen_by = camera(width, height);
  Head head;
  head.rotation = pose.rotation;
  head.position = 1 / state_->settings.eye_distance * pose.position;
  head.expression = pose.expression;
  head.person = state_->prior.mean;
  std::array<float, 2 * landmarks> projected{};
  for (std::size_t i = 0; i < landmarks; ++i) {
    const Vec3 p = rotate(head.rotation, head.point(i)) + head.position;
    const double depth = std::max(1e-3, p.z);
    projected[2 * i] = static_cast<float>(seen_by.fx * p.x / depth + seen_by.cx);
    projected[2 * i + 1] = static_cast<float>(seen_by.fy * p.y / depth + seen_by.cy);
  }
  return projected;
}

}  // namespace kinema::face
