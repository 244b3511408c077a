#include "face/training/appearance.h"

#include "core/symmetric.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"
#include "kinema/error.h"

#include <algorithm>
#include <cmath>

namespace kinema::face {
namespace {

std::vector<float> floats_of(const std::vector<double>& values) { return {values.begin(), values.end()}; }

std::span<float> row_span(RowMatrix& rows, std::size_t i) {
  return {rows.row(static_cast<Eigen::Index>(i)).data(), static_cast<std::size_t>(rows.cols())};
}

// The mean of all rows, by blocks of columns.
std::vector<float> mean_row(const RowMatrix& rows) {
  const Eigen::VectorXd mean = rows.cast<double>().colwise().sum().transpose() / static_cast<double>(rows.rows());
  return {mean.data(), mean.data() + mean.size()};
}

// Section 2.1: each texture is aligned to the mean by an offset and a scale, and the mean is that of the normalised
// textures: both are repeated until convergence.
std::vector<float> normalise_to_mean(RowMatrix& textures, const Threads& threads) {
  const auto examples = static_cast<std::size_t>(textures.rows());
  std::size_t first = examples;
  for (std::size_t i = 0; i < examples; ++i)
    if (standardise_texture(row_span(textures, i)) && first == examples) first = i;
  if (first == examples) throw Error("every image is flat where its face is; nothing can be learnt");
  std::vector<float> mean(row_span(textures, first).begin(), row_span(textures, first).end());
  for (int round = 0; round < 20; ++round) {
    threads.for_each(examples, [&](std::size_t i) { normalise_texture(row_span(textures, i), mean); });
    std::vector<float> next = mean_row(textures);
    if (!standardise_texture(next)) throw Error("the mean of the textures is flat; nothing can be learnt");
    double change = 0;
    for (std::size_t i = 0; i < mean.size(); ++i) change = std::max<double>(change, std::abs(next[i] - mean[i]));
    mean = std::move(next);
    if (change < 1e-5) break;
  }
  threads.for_each(examples, [&](std::size_t i) { normalise_texture(row_span(textures, i), mean); });
  return mean;
}

}  // namespace

LevelData sample_examples(const Level& level, const TrainingSet& set, const Model& model, const Threads& threads) {
  LevelData data;
  const std::size_t values = level.pixels() * level.channel_count();
  data.sources.resize(set.size());
  data.shapes.resize(set.size());
  data.textures.resize(static_cast<Eigen::Index>(set.size()), static_cast<Eigen::Index>(values));
  threads.for_each(set.size(), [&](std::size_t i) {
    const Similarity pose = similarity_between<float, float>(model.shape.mean, set.landmarks(i));
    data.shapes[i] = transformed<float>(inverse(pose), set.landmarks(i));
    data.sources[i] = texture_source(level, set.image(i), pose);
    const std::vector<float> shape = transformed<float>(data.sources[i].to_source, data.shapes[i]);
    sample_texture(level, model.triangles, data.sources[i].channels, shape, row_span(data.textures, i));
  });
  return data;
}

LevelData train_textures(Level& level, const TrainingSet& set, const Model& model, const TrainSettings& settings,
                         const Threads& threads) {
  LevelData data = sample_examples(level, set, model, threads);
  const std::size_t values = level.pixels() * level.channel_count();
  level.mean = level.photometric ? normalise_to_mean(data.textures, threads) : mean_row(data.textures);
  threads.for_each(set.size(), [&](std::size_t i) {
    const auto texture = row_span(data.textures, i);
    for (std::size_t k = 0; k < values; ++k) texture[k] -= level.mean[k];
  });

  const Components components = principal_components(data.textures, settings.texture_variance, settings.texture_modes,
                                                     settings.most_modes, threads);
  level.texture_modes = matrix_of(components.modes);
  level.texture_variances = floats_of(components.variances);
  const double all = data.textures.cast<double>().squaredNorm();
  double kept = 0;
  for (const double variance : components.variances) kept += variance * static_cast<double>(set.size() - 1);
  level.residual_variance =
      static_cast<float>(std::max(0.0, all - kept) / (static_cast<double>(set.size()) * static_cast<double>(values)));
  return data;
}

void train_combined(Level& level, const LevelData& data, const Model& model, const TrainSettings& settings,
                    const Threads& threads) {
  const auto examples = static_cast<Eigen::Index>(data.shapes.size());
  const auto shape_modes = static_cast<Eigen::Index>(model.shape.modes.rows);
  const auto texture_modes = static_cast<Eigen::Index>(level.texture_modes.rows);
  double shape_sum = 0, texture_sum = 0;
  for (const float variance : model.shape.variances) shape_sum += variance;
  for (const float variance : level.texture_variances) texture_sum += variance;
  // shapes and textures have different units: weighted so that both have the same variance
  const double weight = shape_sum > 0 && texture_sum > 0 ? std::sqrt(texture_sum / shape_sum) : 1;

  const Eigen::MatrixXd texture_parameters =
      rows_by_rows(rows_of(level.texture_modes), data.textures, threads);  // modes x examples
  Eigen::MatrixXd both(shape_modes + texture_modes, examples);
  for (Eigen::Index i = 0; i < examples; ++i) {
    const auto& shape = data.shapes[static_cast<std::size_t>(i)];
    const std::vector<double> unit(shape.begin(), shape.end());
    const std::vector<double> b = shape_parameters(model.shape, unit, 0);
    for (Eigen::Index k = 0; k < shape_modes; ++k) both(k, i) = weight * b[static_cast<std::size_t>(k)];
    both.col(i).tail(texture_modes) = texture_parameters.col(i);
  }
  if (both.rows() == 0) {  // identical examples have no modes
    level.shape_combined = {0, model.shape.mean.size(), {}};
    level.texture_combined = {0, level.mean.size(), {}};
    return;
  }
  const Eigen::MatrixXd covariance =
      both * both.transpose() / static_cast<double>(std::max<Eigen::Index>(1, examples - 1));
  auto [variances, axes] = principal_axes(covariance);
  std::size_t possible = 0;
  while (possible < variances.size() && variances[possible] > 1e-9 * variances.front()) ++possible;
  possible = std::min(possible, data.shapes.size() - 1);
  const std::size_t asked =
      settings.combined_modes > 0
          ? settings.combined_modes
          : std::min<std::size_t>(settings.most_modes, modes_for_share(variances, settings.combined_variance));
  const std::size_t count = std::min(asked, possible);
  const RowMatrix mix = axes.leftCols(static_cast<Eigen::Index>(count)).transpose().cast<float>();
  level.shape_weight = static_cast<float>(weight);
  const RowMatrix shape_mix = mix.leftCols(shape_modes) / static_cast<float>(weight);
  level.shape_combined = matrix_of(RowMatrix(shape_mix * rows_of(model.shape.modes)));
  level.texture_combined =
      matrix_of(times_rows(RowMatrix(mix.rightCols(texture_modes)), rows_of(level.texture_modes), threads));
  variances.resize(count);
  level.combined_variances = floats_of(variances);
}

RowMatrix steepest_descent(const Level& level, const Model& model, std::span<const float> texture,
                           const Threads& threads) {
  const std::size_t shape_modes = model.shape.modes.rows, channels = level.channel_count();
  RowMatrix images(static_cast<Eigen::Index>(4 + shape_modes), static_cast<Eigen::Index>(texture.size()));
  threads.for_each(4 + shape_modes, [&](std::size_t j) {
    const auto mode = mode_of(model, j);
    float* out = images.row(static_cast<Eigen::Index>(j)).data();
    for (std::size_t i = 0; i < level.pixels(); ++i) {
      // the displacement of this pixel by the mode, in the model's unit
      const auto& corner = model.triangles[level.pixel_triangles[i]];
      float x = 0, y = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        x += level.barycentric[3 * i + k] * mode[2 * std::size_t{corner[k]}];
        y += level.barycentric[3 * i + k] * mode[2 * std::size_t{corner[k]} + 1];
      }
      const std::uint32_t* next = level.neighbours.data() + 4 * i;
      const float across = static_cast<float>((next[0] != i) + (next[1] != i));
      const float down = static_cast<float>((next[2] != i) + (next[3] != i));
      const float step_x = across > 0 ? level.scale / across : 0, step_y = down > 0 ? level.scale / down : 0;
      for (std::size_t c = 0; c < channels; ++c)
        *out++ = (texture[next[1] * channels + c] - texture[next[0] * channels + c]) * step_x * x +
                 (texture[next[3] * channels + c] - texture[next[2] * channels + c]) * step_y * y;
    }
  });
  return images;
}

void train_project_out(Level& level, const Model& model, const Threads& threads) {
  RowMatrix images = steepest_descent(level, model, level.mean, threads);
  const auto modes = rows_of(level.texture_modes);
  if (modes.rows() > 0) {
    const Eigen::MatrixXd along = rows_by_rows(images, modes, threads);
    images -= times_rows(along.cast<float>(), modes, threads);
  }
  if (level.photometric) {
    // normalised textures never differ along 1 and g0, so these directions are projected out; both are orthogonal to
    // the modes and to each other
    const Eigen::Map<const Eigen::RowVectorXf> g0(level.mean.data(), images.cols());
    for (Eigen::Index j = 0; j < images.rows(); ++j) {
      auto image = images.row(j);
      image.array() -= static_cast<float>(image.cast<double>().mean());
      image -= static_cast<float>(image.cast<double>().dot(g0.cast<double>()) / g0.cast<double>().squaredNorm()) * g0;
    }
  }
  Eigen::MatrixXd hessian = gram_of_rows(images, threads);
  // a mode that moves no edge cannot be observed: it must not amplify the others
  hessian.diagonal().array() += 1e-6 * hessian.trace() / static_cast<double>(hessian.rows());
  level.project_out = matrix_of(times_rows(inverse_symmetric(hessian).cast<float>(), images, threads));
}

}  // namespace kinema::face
