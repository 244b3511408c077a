#include "body/watch.h"

#include "body/motion.h"
#include "body/search.h"

#include <algorithm>

namespace kinema::body {
namespace {

// Points of the person by which rivals are refined.
constexpr std::size_t rival_points = 600;

// What is further off a rival's skin than a tracked pose's still pulls at it, metres.
constexpr double longer_reach = 0.08;

// Rivals are held as loosely to where they start as a pose wanders in so many seconds.
constexpr double looseness = 0.3;

}  // namespace

std::size_t Outlook::best() const {
  return static_cast<std::size_t>(std::max_element(log_likelihood.begin(), log_likelihood.end()) -
                                  log_likelihood.begin());
}

Watch::Watch(const Skeleton& skeleton, const TrackerSettings& settings)
    : skeleton_(skeleton), settings_(settings), rivals_(skeleton), precision_(walk_precision(skeleton, looseness)) {}

void Watch::set_skeleton(const Skeleton& skeleton) {
  skeleton_ = skeleton;
  rivals_ = Rivals(skeleton);
  precision_ = walk_precision(skeleton, looseness);
}

Outlook Watch::look(Particles& particles, const RefinePoints& points, double noise) {
  ++age_;
  const int every = age_ < 30 ? 5 : 15;
  searched_ = age_ % every == every - 1;
  const std::vector<float> state = particles.predicted();
  Outlook outlook;
  if (searched_) {
    outlook.states.push_back(state);
    SearchSettings search_settings;
    search_settings.pelvis = Vector3f{state[0], state[1], state[2]};
    search_settings.points = 300;
    search_settings.noise = noise;
    const auto refine_many = [&](std::span<PoseCandidate> candidates, const RefineSettings& settings,
                                 PointShare share) { particles.refine_poses(candidates, settings, share); };
    for (const Found& found : search(skeleton_, points.person, search_settings, refine_many)) {
      outlook.states.push_back(found.state);
    }
  } else {
    RefineSettings refinement = refine_settings(settings_, 1, state[2]);
    refinement.tau += longer_reach;
    // the prior is as loose for all, so that poses, not distances from the last one, are compared
    std::vector<PoseCandidate> poses{{state, {state, precision_}}};
    for (int i = 0; i < settings_.rivals; ++i) {
      const std::vector<float> rival = rivals_.make(state, next_rival_++ % rivals_.count());
      poses.push_back({rival, {rival, precision_}});
    }
    particles.refine_poses(poses, refinement, {rival_points, rival_points / 2});
    for (const PoseCandidate& pose : poses) outlook.states.push_back(pose.state);
  }
  outlook.log_likelihood = particles.weigh_poses(outlook.states);
  return outlook;
}

}  // namespace kinema::body
