// The body: the likelihood of a pose, given points measured by a stereo or depth camera.
//
// p(X | pose) of "GPU Accelerated Likelihoods for Stereo-Based Articulated Tracking" (Friborg, Hauberg, Erleben), eqs.
// 2-6: each point lies on a ray from the camera; its distance to the skin, a union of capsules, is measured along
// that ray and truncated at tau.
#pragma once

#include "kinema/backend.h"
#include "kinema/compute.h"
#include "kinema/points.h"
#include "kinema/stage_time.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace kinema::body {

/// A capsule is 7 floats: ax ay az r bx by bz. All points within r of the segment a-b; a = b is a sphere.
inline constexpr std::size_t capsule_floats = 7;

/// J samples of K capsules: shape (J, K, 7).
using CapsulesView = Array3View<const float>;

enum class Association {
  nearest,    ///< eq. 4: the capsule whose surface along the ray is nearest to the point, occluded or not
  first_hit,  ///< the capsule that the ray hits first: a rendered depth map, which models occlusion
};

struct LikelihoodSettings {
  /// Distances are truncated here, in metres; a ray that hits no capsule costs as much. A small tau is robust to
  /// outliers, but does not attract limbs that are further away.
  double tau = 0.1;

  /// Standard deviation of a point about the skin, in metres. A point with a deviation s of its own counts with
  /// sqrt(sigma^2 + s^2); a ray that hits nothing costs as much as any other.
  double sigma = 0.05;

  Association association = Association::nearest;

  /// Points marked as background cost 0 if their ray hits nothing before them, and tau^2 if a capsule occupies that
  /// space, which was seen to be empty. Off: marks are ignored, which is the paper's sum.
  bool free_space = true;

  /// Origin of all rays. It may lie inside a capsule: the ray then hits the far wall.
  Vec3 camera = {};

  /// Skip capsules that cannot affect a group of rays. Changes no bit of the result; off is for tests.
  bool culling = true;

  /// Limit of the cuda backend's device memory, in bytes; samples are streamed in chunks that fit.
  std::size_t device_memory = std::size_t{1} << 30;
};

struct PointCount {
  std::size_t used = 0;
  std::size_t dropped = 0;  ///< not finite, or at the camera itself, which defines no ray
};

/// One frame's points, compared with any number of poses. Not thread-safe.
class Likelihood {
public:
  virtual ~Likelihood() = default;

  /// The points of a frame. They are copied, and kept until the next call.
  virtual PointCount set_points(PointsView points) = 0;

  /// out[j] = log p(X | sample j) without its constant, -1/(2 sigma^2) sum_i d_i^2 (eq. 3). Throws Error if a
  /// capsule has a number that is not finite or a radius that is not positive, or if sizes disagree; `out` is then
  /// undefined. No points: 0. No capsules in a sample: every ray misses.
  virtual void evaluate(CapsulesView capsules, std::span<double> out) = 0;

  /// Where the time of the last call went.
  virtual std::vector<StageTime> times() const { return {}; }

  /// What devices or processes that share the work received from each other so far, all together, in bytes.
  virtual std::uint64_t exchanged_bytes() const { return 0; }
};

/// Makes of a likelihood, which has these settings, one with the same results that others help to compute, such as other
/// processes.
using ShareLikelihood =
    std::function<std::unique_ptr<Likelihood>(const LikelihoodSettings& settings, std::unique_ptr<Likelihood> own)>;

/// Throws Error if settings are invalid or the backend is not available (see choose()).
std::unique_ptr<Likelihood> make_likelihood(const LikelihoodSettings& settings = {}, const Compute& compute = {});

}  // namespace kinema::body
