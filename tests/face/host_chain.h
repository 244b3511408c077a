// The device's chain of works, run on the host: a Fitter like the others, which needs no GPU.
#pragma once

#include "face/chain/fit_chain.h"
#include "face/chain/fit_state.h"
#include "face/chain/fit_tables.h"
#include "face/fitter/fitter_backends.h"
#include "kinema/face.h"

#include <cstring>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace kinema::face {

template <class Launch, int faces_at_once = 1>
class HostChainFitter final : public Fitter {
public:
  HostChainFitter(std::shared_ptr<const Model> model, const FitSettings& settings, Launch launch = {})
      : model_(std::move(model)),
        settings_(settings),
        stages_(stages_of(*model_, settings)),
        packed_(*model_, stages_, settings, settings.score),
        launch_(launch) {}

  std::vector<PlacedStage> stages() const override { return placed_on(Backend::cpu, stages_); }

  bool takes_colour() const override { return true; }

  Fit fit(const Face& face) override {
    Fit result;
    fit({&face, 1}, {&result, 1});
    return result;
  }

  void fit(std::span<const Face> faces, std::span<Fit> out) override {
    const FitTables tables = packed_.here();
    FitBatch batch;
    batch.sizes = BatchSizes(tables);
    const auto divide = [&](std::byte* memory) {
      BatchMemory arrays(memory);
      arrays.take_input(batch, faces.size());
      arrays.take_output(batch, faces.size());
      arrays.take_rest(batch, faces.size());
      return arrays.bytes();
    };
    std::vector<double> memory(divide(nullptr) / sizeof(double));
    std::memset(memory.data(), 0xff, memory.size() * sizeof(double));
    divide(reinterpret_cast<std::byte*>(memory.data()));
    *batch.count = static_cast<int>(faces.size());
    for (std::size_t f = 0; f < faces.size(); ++f) {
      const FitState start = initial_state(*model_, faces[f].start, settings_.limit);
      FaceTask& task = batch.tasks[f];
      task = {faces[f].image, start.pose, start.mean ? 1 : 0};
      if (faces[f].colour.data != nullptr) {
        const ColourView& colour = faces[f].colour;
        grey_.emplace_back(colour.width * colour.height);
        task.image = {grey_.back().data(), colour.width, colour.height, colour.width};
        task.colour = colour;
        task.grey = grey_.back().data();
      }
      if (!start.mean)
        std::copy(start.shape.begin(), start.shape.end(),
                  batch.starts + f * static_cast<std::size_t>(batch.sizes.shape));
    }
    FitChain<faces_at_once, Launch>(tables, batch, static_cast<int>(faces.size()), true, launch_).run();
    for (std::size_t f = 0; f < faces.size(); ++f) out[f] = fit_of(batch, f, tables.score.present);
  }

private:
  Fit fit_of(const FitBatch& batch, std::size_t f, bool scored) const {
    const FaceResult& result = batch.results[f];
    const auto part = [&](const float* array, int size) {
      const float* first = array + f * static_cast<std::size_t>(size);
      return std::vector<float>(first, first + size);
    };
    Fit fit;
    fit.landmarks = part(batch.landmarks, batch.sizes.shape);
    fit.shape = part(batch.parameters, batch.sizes.modes);
    fit.pose = result.pose;
    fit.error = result.error;
    fit.iterations = result.iterations;
    fit.converged = result.converged != 0;
    if (scored) {
      fit.confidence = part(batch.confidences, batch.sizes.landmarks);
      fit.failure = result.failure;
      fit.quality = 1 - result.failure;
    }
    return fit;
  }

  std::shared_ptr<const Model> model_;
  FitSettings settings_;
  std::vector<Stage> stages_;
  PackedTables packed_;
  Launch launch_;
  std::deque<std::vector<std::uint8_t>> grey_;  // made of colour frames
};

}  // namespace kinema::face
