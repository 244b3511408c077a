// People who differ as those of the survey do.
#include "body/skeleton/shape_space.h"
#include "core/random.h"
#include "kinema/skeleton.h"

namespace kinema::body {

Skeleton random_human(double height, std::uint64_t seed) {
  const Skeleton average = default_human(height);
  if (seed == 0) return average;
  const ShapeSpace space(average);
  Eigen::VectorXd draw(space.size());
  for (Eigen::Index i = 0; i < draw.size(); ++i) {
    const Philox p = philox(seed, static_cast<std::uint32_t>(i), 0, 0, 0);
    draw[i] = normal_quantile(uniform_open(p.word[0], p.word[1]));
  }
  const Eigen::MatrixXd factor = space.covariance(0).llt().matrixL();
  const Skeleton person = space.shaped(factor * draw);
  return scaled(person, height / stature(person));
}

}  // namespace kinema::body
