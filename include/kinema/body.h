// The body: the likelihood of a pose, given points that a stereo or depth camera saw.
//
// p(X | pose) of "GPU Accelerated Likelihoods for Stereo-Based Articulated Tracking" (Friborg, Hauberg, Erleben), eqs.
// 2-6: each point lies on a ray from the camera; its distance to the skin, a union of capsules, is measured along
// that ray and cut off at tau.
#pragma once

#include "kinema/backend.h"
#include "kinema/points.h"
#include "kinema/stage_time.h"

#include <cstddef>
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
  first_hit,  ///< the capsule that the ray meets first: a rendered depth map, which knows occlusion
};

struct LikelihoodSettings {
  /// Distances are cut off here, in metres; a ray that meets no capsule costs as much. A small tau forgives outliers,
  /// and gives no pull to a limb that is further off.
  double tau = 0.1;

  /// Standard deviation of a point about the skin, in metres.
  double sigma = 0.05;

  Association association = Association::nearest;

  /// Points marked as background cost 0 when their ray meets nothing before them, and tau^2 when a capsule stands
  /// there: space that was seen to be empty. Off: marks are ignored, which is the paper's sum.
  bool free_space = true;

  /// Where all rays start. It may lie inside a capsule: the ray then meets the far wall.
  Vec3 camera = {};

  /// Skip capsules that cannot matter to a group of rays. It changes no bit of the result; off is for tests.
  bool culling = true;

  /// Threads of the cpu backend; 0: one a core. The result does not depend on it.
  int threads = 0;

  /// The most device memory that the cuda backend takes, in bytes; samples are streamed in chunks that fit.
  std::size_t device_memory = std::size_t{1} << 30;
};

struct PointCount {
  std::size_t used = 0;
  std::size_t dropped = 0;  ///< not finite, or at the camera itself, where there is no ray
};

/// One frame's points, held against any number of poses. Not for use by two threads at once.
class Likelihood {
public:
  virtual ~Likelihood() = default;

  /// The points of a frame. They are copied, and stay until the next call.
  virtual PointCount set_points(PointsView points) = 0;

  /// out[j] = log p(X | sample j) without its constant, -1/(2 sigma^2) sum_i d_i^2 (eq. 3). Throws Error where a
  /// capsule has a number that is not finite or a radius that is not positive, or sizes do not agree; `out` is then
  /// not meaningful. No points: 0. No capsules in a sample: every ray misses.
  virtual void evaluate(CapsulesView capsules, std::span<double> out) = 0;

  /// Where the time of the last call went.
  virtual std::vector<StageTime> times() const { return {}; }
};

/// Throws Error where settings make no sense or the backend is not there (see choose()).
std::unique_ptr<Likelihood> make_likelihood(const LikelihoodSettings& settings = {},
                                            Backend backend = Backend::automatic);

}  // namespace kinema::body
