// Finds a person in a frame without an initial pose: a search over position, facing, size and rest poses.
#pragma once

#include "body/refine/refine.h"
#include "body/tracker/constants_search.h"
#include "core/threads.h"

#include <functional>
#include <optional>

namespace kinema::body {

struct SearchSettings {
  int facings = constants::search::facings;
  std::optional<Vec3f> pelvis;                            ///< where known; else taken from the points
  std::vector<double> sizes = {1.0};                      ///< of the person, relative to the skeleton
  double noise = 0;                                       ///< standard deviation of the points along their rays, metres
  std::size_t points = constants::search::search_points;  ///< of the person, in the first round
};

/// SearchSettings::noise of the points of a frame. A pose that is far off is found by what is nearest, not by what rays meet.
inline double search_noise(const PointNoise& noise) { return noise.projective ? 0 : noise.deviation; }

/// A pose that may be the person's.
struct SearchResult {
  double size = 1;  ///< the one of `sizes` that fits best
  std::vector<float> state;
  double cost = 0;  ///< see Refined; plus that of an unusual size
};

/// 0 for somebody who faces the camera, 1 for somebody who turns the back on it.
double away_from_camera(std::span<const float> state);

/// Refines candidates, and returns when all are done; see Particles::refine_poses().
using RefineMany = std::function<void(std::span<PoseCandidate>, const RefineSettings&, PointShare)>;

/// The poses that fit best, the best first; empty where there are too few points for a person.
std::vector<SearchResult> search(const Skeleton& skeleton, const RefinePoints& points, const SearchSettings& settings,
                                 const Threads& threads);

/// The same with another refinement, of candidates whose `size` is an index into settings.sizes.
std::vector<SearchResult> search(const Skeleton& skeleton, const PointList& person, const SearchSettings& settings,
                                 const RefineMany& refine_many);

}  // namespace kinema::body
