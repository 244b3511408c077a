#include "body/particles/motion.h"

#include "body/refine/refine.h"
#include "body/skeleton/rest_poses.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

namespace kinema::body {

Comfort::Comfort(const Skeleton& skeleton) : angles(rest_poses(skeleton).front().angles) {
  using namespace constants::motion;
  for (const Joint& joint : skeleton.joints) {
    for (const Freedom& freedom : joint.freedoms) {
      const double range = freedom.upper - freedom.lower;
      const double deviation = range > 0 && range <= little_range ? comfort_share * range : comfort_deviation;
      precision.push_back(1 / (deviation * deviation));
    }
  }
}

double Comfort::cost(std::span<const float> state) const {
  double sum = 0;
  for (std::size_t i = 0; i < angles.size(); ++i) {
    const double away = state[root_floats + i] - angles[i];
    sum += 0.5 * precision[i] * away * away;
  }
  return sum;
}

PosePrior expected_pose(const Skeleton& skeleton, std::span<const float> predicted, double seconds) {
  PosePrior prior{{predicted.begin(), predicted.end()}, walk_precision(skeleton, seconds)};
  const Comfort comfort(skeleton);
  for (std::size_t i = 0; i < comfort.angles.size(); ++i) {
    // the product of two normal distributions
    double& precision = prior.precision[root_tangent + i];
    float& angle = prior.state[root_floats + i];
    angle = static_cast<float>((precision * angle + comfort.precision[i] * comfort.angles[i]) /
                               (precision + comfort.precision[i]));
    precision += comfort.precision[i];
  }
  return prior;
}

double velocity_kept(Motion motion) {
  return motion == Motion::constant_velocity ? constants::motion::kept_velocity : 0;
}

double independent_points(const TrackerSettings& settings, const PointNoise& noise) {
  const double skin = settings.likelihood.sigma;
  // the likelihood knows the deviations of such points one by one
  if (noise.projective) return std::min(settings.independent_points, noise.independent);
  return std::min(settings.independent_points, noise.independent) * skin * skin /
         (skin * skin + noise.deviation * noise.deviation);
}

RefineSettings refine_settings(const TrackerSettings& settings, std::size_t points, const PointNoise& noise) {
  RefineSettings refinement;
  refinement.steps = settings.refine_steps;
  refinement.noise = noise.deviation;
  refinement.projective = noise.projective;
  if (noise.projective) refinement.tau = constants::refinement::projective_reach;
  refinement.evidence =
      std::min(settings.independent_points, noise.independent) / static_cast<double>(std::max<std::size_t>(1, points));
  refinement.free_space = settings.likelihood.free_space ? refinement.free_space : 0;
  return refinement;
}

std::vector<float> spatial_factor(const Kinematics& kinematics, std::span<const float> state, double deviation,
                                  std::span<const float> walk) {
  const int size = tangent_size(kinematics);
  const Eigen::MatrixXd moves = joint_derivatives(kinematics, state);  // J
  Eigen::MatrixXd precision = moves.transpose() * moves / (deviation * deviation);
  for (int i = 0; i < size; ++i) {
    const double own = walk[static_cast<std::size_t>(i)];
    precision(i, i) += 1 / (own * own + 1e-12);
  }
  // precision = L L^T, so L^-T z has its inverse as covariance
  const Eigen::MatrixXd lower = precision.llt().matrixL();
  const Eigen::MatrixXd factor =
      lower.transpose().triangularView<Eigen::Upper>().solve(Eigen::MatrixXd::Identity(size, size));
  std::vector<float> rows;
  rows.reserve(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) {
    for (int l = 0; l < size; ++l) rows.push_back(static_cast<float>(factor(i, l)));
  }
  return rows;
}

}  // namespace kinema::body
