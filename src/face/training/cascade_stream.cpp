
#include "face/chain/ordered_product.h"
#include "face/constants.h"
#include "face/model/linear.h"
#include "face/model/orientation_bins.h"
#include "face/training/cascade.h"

#include <algorithm>
#include <cmath>

namespace kinema::face {
namespace {

// The texture of a sample in a frame. The frame's features are kept while the sample stays in it.
struct View {
  Channels grey;
  OrientationBins bins;
  std::uint32_t frame = 0;
  bool entered = false;
};

void read_texture(const GreyView& image, const Model& model, const Cascade& cascade, const CascadeStage& stage,
                  View& view, CascadeSample& sample, std::span<float> texture) {
  const Frame& frame = cascade.frames[stage.frame];
  if (!view.entered || view.frame != stage.frame) {
    enter_frame(model, sample);
    resample(image, sample.pose, frame, view.grey);
    orientation_bins(view.grey, cascade.bins, view.bins);
    view.frame = stage.frame;
    view.entered = true;
  }
  landmark_texture(view.bins, frame, stage.offsets, sample.shape, texture);
}

struct Samples {
  RowMatrix textures, targets;
};

// What a stage sees of a batch after the stages before it, and what it should predict.
Samples samples_of(const ExampleBatch& batch, std::uint32_t first, const Model& model, const Cascade& before,
                   const CascadeStage& stage, const TrainSettings& settings, const Threads& threads) {
  const TrainingSet& set = batch.set;
  const std::size_t copies = std::max<std::size_t>(1, settings.displacements), outputs = 4 + model.shape.modes.rows;
  const std::size_t inputs = model.shape.landmarks() * (stage.offsets.size() / 2) * before.bins;
  const auto rows = static_cast<Eigen::Index>(set.size() * copies);
  Samples result{RowMatrix(rows, static_cast<Eigen::Index>(inputs)),
                 RowMatrix(rows, static_cast<Eigen::Index>(outputs))};
  threads.for_each(set.size() * copies, [&](std::size_t i) {
    const std::size_t example = i / copies, mirrored = example == set.original(example) ? 0 : 1;
    const std::size_t number = 2 * (first + set.original(example)) + mirrored;
    CascadeSample sample = cascade_start(set, model, settings, static_cast<std::uint32_t>(example),
                                         static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(i % copies));
    const auto row = static_cast<Eigen::Index>(i);
    const std::span<float> texture{result.textures.row(row).data(), inputs};
    View view;
    std::vector<float> dq(outputs);
    for (const CascadeStage& done : before.stages) {
      read_texture(set.image(example), model, before, done, view, sample, texture);
      ordered_product(done.gradient, texture, dq);
      for (std::size_t r = 0; r < dq.size(); ++r) dq[r] += done.constant[r];
      displace(model, dq.data(), sample.shape);
    }
    read_texture(set.image(example), model, before, stage, view, sample, texture);
    displacement_to(model, set.landmarks(example), sample, result.targets.row(row).data());
  });
  return result;
}

// With the penalty that serves further faces best.
Ridge::Regression best_of(const NormalEquations& equations, const Samples& judges, const Threads& threads) {
  double least = HUGE_VAL;
  Ridge::Regression best;
  for (const double penalty : stream_penalties) {
    Ridge::Regression tried = equations.solve(penalty, threads);
    const RowMatrix told = (judges.textures * tried.weights.transpose()).rowwise() + tried.constant.transpose();
    const double error = (told - judges.targets).cast<double>().squaredNorm();
    if (error >= least) break;  // beyond the best
    least = error;
    best = std::move(tried);
  }
  return best;
}

}  // namespace

Cascade train_cascade(const ExampleStream& stream, std::uint32_t first, std::uint32_t faces, const Model& model,
                      const TrainSettings& settings, const Threads& threads,
                      const std::function<void(double)>& progress) {
  Cascade cascade;
  cascade.frames = cascade_frames(model.shape);
  const std::size_t outputs = 4 + model.shape.modes.rows;
  const auto copies = (settings.mirrored ? 2 : 1) * std::max<std::uint32_t>(1, settings.displacements);
  const std::uint32_t batch_faces =
      std::clamp<std::uint32_t>(stream_rows / copies, 8, std::max<std::uint32_t>(8, faces));
  for (std::uint32_t k = 0; k < settings.cascade_stages; ++k) {
    CascadeStage stage;
    stage.frame = frame_of_stage(k, settings.cascade_stages);
    stage.offsets = ring_offsets(cascade_radii, cascade_counts);
    const std::size_t inputs = model.shape.landmarks() * (stage.offsets.size() / 2) * cascade.bins;
    NormalEquations equations(inputs, outputs);
    const auto read = [&](std::uint32_t number, std::uint32_t count) {
      const ExampleBatch batch(stream, number, count, model.layout, settings.mirrored, threads);
      return samples_of(batch, number, model, cascade, stage, settings, threads);
    };
    for (std::uint32_t done = 0; done < faces; done += batch_faces, first += batch_faces) {
      Samples samples = read(first, batch_faces);
      equations.add(samples.textures, samples.targets, threads);
      if (progress) progress((k + 0.9 * done / faces) / settings.cascade_stages);
    }
    Ridge::Regression best;
    if (settings.penalty > 0) {
      best = equations.solve(settings.penalty, threads);
    } else {
      best = best_of(equations, read(first, batch_faces), threads);
      first += batch_faces;
    }
    stage.gradient = matrix_of(best.weights);
    stage.constant = std::vector<float>(best.constant.data(), best.constant.data() + best.constant.size());
    cascade.stages.push_back(std::move(stage));
    if (progress) progress((k + 1.0) / settings.cascade_stages);
  }
  return cascade;
}

}  // namespace kinema::face
