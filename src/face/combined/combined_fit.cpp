#include "face/combined/combined_fit.h"

#include "face/model/linear.h"
#include "face/model/similarity.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kinema::face {
namespace {

Eigen::VectorXd limited(const CombinedProducts& of, const Eigen::VectorXd& c) {
  return c.cwiseMin(of.most).cwiseMax(-of.most);
}

}  // namespace

CombinedProducts combined_products(const Level& level, double limit) {
  CombinedProducts of;
  of.modes = static_cast<Eigen::Index>(level.shape_combined.rows);
  of.Qs = rows_of(level.shape_combined).cast<double>();
  of.most = Eigen::VectorXd::Constant(of.modes, std::numeric_limits<double>::infinity());
  for (Eigen::Index k = 0; limit > 0 && k < of.modes; ++k)
    of.most[k] = limit * std::sqrt(double{level.combined_variances[static_cast<std::size_t>(k)]});
  return of;
}

CombinedStep combined_step(const CombinedProducts& of, const NormalisedSums& texture, const Eigen::VectorXd& c) {
  const Eigen::Index m = of.modes;
  const Eigen::VectorXd by_c = of.by_modes * c;
  CombinedStep step;
  step.dp = of.stack.by_mean.head(m + 4) + by_c.head(m + 4) - texture.products.head(m + 4);
  const double along = texture.by_mean + c.dot(texture.products.tail(m));
  const double model =
      of.stack.by_mean[of.stack.rows] + 2 * c.dot(of.stack.by_mean.segment(m + 4, m)) + c.dot(by_c.tail(m));
  step.error = texture.square - 2 * along + model;
  return step;
}

CombinedParameters displaced(const CombinedProducts& of, const CombinedParameters& p, const Eigen::VectorXd& dp,
                             double k) {
  const Eigen::Vector4d dt = k * dp.tail(4);
  return {limited(of, p.c + k * dp.head(of.modes)), compose(p.t, {1 + dt[0], dt[1], dt[2], dt[3]})};
}

Eigen::VectorXd combined_of(const CombinedProducts& of, const Level& level, const Model& model,
                            std::span<const double> shape, const NormalisedSums& texture) {
  Eigen::VectorXd away(static_cast<Eigen::Index>(shape.size()));
  for (std::size_t i = 0; i < shape.size(); ++i)
    away[static_cast<Eigen::Index>(i)] = shape[i] - double{model.shape.mean[i]};
  const double weight = double{level.shape_weight} * level.shape_weight;
  return limited(
      of, weight * (of.Qs * away) + texture.products.tail(of.modes) - of.stack.by_mean.segment(of.modes + 4, of.modes));
}

std::vector<double> combined_shape(const CombinedProducts& of, const Model& model, const CombinedParameters& p) {
  std::vector<double> s(model.shape.mean.begin(), model.shape.mean.end());
  Eigen::Map<Eigen::VectorXd>(s.data(), static_cast<Eigen::Index>(s.size())) += of.Qs.transpose() * p.c;
  return transformed<double>(p.t, s);
}

}  // namespace kinema::face
