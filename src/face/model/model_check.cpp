// Checks the consistency of a model: what a damaged file or an error of the trainer would violate.
#include "kinema/error.h"
#include "kinema/face_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::face {
namespace {

void finite(std::span<const float> values, const std::string& part) {
  if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); }))
    throw Error(fmt::format("model: {} holds a number that is not finite; train it again", part));
}

void size_is(std::size_t size, std::size_t wanted, const std::string& part) {
  if (size != wanted)
    throw Error(fmt::format("model: {} has {} numbers instead of {}; train it again", part, size, wanted));
}

void numbers_are(std::span<const float> values, std::size_t wanted, const std::string& part) {
  size_is(values.size(), wanted, part);
  finite(values, part);
}

void matrix_is(const Matrix& matrix, std::size_t rows, std::size_t columns, const std::string& part) {
  if (matrix.rows != rows || matrix.columns != columns)
    throw Error(fmt::format("model: {} is {} x {} instead of {} x {}; train it again", part, matrix.rows,
                            matrix.columns, rows, columns));
  numbers_are(matrix.values, rows * columns, part);
}

template <class T>
void below(std::span<const T> values, std::size_t limit, const std::string& part) {
  for (const T value : values)
    if (static_cast<std::size_t>(value) >= limit)
      throw Error(fmt::format("model: {} has an index {}, beyond {}; train it again", part, value, limit));
}

void frame_is(const Frame& frame, const std::string& part) {
  if (!(frame.scale > 0) || !std::isfinite(frame.scale) || !std::isfinite(frame.x) || !std::isfinite(frame.y) ||
      frame.width < 1 || frame.height < 1 || frame.width > 1u << 14 || frame.height > 1u << 14)
    throw Error(fmt::format("model: {} makes no sense; train it again", part));
}

void check_level(const Model& model, const Level& level, const std::string& name) {
  const std::size_t pixels = level.pixels(), values = pixels * level.channel_count();
  const std::size_t points = model.shape.mean.size(), shape_modes = model.shape.modes.rows;
  if (pixels == 0) throw Error(fmt::format("model: {} has no pixels; train it again", name));
  if (!(level.scale > 0) || !std::isfinite(level.scale))
    throw Error(fmt::format("model: the scale of {} is {}; train it again", name, level.scale));
  if (level.resampled) frame_is(level.frame, "the frame of " + name);
  if (!level.resampled && level.features != Features::intensity)
    throw Error(fmt::format("model: {} has features without a frame; train it again", name));
  if (std::uint64_t{level.width} * level.height > std::uint64_t{1} << 28)
    throw Error(fmt::format("model: the raster of {} is {} x {}; train it again", name, level.width, level.height));
  below<std::uint32_t>(level.places, std::size_t{level.width} * level.height, "the raster of " + name);
  for (std::size_t i = 1; i < pixels; ++i)
    if (level.places[i] <= level.places[i - 1])
      throw Error(fmt::format("model: the raster of {} is out of order at {}; train it again", name, i));
  size_is(level.pixel_triangles.size(), pixels, "the triangles of " + name);
  below<std::uint16_t>(level.pixel_triangles, model.triangles.size(), "the triangles of " + name);
  numbers_are(level.barycentric, 3 * pixels, "the weights of " + name);
  size_is(level.neighbours.size(), 4 * pixels, "the neighbours of " + name);
  below<std::uint32_t>(level.neighbours, pixels, "the neighbours of " + name);
  numbers_are(level.mean, values, "the mean texture of " + name);
  matrix_is(level.texture_modes, level.texture_variances.size(), values, "the texture modes of " + name);
  finite(level.texture_variances, "the texture variances of " + name);
  if (!std::isfinite(level.residual_variance) || !std::isfinite(level.shape_weight) || !(level.shape_weight > 0))
    throw Error(fmt::format("model: {} holds a number that makes no sense; train it again", name));
  if (level.gradient.rows > 0) {
    const std::size_t modes = level.combined_variances.size();
    matrix_is(level.shape_combined, modes, points, "Qs of " + name);
    matrix_is(level.texture_combined, modes, values, "Qg of " + name);
    matrix_is(level.gradient, modes + 4, values, "R of " + name);
    finite(level.combined_variances, "the combined variances of " + name);
  }
  if (level.project_out.rows > 0)
    matrix_is(level.project_out, 4 + shape_modes, values, "the project-out matrix of " + name);
}

void check_cascade(const Model& model) {
  const Cascade& cascade = model.cascade;
  if (cascade.bins < 1 || cascade.bins > 64)
    throw Error(fmt::format("model: the cascade has {} bins; train it again", cascade.bins));
  for (const Frame& frame : cascade.frames) frame_is(frame, "a frame of the cascade");
  for (std::size_t k = 0; k < cascade.stages.size(); ++k) {
    const CascadeStage& stage = cascade.stages[k];
    const std::string name = fmt::format("stage {} of the cascade", k);
    const std::uint32_t frame[] = {stage.frame};
    below<std::uint32_t>(frame, cascade.frames.size(), name);
    if (stage.offsets.empty() || stage.offsets.size() % 2 != 0)
      throw Error(fmt::format("model: {} has no offsets; train it again", name));
    finite(stage.offsets, "the offsets of " + name);
    const std::size_t outputs = 4 + model.shape.modes.rows;
    matrix_is(stage.gradient, outputs, model.shape.landmarks() * (stage.offsets.size() / 2) * cascade.bins,
              "the matrix of " + name);
    numbers_are(stage.constant, outputs, "the constants of " + name);
  }
}

void check_quality(const Model& model) {
  const QualityModel& quality = model.quality;
  if (quality.weights.empty()) return;
  frame_is(quality.frame, "the frame of the quality");
  finite(quality.offsets, "the offsets of the quality");
  if (quality.offsets.empty() || quality.offsets.size() % 2 != 0)
    throw Error("model: the quality has no offsets; train it again");
  const std::size_t values = quality.offsets.size() / 2 * model.cascade.bins, count = model.shape.landmarks();
  matrix_is(quality.landmark_error, count, 1 + values, "the errors of landmarks of the quality");
  numbers_are(quality.overall_error, 1 + count * values, "the overall error of the quality");
  numbers_are(quality.weights, quality_feature_count, "the weights of the quality");
  if (!quality.shape_weights.empty())
    numbers_are(quality.shape_weights, model.shape.modes.rows, "the weights of shapes of the quality");
  numbers_are(quality.landmark_weights, 3, "the weights of the landmarks' confidence");
}

}  // namespace

void check(const Model& model) {
  const std::size_t points = model.shape.mean.size();
  if (points < 6 || points % 2 != 0)
    throw Error(fmt::format("model: {} coordinates of a mean shape; train it again", points));
  finite(model.shape.mean, "the mean shape");
  matrix_is(model.shape.modes, model.shape.variances.size(), points, "the shape modes");
  finite(model.shape.variances, "the shape variances");
  matrix_is(model.pose_modes, 4, points, "the pose modes");
  if (model.triangles.empty()) throw Error("model: no triangles; train it again");
  for (const auto& triangle : model.triangles) below<std::uint16_t>(triangle, points / 2, "the triangles");
  if (!model.layout.mirror.empty()) size_is(model.layout.mirror.size(), points / 2, "the mirror of the layout");
  const auto landmark = [&](int point) {
    if (point < -1 || point >= static_cast<int>(points / 2))
      throw Error(fmt::format("model: the layout names landmark {} of {}; train it again", point, points / 2));
  };
  for (const int point : model.layout.mirror) landmark(point);
  for (const int point : model.layout.outer_eyes) landmark(point);
  for (const auto& group : model.layout.groups)
    for (const int point : group.points) landmark(point);
  for (std::size_t l = 0; l < model.levels.size(); ++l) check_level(model, model.levels[l], fmt::format("level {}", l));
  check_cascade(model);
  check_quality(model);
  for (const Stage& stage : model.sequence) {
    if (stage.method == Method::cascade) continue;
    const std::uint32_t level[] = {stage.level};
    below<std::uint32_t>(level, model.levels.size(), "the sequence");
  }
}

}  // namespace kinema::face
