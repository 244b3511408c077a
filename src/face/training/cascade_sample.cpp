#include "face/training/cascade_sample.h"

#include "face/constants.h"
#include "face/model/similarity.h"

namespace kinema::face {

CascadeSample cascade_start(const TrainingSet& set, const Model& model, const TrainSettings& settings,
                            std::uint32_t example, std::uint32_t named, std::uint32_t number) {
  const Similarity truth = similarity_between<float, float>(model.shape.mean, set.landmarks(example));
  const double wide = number % 4 == 3 ? wide_start : 1.0;
  const Displacement by{wide * settings.start_shift, wide * settings.start_scale, wide * settings.start_turn};
  CascadeSample sample;
  sample.example = example;
  sample.pose = displaced_pose(truth, set.landmarks(example), by, settings.seed, named, number);
  sample.shape.assign(model.shape.mean.begin(), model.shape.mean.end());
  return sample;
}

std::vector<Frame> cascade_frames(const ShapeModel& shape) {
  std::vector<Frame> frames;
  for (std::size_t i = 0; i < std::size(cascade_scales); ++i)
    frames.push_back(frame_about(shape.mean, cascade_scales[i], cascade_margins[i]));
  return frames;
}

std::uint32_t frame_of_stage(std::uint32_t k, std::uint32_t n) {
  constexpr auto last = static_cast<std::uint32_t>(std::size(cascade_scales)) - 1;
  return n <= 1 ? last : (2 * k * last + n - 1) / (2 * (n - 1));
}

void enter_frame(const Model& model, CascadeSample& sample) {
  const std::vector<float> landmarks = transformed<float>(sample.pose, sample.shape);
  sample.pose = similarity_between<float, float>(model.shape.mean, landmarks);
  sample.shape = transformed<float>(inverse(sample.pose), landmarks);
}

void displacement_to(const Model& model, std::span<const float> landmarks, const CascadeSample& sample, float* out) {
  const std::vector<float> truth = transformed<float>(inverse(sample.pose), landmarks);
  const auto along = [&](std::span<const float> mode) {
    double sum = 0;
    for (std::size_t i = 0; i < mode.size(); ++i) sum += double{mode[i]} * (double{truth[i]} - sample.shape[i]);
    return static_cast<float>(sum);
  };
  for (std::size_t k = 0; k < 4; ++k) *out++ = along(model.pose_modes.row(k));
  for (std::size_t k = 0; k < model.shape.modes.rows; ++k) *out++ = along(model.shape.modes.row(k));
}

void displace(const Model& model, const float* dq, std::vector<float>& shape) {
  const auto add = [&](std::span<const float> mode, float by) {
    for (std::size_t i = 0; i < mode.size(); ++i) shape[i] += by * mode[i];
  };
  for (std::size_t k = 0; k < 4; ++k) add(model.pose_modes.row(k), *dq++);
  for (std::size_t k = 0; k < model.shape.modes.rows; ++k) add(model.shape.modes.row(k), *dq++);
}

}  // namespace kinema::face
