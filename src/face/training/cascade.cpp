#include "face/training/cascade.h"

#include "face/constants.h"
#include "face/model/orientation_bins.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"
#include "kinema/error.h"

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

// As many folds as the examples can fill.
int folds_of(const TrainingSet& set) {
  const std::size_t originals = set.original(set.size() - 1) + 1;
  return originals >= 8 ? 4 : originals >= 4 ? 2 : 1;
}

std::vector<int> folds_of(const std::vector<CascadeSample>& samples) {
  std::vector<int> folds;
  folds.reserve(samples.size());
  for (const CascadeSample& sample : samples) folds.push_back(sample.fold);
  return folds;
}

struct Observed {
  RowMatrix textures, targets;
};

// What a stage sees of all samples, and what it should predict. `enters`: its frame is not that of the stage before.
Observed observe(const TrainingSet& set, const Model& model, const Cascade& cascade, const CascadeStage& stage,
                 bool enters, std::vector<CascadeSample>& samples, const Threads& threads) {
  const Frame& frame = cascade.frames[stage.frame];
  const std::size_t inputs = model.shape.landmarks() * (stage.offsets.size() / 2) * cascade.bins;
  const auto rows = static_cast<Eigen::Index>(samples.size());
  Observed result{RowMatrix(rows, static_cast<Eigen::Index>(inputs)),
                  RowMatrix(rows, static_cast<Eigen::Index>(4 + model.shape.modes.rows))};
  threads.for_each(samples.size(), [&](std::size_t i) {
    CascadeSample& sample = samples[i];
    if (enters) enter_frame(model, sample);
    Channels grey;
    OrientationBins bins;
    resample(set.image(sample.example), sample.pose, frame, grey);
    orientation_bins(grey, cascade.bins, bins);
    const auto row = static_cast<Eigen::Index>(i);
    landmark_texture(bins, frame, stage.offsets, sample.shape, {result.textures.row(row).data(), inputs});
    displacement_to(model, set.landmarks(sample.example), sample, result.targets.row(row).data());
  });
  return result;
}

void displace(const Model& model, const RowMatrix& predictions, std::vector<CascadeSample>& samples) {
  for (std::size_t i = 0; i < samples.size(); ++i)
    displace(model, predictions.row(static_cast<Eigen::Index>(i)).data(), samples[i].shape);
}

CascadeStage with(CascadeStage stage, const RowMatrix& weights, const Eigen::VectorXf& constant) {
  stage.gradient = matrix_of(weights);
  stage.constant = std::vector<float>(constant.data(), constant.data() + constant.size());
  return stage;
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
  const int folds = folds_of(set);
  if (folds > 1 && settings.quality) result.without.assign(static_cast<std::size_t>(folds), cascade);
  std::vector<CascadeSample> samples = starts(set, model, settings, folds);
  const std::vector<int> parts = folds_of(samples);
  for (std::uint32_t k = 0; k < settings.cascade_stages; ++k) {
    CascadeStage stage;
    stage.frame = frame_of_stage(k, settings.cascade_stages);
    stage.offsets = ring_offsets(cascade_radii, cascade_counts);
    const bool enters = k == 0 || cascade.stages.back().frame != stage.frame;
    Observed observed = observe(set, model, cascade, stage, enters, samples, threads);
    if (progress) progress((k + 0.4) / settings.cascade_stages);

    const std::span<const double> penalties = settings.penalty > 0 ? std::span<const double>(&settings.penalty, 1)
                                                                   : std::span<const double>(cascade_penalties);
    const Ridge ridge =
        ridge_regression(observed.textures, observed.targets, parts, penalties, threads, settings.quality);
    displace(model, ridge.held_out, samples);
    for (std::size_t f = 0; f < ridge.without.size(); ++f)
      result.without[f].stages.push_back(with(stage, ridge.without[f].weights, ridge.without[f].constant));
    cascade.stages.push_back(with(stage, ridge.weights, ridge.constant));
    if (progress) progress((k + 1.0) / settings.cascade_stages);
  }
  return result;
}

Cascade refine_cascade(const TrainingSet& set, const Model& model, const TrainSettings& settings,
                       const Threads& threads, const std::function<void(double)>& progress) {
  Cascade cascade = model.cascade;
  std::vector<CascadeSample> samples = starts(set, model, settings, folds_of(set));
  const std::vector<int> parts = folds_of(samples);
  for (std::size_t k = 0; k < cascade.stages.size(); ++k) {
    CascadeStage& stage = cascade.stages[k];
    const bool enters = k == 0 || cascade.stages[k - 1].frame != stage.frame;
    Observed observed = observe(set, model, cascade, stage, enters, samples, threads);
    const Eigen::Map<const Eigen::VectorXf> constant(stage.constant.data(), observed.targets.cols());
    const RowMatrix known = (observed.textures * rows_of(stage.gradient).transpose()).rowwise() + constant.transpose();
    const Ridge ridge = ridge_regression(observed.textures, observed.targets - known, parts, refine_penalties, threads);
    displace(model, known + ridge.held_out, samples);
    stage = with(stage, rows_of(stage.gradient) + ridge.weights, constant + ridge.constant);
    if (progress) progress(static_cast<double>(k + 1) / static_cast<double>(cascade.stages.size()));
  }
  return cascade;
}

void check_refinable(const Model& model) {
  if (model.cascade.stages.empty() || model.sequence.empty() || model.sequence.front().method != Method::cascade)
    throw Error("a model without a cascade cannot be refined; train one with a cascade");
}

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
  for (std::size_t k = 0; k < 4 + model.shape.modes.rows; ++k) {
    const auto mode = mode_of(model, k);
    double sum = 0;
    for (std::size_t i = 0; i < mode.size(); ++i) sum += double{mode[i]} * (double{truth[i]} - sample.shape[i]);
    out[k] = static_cast<float>(sum);
  }
}

void displace(const Model& model, const float* dq, std::vector<float>& shape) {
  for (std::size_t k = 0; k < 4 + model.shape.modes.rows; ++k) {
    const auto mode = mode_of(model, k);
    for (std::size_t i = 0; i < mode.size(); ++i) shape[i] += dq[k] * mode[i];
  }
}

}  // namespace kinema::face
