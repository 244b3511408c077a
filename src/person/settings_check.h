// What settings of the person tracker may be.
#pragma once

#include "kinema/error.h"
#include "kinema/person_tracker.h"

#include <fmt/format.h>

#include <cmath>

namespace kinema::person {

/// The settings themselves; throws Error if they are not valid.
inline const TrackerSettings& checked(const TrackerSettings& settings) {
  if (!settings.model) throw Error("no model: TrackerSettings::model comes from train() or read_face_model()");
  if (const std::size_t points = settings.model->shape.landmarks(); points != face::HeadPoseSolver::landmarks) {
    throw Error(fmt::format("the model has {} landmarks: a person is tracked by {}, in iBUG's order", points,
                            face::HeadPoseSolver::landmarks));
  }
  if (!(settings.lost >= 0 && settings.lost <= 1)) {
    throw Error(fmt::format("lost is {}: a probability is between 0 and 1", settings.lost));
  }
  if (!(settings.smoothing >= 0) || !std::isfinite(settings.smoothing)) {
    throw Error(fmt::format("smoothing is {} Hz: give 0 or more", settings.smoothing));
  }
  return settings;
}

}  // namespace kinema::person
