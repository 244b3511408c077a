#include "face/chain/fit_state.h"

#include "face/model/shape.h"
#include "face/model/similarity.h"
#include "face/model/texture.h"

#include <algorithm>
#include <cmath>

namespace kinema::face {

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
