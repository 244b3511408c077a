#include "face/training/refine_appearance.h"

#include "face/constants.h"
#include "face/model/linear.h"
#include "face/model/similarity.h"
#include "face/training/appearance.h"

#include <algorithm>
#include <cmath>

namespace kinema::face {
namespace {

Matrix stacked(const RowMatrix& above, const RowMatrix& below) {
  RowMatrix both(above.rows() + below.rows(), above.cols());
  both << above, below;
  return matrix_of(both);
}

std::vector<float> followed_by(std::span<const float> values, std::span<const float> more) {
  std::vector<float> result(values.begin(), values.end());
  result.insert(result.end(), more.begin(), more.end());
  return result;
}

}  // namespace

void extend_shape(Model& model, const TrainingSet& set, const Threads& threads) {
  const auto size = static_cast<Eigen::Index>(model.shape.mean.size());
  const auto examples = static_cast<Eigen::Index>(set.size());
  const Eigen::Map<const Eigen::RowVectorXf> mean(model.shape.mean.data(), size);
  RowMatrix rest(examples, size);
  for (Eigen::Index i = 0; i < examples; ++i) {
    const std::span<const float> landmarks = set.landmarks(static_cast<std::size_t>(i));
    const Similarity pose = similarity_between<float, float>(model.shape.mean, landmarks);
    const std::vector<float> unit = transformed<float>(inverse(pose), landmarks);
    rest.row(i) = Eigen::Map<const Eigen::RowVectorXf>(unit.data(), size) - mean;
  }
  const auto modes = rows_of(model.shape.modes), four = rows_of(model.pose_modes);
  const RowMatrix along = rest * modes.transpose();
  rest -= along * modes;
  rest -= (rest * four.transpose()) * four;

  std::vector<float> variances(model.shape.variances.begin(), model.shape.variances.end());
  const auto count = static_cast<double>(set.size());
  for (std::size_t k = 0; k < variances.size(); ++k) {
    const double squares = along.col(static_cast<Eigen::Index>(k)).cast<double>().squaredNorm();
    variances[k] = static_cast<float>((refine_start_faces * variances[k] + squares) / (refine_start_faces + count));
  }
  const Components added =
      principal_components(rest, refine_shape_share, 0, static_cast<std::size_t>(refine_shape_modes), threads);
  model.shape.modes = stacked(modes, added.modes);
  model.shape.variances = followed_by(variances, std::vector<float>(added.variances.begin(), added.variances.end()));
  for (CascadeStage& stage : model.cascade.stages) {
    const auto columns = static_cast<Eigen::Index>(stage.gradient.columns);
    stage.gradient = stacked(rows_of(stage.gradient), RowMatrix::Zero(added.modes.rows(), columns));
    stage.constant = followed_by(stage.constant, std::vector<float>(added.variances.size(), 0.0f));
  }
  Array<float>& weights = model.quality.shape_weights;
  if (!weights.empty()) weights = followed_by(weights, std::vector<float>(added.variances.size(), 0.0f));
}

void extend_textures(Level& level, const TrainingSet& set, const Model& model, const Threads& threads) {
  const LevelData data = sample_examples(level, set, model, threads);
  const auto known = rows_of(level.texture_modes);
  const Eigen::Index examples = data.textures.rows(), all = known.rows() + examples;
  const Eigen::Map<const Eigen::RowVectorXf> mean(level.mean.data(), data.textures.cols());
  const double faces = refine_start_faces + static_cast<double>(examples);
  const auto unit = static_cast<float>(std::sqrt(static_cast<double>(all - 1) / faces));
  RowMatrix rows(all, data.textures.cols());
  for (Eigen::Index k = 0; k < known.rows(); ++k) {
    const double variance = level.texture_variances[static_cast<std::size_t>(k)];
    rows.row(k) = unit * static_cast<float>(std::sqrt(refine_start_faces * variance)) * known.row(k);
  }
  threads.for_each(static_cast<std::size_t>(examples), [&](std::size_t i) {
    const auto from = static_cast<Eigen::Index>(i);
    auto row = rows.row(known.rows() + from);
    row = data.textures.row(from);
    if (level.photometric) normalise_texture({row.data(), level.mean.size()}, level.mean);
    row = unit * (row - mean);
  });
  const double squares = rows.bottomRows(examples).cast<double>().squaredNorm();
  const Components components = principal_components(
      rows, 1, static_cast<std::size_t>(known.rows()) + static_cast<std::size_t>(refine_texture_modes), 0, threads);
  level.texture_modes = matrix_of(components.modes);
  std::vector<float> variances(components.variances.begin(), components.variances.end());
  const Eigen::MatrixXd along = rows_by_rows(rows.bottomRows(examples), components.modes, threads);
  const double left = std::max(0.0, squares - along.squaredNorm()) / (static_cast<double>(all - 1) / faces);
  level.residual_variance = static_cast<float>(
      (refine_start_faces * level.residual_variance + left / static_cast<double>(level.mean.size())) / faces);
  level.texture_variances = std::move(variances);
}

}  // namespace kinema::face
