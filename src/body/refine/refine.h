// Refinement of a pose: Levenberg-Marquardt steps on the distances between the points of a frame and the skin.
//
// Minimises  e/(2 sigma^2) [ sum_points rho(a d) + b sum_rays min(d, 0)^2 ] + 1/2 |x - predicted|^2_P,  where d is the
// signed Euclidean distance of contact.h to the nearest capsule, rho is Tukey's function, which ignores residuals
// beyond tau, rays are those that saw past the person, P holds the precisions of the prediction, e is the share of the
// points that count as independent, and a^2 = sigma^2 / (sigma^2 + noise^2 cos^2), with the angle between the direction
// of d and the ray: the sensor errs along the ray. Where the errors of neighbours are alike, so that averaging leaves them as
// they are, capsules and contacts are chosen along the rays instead (projective_distance()).
//
// A contact touches one rigid body, so its derivative by the pose is a 6-vector of that body's twist; these are summed
// joint by joint (6x6) and only then transferred to the D numbers of the pose, down the tree, as the composite rigid
// body algorithm does with inertias: the cost of a step is that of finding the contacts, whatever D is.
#pragma once

#include "body/refine/point_list.h"
#include "body/refine/refine_settings.h"
#include "body/skeleton/joint_axes.h"
#include "core/threads.h"
#include "kinema/geometry.h"
#include "kinema/points.h"

#include <Eigen/Dense>

#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace kinema::body {

/// The points of a frame that have a ray from the camera: those of the person, and those seen past it.
struct RefinePoints {
  PointList person, background;

  /// An end of a capsule that reaches under it counts as an independent point does. Only where the person is measured:
  /// the feet of a known person are where the points are.
  std::optional<Plane> floor = {};

  /// At most about so many of each, evenly chosen in their order.
  void set(PointsView points, std::size_t most_person = all, std::size_t most_background = all);

  /// Points of the person that were given to set() and can be used.
  std::size_t given = 0;

  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();
};

struct Refined {
  double cost = 0;              // the whole sum above
  double data = 0;              // its part from the points and rays
  Eigen::MatrixXd information;  // Gauss-Newton's approximation of the second derivative: inverse covariance
};

/// The information of the points alone about a pose: their part of the sum above, and its first two derivatives by the
/// tangent, the second one in the Gauss-Newton approximation.
struct PointEvidence {
  double cost = 0;
  Eigen::VectorXd gradient;
  Eigen::MatrixXd information;
};
PointEvidence point_evidence(const Kinematics& kinematics, const RefinePoints& points, const RefineSettings& settings,
                             std::span<const float> state, const Threads& threads);

/// Improves `state` in place. `threads`, if given, divide the points.
Refined refine(const Kinematics& kinematics, const RefinePoints& points, const PosePrior& prior,
               const RefineSettings& settings, std::span<float> state, const Threads* threads = nullptr);

/// Improves every pose with about `share` of the points; settings.evidence is that of all points together.
void refine_candidates(const Kinematics& kinematics, const RefinePoints& points, RefineSettings settings,
                       PointShare share, const Threads& threads, std::span<PoseCandidate> poses);

/// The contacts of a state with all points, for fits of more than the pose.
struct PointContact {
  int capsule;
  float share;   // where along the axis from a (0) to b (1)
  float weight;  // of this contact in the sum, including 1/sigma^2 and all other factors
  Vec3f normal;
  float distance;
};
std::vector<PointContact> find_contacts(const Kinematics& kinematics, const RefinePoints& points,
                                        const RefineSettings& settings, std::span<const float> state);

/// The signed distance of each point to the skin of a state.
std::vector<float> skin_distances(const Kinematics& kinematics, const PointList& points, std::span<const float> state,
                                  const Threads& threads);

/// The derivative of all joints' places by the tangent: (3 joints, tangent).
Eigen::MatrixXd joint_derivatives(const Kinematics& kinematics, std::span<const float> state);

/// Standard deviation of each joint's place along an axis, from an inverse covariance of the state.
std::vector<double> joint_deviations(const Kinematics& kinematics, std::span<const float> state,
                                     const Eigen::MatrixXd& information);

}  // namespace kinema::body
