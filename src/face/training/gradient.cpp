// The matrix R of eq. 6, dp = -R r: the change of parameters for a residual, learned from examples displaced by known
// amounts.
#include "core/random.h"
#include "core/symmetric.h"
#include "face/constants.h"
#include "face/model/similarity.h"
#include "face/training/appearance.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kinema::face {
namespace {

// The pose displaced by one of its four parameters, in the model's unit.
Similarity pose_step(std::size_t which, double by) {
  Similarity t;
  if (which == 0) t.a += by;
  if (which == 1) t.b += by;
  if (which == 2) t.tx += by;
  if (which == 3) t.ty += by;
  return t;
}

// The normalised texture at a shape in the model's unit.
void texture_at(const Level& level, const Model& model, const TextureSource& source, const Similarity& pose,
                std::span<const float> shape, std::span<float> out) {
  const std::vector<float> placed = transformed<float>(compose(source.to_source, pose), shape);
  sample_texture(level, model.triangles, source.channels, placed, out);
  if (level.photometric) normalise_texture(out, level.mean);
}

}  // namespace

void train_gradient_by_derivative(Level& level, const LevelData& data, const Model& model, const Threads& threads) {
  const std::size_t shape_modes = model.shape.modes.rows, values = level.pixels() * level.channel_count();
  const std::size_t examples = std::min(data.shapes.size(), derivative_examples);

  // the change of textures with each shape mode and each parameter of the pose
  RowMatrix derivatives(static_cast<Eigen::Index>(shape_modes + 4), static_cast<Eigen::Index>(values));
  derivatives.setZero();
  threads.for_each(shape_modes + 4, [&](std::size_t j) {
    std::vector<float> texture(values), shape;
    std::vector<double> sum(values, 0.0);
    const double unit = j < shape_modes ? std::sqrt(double{model.shape.variances[j]}) : pose_unit;
    for (std::size_t e = 0; e < examples; ++e) {
      // spread over the whole set if not all are used
      const std::size_t i = e * data.shapes.size() / examples;
      const float* truth = data.textures.row(static_cast<Eigen::Index>(i)).data();
      for (const double step : derivative_steps) {
        shape = data.shapes[i];
        Similarity pose;
        if (j < shape_modes) {
          const auto mode = model.shape.modes.row(j);
          for (std::size_t k = 0; k < shape.size(); ++k) shape[k] += static_cast<float>(step * unit) * mode[k];
        } else {
          pose = pose_step(j - shape_modes, step * unit);
        }
        texture_at(level, model, data.sources[i], pose, shape, texture);
        const double share = 1 / (step * unit);
        for (std::size_t k = 0; k < values; ++k) sum[k] += share * (texture[k] - level.mean[k] - truth[k]);
      }
    }
    float* out = derivatives.row(static_cast<Eigen::Index>(j)).data();
    const double all = static_cast<double>(examples * derivative_steps.size());
    for (std::size_t k = 0; k < values; ++k) out[k] = static_cast<float>(sum[k] / all);
  });

  // r = g_s - g_m: a combined parameter moves the shape, and the model's own texture
  const auto shape_combined = rows_of(level.shape_combined), texture_combined = rows_of(level.texture_combined);
  const Eigen::Index combined = shape_combined.rows();
  const RowMatrix mix = shape_combined * rows_of(model.shape.modes).transpose();
  RowMatrix jacobian(combined + 4, static_cast<Eigen::Index>(values));
  jacobian.topRows(combined) =
      times_rows(mix, derivatives.topRows(static_cast<Eigen::Index>(shape_modes)), threads) - texture_combined;
  jacobian.bottomRows(4) = derivatives.bottomRows(4);

  // R = (J^T J)^-1 J^T
  Eigen::MatrixXd square = gram_of_rows(jacobian, threads);
  square.diagonal() *= 1 + 1e-6;
  level.gradient = matrix_of(times_rows(inverse_symmetric(square).cast<float>(), jacobian, threads));
}

void train_gradient_by_regression(Level& level, const LevelData& data, const Model& model,
                                  const TrainSettings& settings, const Threads& threads) {
  const std::size_t values = level.pixels() * level.channel_count();
  const std::size_t combined = level.shape_combined.rows;
  const std::size_t wanted = data.shapes.size() * std::max<std::uint32_t>(1, settings.displacements);
  const std::size_t samples = std::min(wanted, regression_samples);
  RowMatrix residuals(static_cast<Eigen::Index>(samples), static_cast<Eigen::Index>(values));
  RowMatrix changes(static_cast<Eigen::Index>(samples), static_cast<Eigen::Index>(combined + 4));
  threads.for_each(samples, [&](std::size_t s) {
    const std::size_t i = s % data.shapes.size();
    const Random random{settings.seed, static_cast<std::uint32_t>(s), 0x52u};
    std::vector<float> shape = data.shapes[i], texture(values);
    const float* truth = data.textures.row(static_cast<Eigen::Index>(i)).data();
    // c of the example, then displaced: by half a standard deviation as in Cootes
    std::vector<float> model_texture(values, 0.0f);
    for (std::size_t k = 0; k < combined; ++k) {
      const auto shape_mode = level.shape_combined.row(k);
      const auto texture_mode = level.texture_combined.row(k);
      double c = 0;
      for (std::size_t v = 0; v < values; ++v) c += double{texture_mode[v]} * truth[v];
      for (std::size_t v = 0; v < shape.size(); ++v)
        c +=
            double{level.shape_weight} * level.shape_weight * shape_mode[v] * (data.shapes[i][v] - model.shape.mean[v]);
      const double by =
          0.5 * std::sqrt(double{level.combined_variances[k]}) * random.normal(static_cast<std::uint32_t>(k));
      for (std::size_t v = 0; v < shape.size(); ++v) shape[v] += static_cast<float>(by) * shape_mode[v];
      for (std::size_t v = 0; v < values; ++v) model_texture[v] += static_cast<float>(c + by) * texture_mode[v];
      changes(static_cast<Eigen::Index>(s), static_cast<Eigen::Index>(k)) = static_cast<float>(by);
    }
    Similarity pose;
    double* const parts[4] = {&pose.a, &pose.b, &pose.tx, &pose.ty};
    for (std::size_t k = 0; k < 4; ++k) {
      const double by = pose_unit * random.normal(static_cast<std::uint32_t>(combined + k));
      *parts[k] += by;
      changes(static_cast<Eigen::Index>(s), static_cast<Eigen::Index>(combined + k)) = static_cast<float>(by);
    }
    texture_at(level, model, data.sources[i], pose, shape, texture);
    float* out = residuals.row(static_cast<Eigen::Index>(s)).data();
    for (std::size_t v = 0; v < values; ++v) out[v] = texture[v] - level.mean[v] - model_texture[v];
  });

  // dp = A r with far fewer samples than values: A = P^T (r r^T + lambda)^-1 r; the sign is that of dp = -R r, where a
  // displacement by +p requires a step of -p
  Eigen::MatrixXd square = gram_of_rows(residuals, threads);
  square.diagonal().array() += 0.1 * square.trace() / static_cast<double>(samples);
  const Eigen::MatrixXd mix = solve_symmetric_columns(square, changes.cast<double>());
  level.gradient = matrix_of(times_rows(RowMatrix(mix.transpose().cast<float>()), residuals, threads));
}

}  // namespace kinema::face
