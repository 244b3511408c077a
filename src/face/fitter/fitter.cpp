#include "core/colour_view.h"
#include "core/cuda/device.h"
#include "face/chain/fit_state.h"
#include "face/constants.h"
#include "face/fitter/fitter_backends.h"
#include "face/fitter/quality.h"
#include "face/model/shape.h"
#include "face/model/similarity.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinema::face {
namespace {

void check_settings(const FitSettings& settings) {
  if (settings.damping.empty()) throw Error("damping: no factor; give at least one, such as 1");
  for (const float factor : settings.damping)
    if (!(factor > 0) || factor > 2)
      throw Error(fmt::format("damping: a factor of {}; give 0 to 2, 0 excluded", factor));
  if (std::isnan(settings.threshold)) throw Error("threshold is not a number");
  if (!(settings.limit >= 0)) throw Error(fmt::format("limit is {}; give 0 for none, or more", settings.limit));
  if (settings.starts < 1 || settings.starts > 64)
    throw Error(fmt::format("starts is {}; give 1 to 64", settings.starts));
}

}  // namespace

Backend Fitter::backend() const {
  const std::vector<PlacedStage> all = stages();
  const auto on_device = [](const PlacedStage& placed) { return placed.backend == Backend::cuda; };
  if (std::any_of(all.begin(), all.end(), on_device)) return Backend::cuda;
  return all.empty() ? Backend::cpu : all.front().backend;
}

std::vector<PlacedStage> placed_on(Backend backend, const std::vector<Stage>& stages) {
  std::vector<PlacedStage> placed;
  placed.reserve(stages.size());
  for (const Stage& stage : stages) placed.push_back({stage, backend});
  return placed;
}

void Fitter::fit(std::span<const Face> faces, std::span<Fit> out) {
  if (out.size() != faces.size()) throw Error(fmt::format("room for {} fits, but {} faces", out.size(), faces.size()));
  for (std::size_t i = 0; i < faces.size(); ++i) out[i] = fit(faces[i]);
}

std::vector<Stage> stages_of(const Model& model, const FitSettings& settings) {
  check_settings(settings);
  const std::vector<Stage> stages = settings.stages.empty() ? model.sequence : settings.stages;
  if (stages.empty()) throw Error("stages: none given, and the model names none");
  for (const Stage& stage : stages) {
    if (stage.method == Method::cascade) {
      if (model.cascade.stages.empty()) throw Error("stages: the model has no cascade; train one with cascade stages");
      continue;
    }
    if (stage.level >= model.levels.size())
      throw Error(fmt::format("stages: level {} of a model with {}", stage.level, model.levels.size()));
    const Level& level = model.levels[stage.level];
    if (stage.method == Method::combined && level.gradient.rows == 0)
      throw Error(fmt::format("stages: level {} has no combined model; train it with a gradient", stage.level));
    if (stage.method == Method::project_out && level.project_out.rows == 0)
      throw Error(fmt::format("stages: level {} has no project-out matrix; train it with one", stage.level));
    if (!(stage.prior >= 0)) throw Error(fmt::format("stages: a prior of {}; give 0 or more", stage.prior));
  }
  return stages;
}

void check_face(const Face& face, bool device_allowed, bool colour_allowed) {
  if (face.colour.data != nullptr) {
    if (!colour_allowed) throw Error("the image is in colour; this fitter takes grey ones");
    if (face.colour.on_device) throw Error("a colour image must lie in host memory");
    check_pixels(face.colour);
    return;
  }
  if (face.image.data == nullptr || face.image.width == 0 || face.image.height == 0)
    throw Error("the image has no pixels");
  if (face.image.stride < face.image.width)
    throw Error(fmt::format("the image has a stride of {} for rows of {} pixels", face.image.stride, face.image.width));
  if (face.on_device && !device_allowed) throw Error("the image lies on the device; only the cuda backend takes such");
}

void score(const Model& model, const GreyView& image, Fit& fit, const Threads* threads) {
  if (model.quality.weights.empty()) {
    fit.quality = 1 / (1 + std::max(0.0, fit.error));
    return;
  }
  FitQuality of = fit_quality(model, image, fit, threads);
  fit.failure = of.failure;
  fit.quality = 1 - of.failure;
  fit.confidence = std::move(of.confidence);
}

Fit fit_again(Fitter& fitter, const Model& model, const Face& face, double doubtful) {
  Fit best = fitter.fit(face);
  fit_doubtful_again(fitter, model, {&face, 1}, {&best, 1}, doubtful);
  return best;
}

void fit_doubtful_again(Fitter& fitter, const Model& model, std::span<const Face> faces, std::span<Fit> fits,
                        double doubtful) {
  // a device runs all attempts at once; elsewhere those that an earlier one makes needless are left out
  const int together = fitter.backend() == Backend::cuda ? further_starts : 1;
  std::vector<Similarity> ends;  // of the first fits, which are often half-way
  for (const Fit& fit : fits) ends.push_back(fit.pose);
  for (int first = 0; first < further_starts; first += together) {
    std::vector<Face> others;
    std::vector<std::size_t> owners;
    for (std::size_t i = 0; i < faces.size(); ++i) {
      if (fits[i].confidence.empty() || !(fits[i].failure > doubtful)) continue;
      const Similarity start = start_pose(model, faces[i].start);
      for (int attempt = first; attempt < std::min(further_starts, first + together); ++attempt) {
        Face other{faces[i].image, {}, faces[i].on_device, faces[i].colour};
        other.start.similarity = attempt == 0 ? ends[i] : spread_start(model, start, attempt);
        others.push_back(std::move(other));
        owners.push_back(i);
      }
    }
    if (others.empty()) return;
    std::vector<Fit> tried(others.size());
    fitter.fit(others, tried);
    // in the order of the attempts, as far as they are needed
    for (std::size_t k = 0; k < tried.size(); ++k) {
      Fit& best = fits[owners[k]];
      if (best.failure > doubtful && tried[k].failure < best.failure) best = std::move(tried[k]);
    }
  }
}

namespace {

std::unique_ptr<Fitter> make_one(std::shared_ptr<const Model> model, const FitSettings& settings,
                                 const Compute& compute) {
  switch (compute.backend) {
    case Backend::reference:
      return make_reference_fitter(std::move(model), settings);
    case Backend::cuda:
      return make_cuda_fitter(std::move(model), settings, compute.threads);
    default:
      return make_cpu_fitter(std::move(model), settings, compute.threads);
  }
}

}  // namespace

std::unique_ptr<Fitter> make_fitter(std::shared_ptr<const Model> model, const FitSettings& settings,
                                    const Compute& compute) {
  if (!model) throw Error("no model");
  stages_of(*model, settings);
  const Compute chosen = choose(compute);
  const auto make = [model, settings, chosen] {
    if (chosen.devices.empty()) return make_one(model, settings, chosen);
    return make_devices_fitter(chosen, [model, settings, chosen](int device) {
      if (chosen.backend == Backend::cuda) cuda::use_device(device);
      return make_one(model, settings, chosen);
    });
  };
  // a GPU that was asked for by name is wanted, and its failure is an error
  if (compute.backend != Backend::automatic || chosen.backend != Backend::cuda || !chosen.losses) return make();
  return make_fallback_fitter(chosen, make, [model = std::move(model), settings, threads = chosen.threads] {
    return make_one(model, settings, {Backend::cpu, threads});
  });
}

}  // namespace kinema::face
