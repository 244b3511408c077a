#include "body/smoothing/deviation.h"

#include "body/constants.h"
#include "body/constants_mechanisms.h"

#include <algorithm>
#include <cmath>

namespace kinema::body {
namespace {

// Of a normal distribution: standard deviation over median of absolute values.
constexpr double median_to_deviation = 1.4826;

using namespace constants::deviation;

}  // namespace

double residual_deviation(const Kinematics& kinematics, const PointList& points, std::span<const float> state,
                          const Threads& threads) {
  std::vector<float> away = skin_distances(kinematics, points, state, threads);
  if (away.empty()) return 0;
  for (float& distance : away) distance = std::abs(distance);
  const auto middle = away.begin() + static_cast<std::ptrdiff_t>(away.size() / 2);
  std::nth_element(away.begin(), middle, away.end());
  return median_to_deviation * *middle;
}

std::vector<double> flesh_radii(const Skeleton& skeleton) {
  std::vector<double> own(skeleton.joints.size(), 0);
  for (const SkinCapsule& capsule : skeleton.capsules) {
    double& radius = own[static_cast<std::size_t>(capsule.joint)];
    radius = std::max(radius, capsule.radius);
  }
  std::vector<double> radii = own;
  for (std::size_t j = 0; j < radii.size(); ++j) {
    const int parent = skeleton.joints[j].parent;
    if (parent >= 0) radii[j] = std::max(radii[j], own[static_cast<std::size_t>(parent)]);
  }
  return radii;
}

double evidence_shared(const ErrorSources& sources) {
  const double ratio = mechanisms::residual_noise && sources.assumed > 0 ? sources.residual / sources.assumed : 1;
  return error_together * ratio * ratio;
}

double stated_deviation(double variance, double flesh_radius, const ErrorSources& sources) {
  const double by_the_last = variance / (held_by_points * held_by_points);
  return smoothed_deviation(variance * (evidence_shared(sources) + by_the_last), flesh_radius, sources);
}

double smoothed_deviation(double variance, double flesh_radius, const ErrorSources& sources) {
  if (sources.shape_fitted) variance *= lasting_error;
  const double flesh = (sources.shape_fitted ? fitted_flesh_share : flesh_share) * flesh_radius;
  // depth is one of three axes
  const double shared = sources.shared * sources.shared / 3;
  return std::sqrt(variance + flesh * flesh + shared);
}

double smoothed_angle_deviation(double variance, double flesh_turn, const ErrorSources& sources) {
  ErrorSources own = sources;
  own.shared = 0;
  return smoothed_deviation(variance, flesh_turn, own);
}

}  // namespace kinema::body
