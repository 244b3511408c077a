#include "face/model/shape.h"

#include "core/symmetric.h"
#include "face/model/linear.h"
#include "face/model/similarity.h"

#include <algorithm>
#include <cmath>

namespace kinema::face {
namespace {

void normalise(std::vector<double>& shape) {
  const std::size_t n = shape.size() / 2;
  double x = 0, y = 0, square = 0;
  for (std::size_t i = 0; i < n; ++i) x += shape[2 * i], y += shape[2 * i + 1];
  x /= static_cast<double>(n), y /= static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    shape[2 * i] -= x, shape[2 * i + 1] -= y;
    square += shape[2 * i] * shape[2 * i] + shape[2 * i + 1] * shape[2 * i + 1];
  }
  const double size = std::sqrt(square / static_cast<double>(n));
  for (double& value : shape) value /= size;
}

std::vector<double> mean_of(const std::vector<std::vector<double>>& shapes) {
  std::vector<double> mean(shapes.front().size(), 0.0);
  for (const auto& shape : shapes)
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += shape[i];
  for (double& value : mean) value /= static_cast<double>(shapes.size());
  return mean;
}

}  // namespace

AlignedShapes procrustes(std::span<const std::vector<float>> shapes) {
  AlignedShapes result;
  for (const auto& shape : shapes) {
    result.aligned.emplace_back(shape.begin(), shape.end());
    normalise(result.aligned.back());
  }
  // upright is the mean orientation of the examples
  const std::vector<double> upright = mean_of(result.aligned);
  result.mean = upright;
  normalise(result.mean);
  for (int round = 0; round < 100; ++round) {
    for (auto& shape : result.aligned)
      shape = transformed<double>(similarity_between<double, double>(shape, result.mean), shape);
    std::vector<double> mean = mean_of(result.aligned);
    Similarity turn = similarity_between<double, double>(mean, upright);
    const double size = magnification(turn);
    if (size > 0) mean = transformed<double>({turn.a / size, turn.b / size, 0, 0}, mean);
    normalise(mean);
    double change = 0;
    for (std::size_t i = 0; i < mean.size(); ++i) change = std::max(change, std::abs(mean[i] - result.mean[i]));
    result.mean = std::move(mean);
    if (change < 1e-12) break;
  }
  // each in the unit of the pose that maps the mean to it: the residual is orthogonal to any similarity
  for (auto& shape : result.aligned)
    shape = transformed<double>(inverse(similarity_between<double, double>(result.mean, shape)), shape);
  return result;
}

Matrix pose_modes(std::span<const double> mean) {
  const std::size_t n = mean.size() / 2;
  // of the mean's root mean square distance of 1, so all four have length sqrt(n)
  const double unit = 1 / std::sqrt(static_cast<double>(n));
  std::vector<float> values(4 * mean.size(), 0.0f);
  for (std::size_t i = 0; i < n; ++i) {
    const double x = mean[2 * i], y = mean[2 * i + 1];
    values[2 * i] = static_cast<float>(x * unit);
    values[2 * i + 1] = static_cast<float>(y * unit);
    values[mean.size() + 2 * i] = static_cast<float>(-y * unit);
    values[mean.size() + 2 * i + 1] = static_cast<float>(x * unit);
    values[2 * mean.size() + 2 * i] = static_cast<float>(unit);
    values[3 * mean.size() + 2 * i + 1] = static_cast<float>(unit);
  }
  return {4, mean.size(), std::move(values)};
}

double mean_distance(std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < a.size(); i += 2) sum += std::hypot(a[i] - b[i], a[i + 1] - b[i + 1]);
  return 2 * sum / static_cast<double>(a.size());
}

std::size_t modes_for_share(std::span<const double> variances, double share) {
  double all = 0;
  for (const double variance : variances) all += std::max(0.0, variance);
  double sum = 0;
  std::size_t count = 0;
  while (count < variances.size() && sum < share * all) sum += std::max(0.0, variances[count++]);
  return count;
}

ShapeModel shape_model(const AlignedShapes& shapes, const Matrix& pose, double variance, std::size_t modes) {
  const auto size = static_cast<Eigen::Index>(shapes.mean.size());
  const auto examples = static_cast<Eigen::Index>(shapes.aligned.size());
  const Eigen::Map<const Eigen::VectorXd> mean(shapes.mean.data(), size);
  const Eigen::MatrixXd four = rows_of(pose).cast<double>();

  // what a similarity explains to first order is not shape
  Eigen::MatrixXd rest(size, examples);
  for (Eigen::Index i = 0; i < examples; ++i)
    rest.col(i) = Eigen::Map<const Eigen::VectorXd>(shapes.aligned[static_cast<std::size_t>(i)].data(), size) - mean;
  rest -= four.transpose() * (four * rest);
  const Eigen::MatrixXd covariance =
      rest * rest.transpose() / static_cast<double>(std::max<Eigen::Index>(1, examples - 1));
  const auto [variances, axes] = principal_axes(covariance);

  const double least = 1e-10 * std::max(variances.front(), 1e-300);
  std::size_t possible = 0;
  while (possible < variances.size() && variances[possible] > least && variances[possible] > 1e-14) ++possible;
  possible = std::min(possible, shapes.aligned.size() - 1);
  std::size_t count = modes > 0 ? modes : modes_for_share(variances, variance);
  count = std::min(count, possible);

  ShapeModel model;
  model.mean = std::vector<float>(shapes.mean.begin(), shapes.mean.end());
  model.modes = matrix_of(axes.leftCols(static_cast<Eigen::Index>(count)).transpose().cast<float>());
  model.variances = std::vector<float>(variances.begin(), variances.begin() + static_cast<std::ptrdiff_t>(count));
  return model;
}

std::vector<double> shape_parameters(const ShapeModel& model, std::span<const double> shape, double limit) {
  std::vector<double> parameters(model.modes.rows);
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto mode = model.modes.row(k);
    const double sum = sum_over_shape(mode.size(), [&](std::size_t i) { return mode[i] * (shape[i] - model.mean[i]); });
    const double most = limit > 0 ? limit * std::sqrt(static_cast<double>(model.variances[k])) : HUGE_VAL;
    parameters[k] = std::clamp(sum, -most, most);
  }
  return parameters;
}

std::vector<double> shape_of(const ShapeModel& model, std::span<const double> parameters) {
  std::vector<double> shape(model.mean.begin(), model.mean.end());
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    const auto mode = model.modes.row(k);
    for (std::size_t i = 0; i < mode.size(); ++i) shape[i] += parameters[k] * mode[i];
  }
  return shape;
}

}  // namespace kinema::face
