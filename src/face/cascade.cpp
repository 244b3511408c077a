#include "face/cascade.h"

#include "face/constants.h"
#include "face/similarity.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinema::face {
namespace {

// The frame used by stage k of n: spread over all of them.
std::uint32_t frame_of_stage(std::uint32_t k, std::uint32_t n) {
  constexpr auto last = static_cast<std::uint32_t>(std::size(cascade_scales)) - 1;
  return n <= 1 ? last : (2 * k * last + n - 1) / (2 * (n - 1));
}

// A displaced start of an example during the cascade.
struct Sample {
  std::uint32_t example = 0;
  int fold = 0;
  Similarity pose;           // the frame's
  std::vector<float> shape;  // under that pose, in the model's unit
};

// dq of the target: [pose_modes; modes] (to - from).
void project(const Model& model, std::span<const float> from, std::span<const float> to, float* out) {
  const auto along = [&](std::span<const float> mode) {
    double sum = 0;
    for (std::size_t i = 0; i < mode.size(); ++i) sum += double{mode[i]} * (double{to[i]} - from[i]);
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

// The pose of a frame is that of the current shape.
void enter_frame(const Model& model, Sample& sample) {
  const std::vector<float> landmarks = transformed<float>(sample.pose, sample.shape);
  sample.pose = similarity_between<float, float>(model.shape.mean, landmarks);
  sample.shape = transformed<float>(inverse(sample.pose), landmarks);
}

std::vector<Sample> starts(const TrainingSet& set, const Model& model, const TrainSettings& settings, int folds) {
  std::vector<Sample> samples;
  const std::uint32_t copies = std::max<std::uint32_t>(1, settings.displacements);
  for (int fold = 0; fold < folds; ++fold)
    for (std::uint32_t i = 0; i < set.size(); ++i) {
      if (fold_of(set, i, static_cast<std::size_t>(folds)) != fold) continue;
      const Similarity truth = similarity_between<float, float>(model.shape.mean, set.landmarks(i));
      for (std::uint32_t d = 0; d < copies; ++d) {
        // some starts far off, to be robust against any detector
        const double wide = d % 4 == 3 ? wide_start : 1.0;
        const Displacement by{wide * settings.start_shift, wide * settings.start_scale, wide * settings.start_turn};
        Sample sample;
        sample.example = i;
        sample.fold = fold;
        sample.pose = displaced_pose(truth, set.landmarks(i), by, settings.seed, i, d);
        sample.shape.assign(model.shape.mean.begin(), model.shape.mean.end());
        samples.push_back(std::move(sample));
      }
    }
  return samples;
}

}  // namespace

void landmark_texture(const Channels& bins, const Frame& frame, std::span<const float> offsets,
                      std::span<const float> shape, std::span<float> texture) {
  float* out = texture.data();
  for (std::size_t i = 0; i + 1 < shape.size(); i += 2) {
    const float x = frame.scale * shape[i] + frame.x, y = frame.scale * shape[i + 1] + frame.y;
    for (std::size_t k = 0; k + 1 < offsets.size(); k += 2, out += bins.count)
      sample(bins, x + offsets[k], y + offsets[k + 1], out);
  }
}

std::vector<float> ring_offsets(std::span<const float> radii, std::span<const int> counts) {
  std::vector<float> offsets = {0, 0};
  for (std::size_t ring = 0; ring < radii.size(); ++ring)
    for (int i = 0; i < counts[ring]; ++i) {
      const double angle = 2 * std::numbers::pi * (i + (ring % 2 == 1 ? 0.5 : 0.0)) / counts[ring];
      offsets.push_back(static_cast<float>(radii[ring] * std::cos(angle)));
      offsets.push_back(static_cast<float>(radii[ring] * std::sin(angle)));
    }
  return offsets;
}

CascadeTraining train_cascade(const TrainingSet& set, const Model& model, const TrainSettings& settings,
                              const Threads& threads, const std::function<void(double)>& progress) {
  CascadeTraining result;
  Cascade& cascade = result.cascade;
  cascade.frames.reserve(std::size(cascade_scales));
  for (std::size_t i = 0; i < std::size(cascade_scales); ++i)
    cascade.frames.push_back(frame_about(model.shape.mean, cascade_scales[i], cascade_margins[i]));

  // as many folds as the examples can fill
  const std::size_t originals = set.original(set.size() - 1) + 1;
  const int folds = originals >= 8 ? 4 : originals >= 4 ? 2 : 1;
  if (folds > 1 && settings.quality) result.without.assign(static_cast<std::size_t>(folds), cascade);
  std::vector<Sample> samples = starts(set, model, settings, folds);
  std::vector<int> parts;
  parts.reserve(samples.size());
  for (const Sample& sample : samples) parts.push_back(sample.fold);

  const std::size_t outputs = 4 + model.shape.modes.rows;
  const std::size_t landmarks = model.shape.landmarks();
  for (std::uint32_t k = 0; k < settings.cascade_stages; ++k) {
    CascadeStage stage;
    stage.frame = frame_of_stage(k, settings.cascade_stages);
    const std::vector<float> offsets = ring_offsets(cascade_radii, cascade_counts);
    const Frame& frame = cascade.frames[stage.frame];
    const bool enters = k == 0 || cascade.stages.back().frame != stage.frame;
    const std::size_t inputs = landmarks * (offsets.size() / 2) * cascade.bins;

    RowMatrix textures(static_cast<Eigen::Index>(samples.size()), static_cast<Eigen::Index>(inputs));
    RowMatrix targets(static_cast<Eigen::Index>(samples.size()), static_cast<Eigen::Index>(outputs));
    threads.for_each(samples.size(), [&](std::size_t i) {
      Sample& sample = samples[i];
      if (enters) enter_frame(model, sample);
      Channels grey, bins;
      resample(set.image(sample.example), sample.pose, frame, grey);
      orientation_bins(grey, cascade.bins, bins);
      const auto row = static_cast<Eigen::Index>(i);
      landmark_texture(bins, frame, offsets, sample.shape, {textures.row(row).data(), inputs});
      const std::vector<float> truth = transformed<float>(inverse(sample.pose), set.landmarks(sample.example));
      project(model, sample.shape, truth, targets.row(row).data());
    });
    if (progress) progress((k + 0.4) / settings.cascade_stages);

    Ridge ridge = ridge_regression(textures, targets, parts, cascade_penalties, threads, settings.quality);
    for (std::size_t i = 0; i < samples.size(); ++i)
      displace(model, ridge.held_out.row(static_cast<Eigen::Index>(i)).data(), samples[i].shape);

    stage.offsets = offsets;
    const auto with = [&](const RowMatrix& weights, const Eigen::VectorXf& constant) {
      CascadeStage made = stage;
      made.gradient = {outputs, inputs, std::vector<float>(weights.data(), weights.data() + weights.size())};
      made.constant = std::vector<float>(constant.data(), constant.data() + constant.size());
      return made;
    };
    for (std::size_t f = 0; f < ridge.without.size(); ++f)
      result.without[f].stages.push_back(with(ridge.without[f].weights, ridge.without[f].constant));
    cascade.stages.push_back(with(ridge.weights, ridge.constant));
    if (progress) progress((k + 1.0) / settings.cascade_stages);
  }
  return result;
}

}  // namespace kinema::face
