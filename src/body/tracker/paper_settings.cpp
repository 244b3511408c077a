// The settings that reduce the filter to that of the paper's section 2.
#include "kinema/body_tracker.h"

namespace kinema::body {

TrackerSettings paper_settings() {
  TrackerSettings settings;
  settings.likelihood.association = Association::nearest;
  settings.likelihood.free_space = false;
  settings.particles = 2000;
  settings.points = 4'194'240;  // the paper's limit: points as measured, thinned at no distance
  settings.layers = 1;
  settings.limbs = false;
  settings.refined = 0;
  settings.rivals = 0;
  settings.tempered = false;
  settings.unperturbed_particle = false;
  settings.steady = false;
  settings.rest_cutoff = 0;
  settings.sensor_noise = 0;  // points are not averaged with their neighbours, at any distance
  settings.motion = Motion::random_walk;
  settings.resampling = Resampling::systematic;
  settings.resample_below = 0.5;
  settings.fit_shape = false;
  settings.lag = 0;
  return settings;
}

}  // namespace kinema::body
