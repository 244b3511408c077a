#include "face/chain/fit_state.h"

#include "face/constants.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"
#include "face/model/texture.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinema::face {
namespace {

bool finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
}

Similarity pose_of_box(const Model& model, const Start::Box& box) {
  if (!finite(std::vector<float>{box.x, box.y, box.width, box.height}))
    throw Error("start: the box has a number that is not finite");
  if (!(box.width > 0) || !(box.height > 0))
    throw Error(
        fmt::format("start: the box is {} x {} pixels; give a width and a height above 0", box.width, box.height));
  const bool detector = box.detector && model.detector_box.scale > 0;
  const BoxPlacement& placement = detector ? model.detector_box : model.landmark_box;
  const double size = std::sqrt(double{box.width} * box.height);
  return {placement.scale * size, 0, box.x + box.width / 2 + placement.x * size,
          box.y + box.height / 2 + placement.y * size};
}

}  // namespace

Similarity start_pose(const Model& model, const Start& start) {
  if (start.similarity) {
    const Similarity& t = *start.similarity;
    if (!std::isfinite(t.a) || !std::isfinite(t.b) || !std::isfinite(t.tx) || !std::isfinite(t.ty))
      throw Error("start: the similarity has a number that is not finite");
    if (!(magnification(t) > 0)) throw Error("start: the similarity has no size");
    return t;
  }
  if (!start.landmarks.empty()) {
    if (start.landmarks.size() != model.shape.mean.size())
      throw Error(fmt::format("start: {} landmarks, but the model has {}", start.landmarks.size() / 2,
                              model.shape.landmarks()));
    if (!finite(start.landmarks)) throw Error("start: a landmark is not finite");
    const Similarity pose = similarity_between<float, float>(model.shape.mean, start.landmarks);
    if (!(magnification(pose) > 1e-6)) throw Error("start: the landmarks have no extent");
    return pose;
  }
  if (start.box) return pose_of_box(model, *start.box);
  throw Error("start: nothing given; give a box, landmarks or a similarity");
}

FitState initial_state(const Model& model, const Start& start, double limit) {
  FitState result;
  result.pose = start_pose(model, start);
  result.shape.assign(model.shape.mean.begin(), model.shape.mean.end());
  if (start.keep_shape && !start.similarity && !start.landmarks.empty()) {
    const std::vector<double> landmarks(start.landmarks.begin(), start.landmarks.end());
    const std::vector<double> unit = transformed<double>(inverse(result.pose), landmarks);
    result.shape = shape_of(model.shape, shape_parameters(model.shape, unit, limit));
    result.mean = false;
  }
  return result;
}

Similarity spread_start(const Model& model, const Similarity& pose, int number) {
  if (number == 0) return pose;
  // on a circle around the start, by the golden angle; sizes and rotations alternate
  const double angle = number * std::numbers::pi * (3 - std::sqrt(5.0));
  const double shift = start_spread / std::max(1e-6, double{model.landmark_box.scale});
  const double scale = number % 2 == 1 ? start_size_spread : 1 / start_size_spread;
  const double turn = (number / 2) % 2 == 1 ? start_turn_spread : -start_turn_spread;
  const Similarity about{scale * std::cos(turn), scale * std::sin(turn), shift * std::cos(angle),
                         shift * std::sin(angle)};
  return compose(pose, about);
}

std::vector<Matrix2> inverse_edges(const Model& model) {
  const auto& mean = model.shape.mean;
  std::vector<Matrix2> result;
  for (const auto& corner : model.triangles) {
    const auto edge = [&](std::size_t k, std::size_t axis) {
      return double{mean[2 * std::size_t{corner[k]} + axis]} - mean[2 * std::size_t{corner[0]} + axis];
    };
    Eigen::Matrix2d edges;
    edges << edge(1, 0), edge(2, 0), edge(1, 1), edge(2, 1);
    result.push_back({});
    if (!(std::abs(edges.determinant()) > 1e-9)) continue;
    const Eigen::Matrix2d inverse = edges.inverse();
    result.back() = {inverse(0, 0), inverse(0, 1), inverse(1, 0), inverse(1, 1)};
  }
  return result;
}

void straighten(const Model& model, FitState& state) {
  const std::vector<double> landmarks = transformed<double>(state.pose, state.shape);
  state.pose = similarity_between<float, double>(model.shape.mean, landmarks);
  state.shape = transformed<double>(inverse(state.pose), landmarks);
}

FitState median_state(const Model& model, std::span<const FitState> ends) {
  std::vector<std::vector<double>> landmarks;
  for (const FitState& end : ends) landmarks.push_back(transformed<double>(end.pose, end.shape));
  FitState state;
  state.mean = false;
  std::vector<double> values(ends.size());
  for (std::size_t i = 0; i < landmarks.front().size(); ++i) {
    for (std::size_t number = 0; number < ends.size(); ++number) values[number] = landmarks[number][i];
    std::sort(values.begin(), values.end());
    state.shape.push_back((values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2);
  }
  straighten(model, state);
  return state;
}

std::vector<double> within_model(const Model& model, std::span<const double> shape, double limit) {
  const Similarity pose = similarity_between<float, double>(model.shape.mean, shape);
  const std::vector<double> b = shape_parameters(model.shape, transformed<double>(inverse(pose), shape), limit);
  return transformed<double>(pose, shape_of(model.shape, b));
}

std::pair<TextureImage, Similarity> texture_image(const Level& level, const GreyView& image, const FitState& state,
                                                  const Threads* threads) {
  std::pair<TextureImage, Similarity> result(TextureImage(image), state.pose);
  auto& [from, to_source] = result;
  if (level.resampled) {
    TextureSource source = texture_source(level, image, state.pose, threads);
    from = TextureImage(std::move(source.channels)), to_source = source.to_source;
  }
  const auto nearest = [](double x) { return static_cast<std::ptrdiff_t>(std::clamp(std::round(x), -1e6, 1e6)); };
  from.origin_x = nearest(to_source.tx), from.origin_y = nearest(to_source.ty);
  to_source.tx -= static_cast<double>(from.origin_x), to_source.ty -= static_cast<double>(from.origin_y);
  if (level.photometric && from.channels == 1) from.centre_at(placed(to_source, state.shape));
  return result;
}

void finish(const Model& model, const FitState& state, Fit& fit) {
  const std::vector<double> landmarks = transformed<double>(state.pose, state.shape);
  fit.landmarks.assign(landmarks.begin(), landmarks.end());
  fit.pose = similarity_between<float, double>(model.shape.mean, landmarks);
  const std::vector<double> b = shape_parameters(model.shape, transformed<double>(inverse(fit.pose), landmarks), 0);
  fit.shape.assign(b.begin(), b.end());
}

std::vector<float> placed(const Similarity& t, std::span<const double> shape) {
  const std::vector<double> out = transformed<double>(t, shape);
  return {out.begin(), out.end()};
}

}  // namespace kinema::face
