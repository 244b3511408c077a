#include "face/cascade.h"

#include "face/cascade_sample.h"
#include "face/constants.h"
#include "face/orientation_bins.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinema::face {
namespace {

std::vector<CascadeSample> starts(const TrainingSet& set, const Model& model, const TrainSettings& settings,
                                  int folds) {
  std::vector<CascadeSample> samples;
  const std::uint32_t copies = std::max<std::uint32_t>(1, settings.displacements);
  for (int fold = 0; fold < folds; ++fold)
    for (std::uint32_t i = 0; i < set.size(); ++i) {
      if (fold_of(set, i, static_cast<std::size_t>(folds)) != fold) continue;
      for (std::uint32_t d = 0; d < copies; ++d) {
        samples.push_back(cascade_start(set, model, settings, i, i, d));
        samples.back().fold = fold;
      }
    }
  return samples;
}

}  // namespace

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
  cascade.frames = cascade_frames(model.shape);

  // as many folds as the examples can fill
  const std::size_t originals = set.original(set.size() - 1) + 1;
  const int folds = originals >= 8 ? 4 : originals >= 4 ? 2 : 1;
  if (folds > 1 && settings.quality) result.without.assign(static_cast<std::size_t>(folds), cascade);
  std::vector<CascadeSample> samples = starts(set, model, settings, folds);
  std::vector<int> parts;
  parts.reserve(samples.size());
  for (const CascadeSample& sample : samples) parts.push_back(sample.fold);

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
      CascadeSample& sample = samples[i];
      if (enters) enter_frame(model, sample);
      Channels grey;
      OrientationBins bins;
      resample(set.image(sample.example), sample.pose, frame, grey);
      orientation_bins(grey, cascade.bins, bins);
      const auto row = static_cast<Eigen::Index>(i);
      landmark_texture(bins, frame, offsets, sample.shape, {textures.row(row).data(), inputs});
      displacement_to(model, set.landmarks(sample.example), sample, targets.row(row).data());
    });
    if (progress) progress((k + 0.4) / settings.cascade_stages);

    const std::span<const double> penalties = settings.penalty > 0 ? std::span<const double>(&settings.penalty, 1)
                                                                   : std::span<const double>(cascade_penalties);
    Ridge ridge = ridge_regression(textures, targets, parts, penalties, threads, settings.quality);
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
