// Training: shape, then the cascade, then appearance level by level, then the reliability of the result.
#include "core/threads.h"
#include "face/constants.h"
#include "face/model/raster.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"
#include "face/training/appearance.h"
#include "face/training/cascade.h"
#include "face/training/held_out.h"
#include "face/training/training_set.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <utility>

namespace kinema::face {
namespace {

constexpr std::size_t least_pixels = 64, most_pixels = 1u << 22;

void check_settings(const TrainSettings& settings) {
  if (settings.pixels < least_pixels || settings.pixels > most_pixels)
    throw Error(fmt::format("pixels is {}; give {} to {}", settings.pixels, least_pixels, most_pixels));
  if (settings.levels < 1 || settings.levels > 8 || (settings.pixels >> (2 * (settings.levels - 1))) < least_pixels)
    throw Error(
        fmt::format("levels is {}; each has a quarter of the pixels of the one before, and the last of {} "
                    "pixels must keep {}",
                    settings.levels, settings.pixels, least_pixels));
  for (const auto& [name, share] :
       {std::pair{"shape_variance", settings.shape_variance}, std::pair{"texture_variance", settings.texture_variance},
        std::pair{"combined_variance", settings.combined_variance}})
    if (!(share > 0) || share > 1) throw Error(fmt::format("{} is {}; give a share above 0, at most 1", name, share));
  if (!settings.resampled && settings.features != Features::intensity)
    throw Error("features other than intensity are computed on a frame; leave resampled on");
  if (settings.threads < 0)
    throw Error(fmt::format("threads is {}; give 0 for one per core, or more", settings.threads));
  if (settings.cascade_stages > 32)
    throw Error(fmt::format("cascade_stages is {}; give at most 32", settings.cascade_stages));
  if (settings.displacements > 1000)
    throw Error(fmt::format("displacements is {}; give at most 1000", settings.displacements));
  for (const auto& [name, value] : {std::pair{"penalty", settings.penalty}, std::pair{"prior", settings.prior}})
    if (!(value >= 0) || value > 1e6) throw Error(fmt::format("{} is {}; give 0 to 1000000", name, value));
  for (const auto& [name, value] :
       {std::pair{"start_shift", settings.start_shift}, std::pair{"start_scale", settings.start_scale},
        std::pair{"start_turn", settings.start_turn}})
    if (!(value >= 0) || value > 1) throw Error(fmt::format("{} is {}; give 0 to 1", name, value));
}

void check_layout(const Layout& layout, std::size_t landmarks) {
  const auto inside = [&](int point) { return point >= 0 && static_cast<std::size_t>(point) < landmarks; };
  if (!layout.mirror.empty() && layout.mirror.size() != landmarks)
    throw Error(fmt::format("layout: mirrors of {} landmarks, but {} are labelled", layout.mirror.size(), landmarks));
  for (const int point : layout.mirror)
    if (!inside(point)) throw Error(fmt::format("layout: mirror landmark {} of {}", point, landmarks));
  for (const auto& group : layout.groups)
    for (const int point : group.points)
      if (!inside(point))
        throw Error(fmt::format("layout: group {} names landmark {} of {}", group.name, point, landmarks));
  for (const auto& triangle : layout.triangles)
    for (const int point : triangle)
      if (!inside(point)) throw Error(fmt::format("layout: a triangle names landmark {} of {}", point, landmarks));
  if (layout.triangles.size() > 65535)
    throw Error(fmt::format("layout: {} triangles; at most 65535", layout.triangles.size()));
  for (const int point : layout.outer_eyes)
    if (point != -1 && !inside(point)) throw Error(fmt::format("layout: outer eye corner {} of {}", point, landmarks));
}

// The bounding box of the landmarks, relative to the face.
BoxPlacement landmark_box(std::span<const float> mean) {
  float left = mean[0], right = left, top = mean[1], bottom = top;
  for (std::size_t i = 0; i + 1 < mean.size(); i += 2) {
    left = std::min(left, mean[i]), right = std::max(right, mean[i]);
    top = std::min(top, mean[i + 1]), bottom = std::max(bottom, mean[i + 1]);
  }
  const float size = std::sqrt((right - left) * (bottom - top));
  return {-(left + right) / 2 / size, -(top + bottom) / 2 / size, 1 / size};
}

// The cascade finds the face, and an inverse compositional fit refines it: on edges, at about 4,096 pixels, it reduces
// the error by a seventh; finer levels cost more than they gain, and a prior of 30 is the best between 10 and 300.
// Intensity gains nothing there.
std::vector<Stage> default_sequence(const Model& model, const TrainSettings& settings) {
  const float prior = settings.prior > 0 ? static_cast<float>(settings.prior) : last_stage_prior;
  std::vector<Stage> sequence;
  if (!model.cascade.stages.empty()) {
    sequence.push_back({Method::cascade, 0, 0, 0});
    std::size_t level = model.levels.size() - 1;
    while (level > 0 && model.levels[level].pixels() < last_stage_pixels) --level;
    if (model.levels[level].features != Features::intensity && model.shape.modes.rows > 0)
      sequence.push_back({Method::simultaneous, static_cast<std::uint32_t>(level), 10, prior});
    return sequence;
  }
  for (std::size_t l = model.levels.size(); l-- > 0;) {
    const auto level = static_cast<std::uint32_t>(l);
    if (model.levels[l].gradient.rows > 0)
      sequence.push_back({Method::combined, level, 10, 0});
    else
      sequence.push_back({Method::simultaneous, level, 10, prior});
  }
  return sequence;
}

using Tell = std::function<void(std::string_view stage, double done)>;

Tell teller(const TrainSettings& settings) {
  return [&settings](std::string_view stage, double done) {
    if (settings.progress) settings.progress(stage, done);
  };
}

// shares of the progress when a part ends
constexpr double cascade_share = 0.5, appearance_share = 0.8;

// Of the examples of a stream that teach the probability of failure.
constexpr std::size_t stream_quality_folds = 4;

// A model with its shape, still without textures.
Model shaped(const TrainingSet& set, std::size_t examples, const Layout& layout, const TrainSettings& settings) {
  Model model;
  model.layout = layout;
  model.examples = static_cast<std::uint32_t>(examples);
  model.mirrored = settings.mirrored;
  const AlignedShapes shapes = procrustes(set.shapes());
  model.pose_modes = pose_modes(shapes.mean);
  model.shape = shape_model(shapes, model.pose_modes, settings.shape_variance, settings.shape_modes);
  model.landmark_box = landmark_box(model.shape.mean);
  for (const auto& t : layout.triangles)
    model.triangles.push_back(
        {static_cast<std::uint16_t>(t[0]), static_cast<std::uint16_t>(t[1]), static_cast<std::uint16_t>(t[2])});
  if (model.triangles.empty()) model.triangles = delaunay(shapes.mean);
  if (model.triangles.empty()) throw Error("the mean shape has no area; label points that do not lie on one line");
  return model;
}

// The appearance, level by level, and the default sequence.
void add_levels(Model& model, const TrainingSet& set, const TrainSettings& settings, const Threads& threads,
                const Tell& tell) {
  for (std::uint32_t l = 0; l < settings.levels; ++l) {
    const auto told = [&](std::string_view stage, double done) {
      // the finest takes three quarters of the time
      const double before = l == 0 ? 0 : 1 - std::pow(0.25, l), share = std::pow(0.25, l) * 0.75;
      tell(stage, cascade_share + (appearance_share - cascade_share) * std::min(1.0, before + share * done));
    };
    told("textures", 0);
    Level level;
    level.features = settings.features;
    level.photometric = settings.features == Features::intensity;
    level.resampled = settings.resampled;
    rasterise(level, model.shape.mean, model.triangles, settings.pixels >> (2 * l));
    if (level.resampled) level.frame = frame_about(model.shape.mean, level.scale, frame_margin);
    const LevelData data = train_textures(level, set, model, settings, threads);
    if (settings.gradient != TrainSettings::Gradient::none) {
      told("combined model", 0.3);
      train_combined(level, data, model, settings, threads);
      told("gradient", 0.4);
      if (settings.gradient == TrainSettings::Gradient::derivative)
        train_gradient_by_derivative(level, data, model, threads);
      else
        train_gradient_by_regression(level, data, model, settings, threads);
    }
    if (settings.project_out) {
      told("project-out", 0.9);
      train_project_out(level, model, threads);
    }
    model.levels.push_back(std::move(level));
  }
  model.sequence = default_sequence(model, settings);
}

// Examples as the score learns from them: as they are, or with noise where photographs will differ from them.
class JudgedExamples {
public:
  JudgedExamples(std::span<const Example> examples, const Layout& layout, const TrainSettings& settings,
                 const Threads& threads)
      : noisy_(settings.penalty > 0 ? with_noise(examples, layout, settings.seed, threads)
                                    : std::vector<OwnedExample>()),
        views_(views_of(noisy_)),
        set_(noisy_.empty() ? examples : std::span<const Example>(views_), layout, settings.mirrored) {}

  const TrainingSet& set() const { return set_; }

private:
  std::vector<OwnedExample> noisy_;
  std::vector<Example> views_;
  TrainingSet set_;
};

// The quality of a model, from fits of examples by models that have not seen them.
void add_quality(Model& model, std::span<const Example> examples, std::vector<Model> models,
                 const TrainSettings& settings, const Threads& threads, const Tell& tell, double begin) {
  tell("held-out fits", begin);
  const JudgedExamples judged(examples, model.layout, settings, threads);
  const HeldOut held_out = held_out_fits(judged.set(), std::move(models), settings);
  tell("quality", begin + 0.75 * (1 - begin));
  model.quality = train_quality(judged.set(), model, held_out, settings.penalty > 0, threads);
}

// The same from `count` examples of a stream, with numbers that nothing else takes.
void add_quality(Model& model, const ExampleStream& stream, std::uint32_t count, const TrainSettings& settings,
                 const Threads& threads, const Tell& tell, double begin) {
  const ExampleBatch batch(stream, std::uint32_t{1} << 30, count, model.layout, false, threads);
  add_quality(model, batch.examples, std::vector<Model>(stream_quality_folds, model), settings, threads, tell, begin);
}

}  // namespace

Model train(std::span<const Example> examples, const Layout& layout, const TrainSettings& settings) {
  check_settings(settings);
  if (!examples.empty()) check_layout(layout, examples.front().landmarks.size() / 2);
  const TrainingSet set(examples, layout, settings.mirrored);
  const Threads threads(settings.threads);
  const Tell tell = teller(settings);
  tell("shape", 0);
  Model model = shaped(set, examples.size(), layout, settings);
  std::vector<Cascade> without;
  if (settings.cascade_stages > 0 && settings.displacements > 0) {
    CascadeTraining training = train_cascade(
        set, model, settings, threads, [&](double done) { tell("cascade", 0.01 + (cascade_share - 0.01) * done); });
    model.cascade = std::move(training.cascade);
    without = std::move(training.without);
  }
  add_levels(model, set, settings, threads, tell);
  if (settings.quality && examples.size() >= 8 && !without.empty())
    add_quality(model, examples, models_without(examples, model, without, settings, threads), settings, threads, tell,
                appearance_share);
  tell("done", 1);
  check(model);
  return model;
}

Model train(const ExampleStream& stream, std::uint32_t count, const Layout& layout, const TrainSettings& settings) {
  check_settings(settings);
  const Threads threads(settings.threads);
  const Tell tell = teller(settings);
  tell("shape", 0);
  const std::uint32_t seen = std::min<std::uint32_t>(count, stream_appearance);
  Model model;
  {
    const ExampleBatch batch(stream, 0, seen, layout, settings.mirrored, threads);
    check_layout(layout, batch.examples.front().landmarks.size() / 2);
    model = shaped(batch.set, count, layout, settings);
    add_levels(model, batch.set, settings, threads, [&](std::string_view stage, double done) {
      tell(stage, 0.1 * (done - cascade_share) / (appearance_share - cascade_share));
    });
  }
  if (settings.cascade_stages > 0 && settings.displacements > 0)
    model.cascade = train_cascade(stream, seen, count, model, settings, threads,
                                  [&](double done) { tell("cascade", 0.1 + 0.7 * done); });
  model.sequence = default_sequence(model, settings);
  if (settings.quality && !model.cascade.stages.empty()) {
    const std::uint32_t judges = std::min<std::uint32_t>(std::max<std::uint32_t>(count, 8), stream_quality);
    add_quality(model, stream, judges, settings, threads, tell, appearance_share);
  }
  tell("done", 1);
  check(model);
  return model;
}

Model train_score(const Model& model, const ExampleStream& stream, std::uint32_t count, const TrainSettings& settings) {
  check_settings(settings);
  if (model.cascade.stages.empty()) throw Error("the model to score has no cascade; train one with cascade stages");
  if (count < 8) throw Error(fmt::format("{} examples; a score is learned from 8 at least", count));
  const Threads threads(settings.threads);
  const Tell tell = teller(settings);
  Model scored = model;
  add_quality(scored, stream, count, settings, threads, tell, 0);
  tell("done", 1);
  check(scored);
  return scored;
}

}  // namespace kinema::face
