#include "body/tracker/search.h"

#include "body/constants.h"
#include "body/constants_mechanisms.h"
#include "body/particles/motion.h"
#include "body/skeleton/proportions.h"
#include "body/skeleton/rest_poses.h"
#include "body/skeleton/shape_space.h"

#include <algorithm>
#include <cmath>

namespace kinema::body {
namespace {

using namespace constants::search;

// The translation that aligns the body of a candidate with the points: centre on centre horizontally, and either centre
// on centre or crown on crown vertically, since legs may be out of view.
struct Extent {
  Vec3f middle{0, 0, 0};
  float top = 0;  // y points down, so the least y, robust against a few outliers
};

Extent extent_of(const PointList& points) {
  Extent extent;
  std::vector<float> y;
  for (std::size_t i = 0; i < points.size(); ++i) {
    extent.middle = extent.middle + (1 / static_cast<float>(points.size())) * points[i];
    y.push_back(points[i].y);
  }
  const auto few = static_cast<std::ptrdiff_t>(y.size() / crown_outliers);
  std::nth_element(y.begin(), y.begin() + few, y.end());
  extent.top = y[static_cast<std::size_t>(few)];
  return extent;
}

Extent extent_of(const Kinematics& kinematics, const std::vector<float>& state) {
  std::vector<Place> places(static_cast<std::size_t>(kinematics.joint_count));
  place_joints(kinematics, state.data(), places.data());
  Extent extent;
  extent.top = 1e9f;
  float weight = 0;
  for (int k = 0; k < kinematics.capsule_count; ++k) {
    float c[capsule_floats];
    place_capsule(kinematics, places.data(), k, c);
    const Vec3f a{c[0], c[1], c[2]}, b{c[4], c[5], c[6]};
    const float area = c[3] * (norm(b - a) + 2 * c[3]);
    extent.middle = extent.middle + area * (0.5f * (a + b));
    weight += area;
    extent.top = std::min({extent.top, c[1] - c[3], c[5] - c[3]});
  }
  extent.middle = (1 / weight) * extent.middle;
  return extent;
}

// Initial candidates: every rest pose and facing of people of every size.
std::vector<PoseCandidate> make_candidates(const Skeleton& skeleton, const Extent& seen,
                                           const SearchSettings& settings) {
  std::vector<PoseCandidate> candidates;
  const double start_angle_precision = 1 / (start_angle_deviation * start_angle_deviation);
  const double start_position_precision = 1 / (start_position_deviation * start_position_deviation);
  const double start_tilt_precision = 1 / (start_tilt_deviation * start_tilt_deviation);
  const Comfort comfort(skeleton);
  for (std::size_t size = 0; size < settings.sizes.size(); ++size) {
    const FlatSkeleton person(resized(skeleton, settings.sizes[size]));
    const Kinematics kinematics = person.view();
    std::vector<RestPose> rests = rest_poses(skeleton);
    if (!mechanisms::rest_pose_starts) rests.resize(1);
    for (const RestPose& rest : rests) {
      for (int facing = 0; facing < settings.facings; ++facing) {
        for (const bool by_crown : {false, true}) {
          if (!mechanisms::crown_starts && by_crown) continue;
          PoseCandidate candidate;
          candidate.size = size;
          Pose pose = rest_pose(skeleton);
          pose.angles = rest.angles;
          // the rest pose faces the camera; rotated about the vertical
          const double half = 3.14159265358979323846 * facing / settings.facings;
          const Quaternion turned = Quaternion{std::cos(half), 0, std::sin(half), 0} * Quaternion{0, 1, 0, 0};
          pose.rotation = {turned.w, turned.x, turned.y, turned.z};
          candidate.state = to_state(skeleton, pose);
          const Extent own = extent_of(kinematics, candidate.state);
          // the points are on the near side of the person
          const Vec3f middle = (1 + half_depth / std::max(norm(seen.middle), half_depth)) * seen.middle;
          Vec3f pelvis{candidate.state[0] + middle.x - own.middle.x,
                       candidate.state[1] + (by_crown ? seen.top - own.top : middle.y - own.middle.y),
                       candidate.state[2] + middle.z - own.middle.z};
          if (settings.pelvis) {
            if (by_crown) continue;
            pelvis = *settings.pelvis;
          }
          candidate.state[0] = pelvis.x, candidate.state[1] = pelvis.y, candidate.state[2] = pelvis.z;

          candidate.prior.state = candidate.state;
          candidate.prior.precision.assign(root_tangent, start_angle_precision);
          for (const double precision : comfort.precision)
            candidate.prior.precision.push_back(std::max(precision, start_angle_precision));
          for (std::size_t i : {0, 1, 2}) candidate.prior.precision[i] = start_position_precision;
          for (std::size_t i : {3, 5}) candidate.prior.precision[i] = start_tilt_precision;
          candidates.push_back(std::move(candidate));
        }
      }
    }
  }
  return candidates;
}

}  // namespace

double away_from_camera(std::span<const float> state) {
  const Vec3f front = rotate(Quaternionf{state[3], state[4], state[5], state[6]}, Vec3f{0, 0, 1});
  const Vec3f place{state[0], state[1], state[2]};
  return 0.5 * (1 + dot(front, place) / std::max(1e-6f, norm(place)));
}

std::vector<SearchResult> search(const Skeleton& skeleton, const PointList& person, const SearchSettings& settings,
                                 const RefineMany& refine_many) {
  if (person.size() < constants::pipeline::fewest_person_points) return {};
  std::vector<PoseCandidate> candidates =
      make_candidates(skeleton, extent_of(person.thinned(settings.points)), settings);

  const double tall = stature(skeleton);
  // rounds with fewer candidates, more points and a smaller tau; where there are many sizes, the first only weeds out
  struct Round {
    std::size_t keep, points;
    double tau;
    int steps;
  };
  const std::size_t all = candidates.size(), few = settings.sizes.size() > 1 ? weeding : 1;
  const Round rounds[] = {{all, settings.points / few, first_round_reach, few > 1 ? weeding_steps : 0},
                          {all / few, settings.points, first_round_reach, first_round_steps},
                          {second_round_candidates, 2 * settings.points, second_round_reach, second_round_steps},
                          {third_round_candidates, 4 * settings.points, third_round_reach, third_round_steps}};
  for (const Round& round : rounds) {
    if (round.steps == 0) continue;
    candidates.resize(std::min(candidates.size(), round.keep));
    RefineSettings refinement;
    refinement.tau = round.tau;
    refinement.steps = round.steps;
    refinement.sigma = search_skin_deviation;
    refinement.noise = settings.noise;
    refinement.free_space = search_free_space;
    refinement.evidence = search_evidence;  // the same in every round, whatever the number of points
    refine_many(candidates, refinement, {round.points, round.points / 2});
    for (PoseCandidate& candidate : candidates) {
      if (mechanisms::stature_prior && settings.sizes.size() > 1)
        candidate.cost += stature_cost(settings.sizes[candidate.size] * tall);
      candidate.cost += away_cost * away_from_camera(candidate.state);
    }
    // points beyond the range of numbers give no pose
    std::erase_if(candidates, [](const PoseCandidate& candidate) {
      return !std::isfinite(candidate.cost) ||
             std::any_of(candidate.state.begin(), candidate.state.end(), [](float x) { return !std::isfinite(x); });
    });
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const PoseCandidate& a, const PoseCandidate& b) { return a.cost < b.cost; });
    if (&round == rounds) {
      // so short a look compares poses of one size, hardly sizes
      std::vector<std::size_t> kept(settings.sizes.size());
      const std::size_t share = all / few / settings.sizes.size();
      std::erase_if(candidates, [&](const PoseCandidate& candidate) { return ++kept[candidate.size] > share; });
    }
  }
  std::vector<SearchResult> found;
  found.reserve(candidates.size());
  for (const PoseCandidate& candidate : candidates) {
    found.push_back({settings.sizes[candidate.size], candidate.state, candidate.cost});
  }
  return found;
}

std::vector<SearchResult> search(const Skeleton& skeleton, const RefinePoints& points, const SearchSettings& settings,
                                 const Threads& threads) {
  std::vector<FlatSkeleton> people;
  for (double size : settings.sizes) people.emplace_back(resized(skeleton, size));
  return search(skeleton, points.person, settings,
                [&](std::span<PoseCandidate> poses, RefineSettings refinement, PointShare share) {
                  const RefinePoints some{points.person.thinned(share.person),
                                          points.background.thinned(share.background), points.floor};
                  refinement.evidence /= static_cast<double>(some.person.size());
                  threads.for_each(poses.size(), [&](std::size_t i) {
                    PoseCandidate& pose = poses[i];
                    pose.cost = refine(people[pose.size].view(), some, pose.prior, refinement, pose.state).cost;
                  });
                });
}

}  // namespace kinema::body
