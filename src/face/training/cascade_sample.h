// A displaced start of an example on its way through the cascade while that is trained.
#pragma once

#include "face/training/cascade.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kinema::face {

struct CascadeSample {
  std::uint32_t example = 0;
  int fold = 0;
  Similarity pose;           // the frame's
  std::vector<float> shape;  // under that pose, in the model's unit
};

/// Start `number` of an example of the set; `named`: the example's number for random numbers. Some starts lie far off, to be
/// robust against any detector.
CascadeSample cascade_start(const TrainingSet& set, const Model& model, const TrainSettings& settings,
                            std::uint32_t example, std::uint32_t named, std::uint32_t number);

/// The frames of a cascade, and the frame used by stage k of n: spread over all of them.
std::vector<Frame> cascade_frames(const ShapeModel& shape);
std::uint32_t frame_of_stage(std::uint32_t k, std::uint32_t n);

/// The pose of a frame becomes that of the current shape.
void enter_frame(const Model& model, CascadeSample& sample);

/// The displacement that a stage should predict: [pose_modes; modes] (truth - shape).
void displacement_to(const Model& model, std::span<const float> landmarks, const CascadeSample& sample, float* out);

/// Displaces the shape by a prediction.
void displace(const Model& model, const float* dq, std::vector<float>& shape);

}  // namespace kinema::face
