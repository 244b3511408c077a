#include "body/tracker/rival_monitor.h"

#include "body/particles/motion.h"
#include "body/tracker/constants_search.h"
#include "body/tracker/search.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace kinema::body {

using namespace constants::rivals;

std::size_t Hypotheses::best(double evidence) const {
  std::size_t best = 0;
  for (std::size_t i = 1; i < states.size(); ++i) {
    if (log_posterior(i, evidence) > log_posterior(best, evidence)) best = i;
  }
  return best;
}

RivalMonitor::RivalMonitor(const Skeleton& skeleton, const TrackerSettings& settings)
    : skeleton_(skeleton),
      settings_(settings),
      rivals_(skeleton),
      precision_(walk_precision(skeleton, rival_spread)),
      comfort_(skeleton),
      faces_(skeleton) {}

void RivalMonitor::set_skeleton(const Skeleton& skeleton) {
  skeleton_ = skeleton;
  rivals_ = RivalPoses(skeleton);
  precision_ = walk_precision(skeleton, rival_spread);
  comfort_ = Comfort(skeleton);
  faces_.set_skeleton(skeleton);
}

Hypotheses RivalMonitor::evaluate_rivals(Particles& particles, const RefinePoints& points) {
  ++age_;
  const int every = search_rest_ * (age_ < young_age ? young_search_interval : search_interval);
  searched_ = age_ % every == every - 1;
  const std::vector<float> state = particles.predicted();
  Hypotheses hypotheses;
  if (searched_) {
    hypotheses.states = search_about(particles, points, state);
    hypotheses.states.insert(hypotheses.states.begin(), state);
  } else {
    RefineSettings refinement = refine_settings(settings_, 1, particles.noise());
    refinement.tau += rival_reach;
    // the same width for all, so that poses are compared rather than distances from the last one
    std::vector<PoseCandidate> poses{{state, {state, precision_}}};
    for (int i = 0; i < settings_.rivals; ++i) {
      const std::vector<float> rival = rivals_.make(state, next_rival_++ % rivals_.count());
      poses.push_back({rival, {rival, precision_}});
    }
    particles.refine_poses(poses, refinement, {rival_points, rival_points / 2});
    for (const PoseCandidate& pose : poses) hypotheses.states.push_back(pose.state);
  }
  hypotheses.log_likelihood = particles.weigh_poses(hypotheses.states);
  for (const std::vector<float>& one : hypotheses.states) hypotheses.posture.push_back(posture_cost(one));
  return hypotheses;
}

std::vector<std::vector<float>> RivalMonitor::search_about(Particles& particles, const RefinePoints& points,
                                                           std::span<const float> state) const {
  SearchSettings settings;
  settings.pelvis = Vec3f{state[0], state[1], state[2]};
  settings.points = rival_search_points;
  settings.noise = search_noise(particles.noise());
  const auto refine_many = [&](std::span<PoseCandidate> candidates, const RefineSettings& refinement,
                               PointShare share) { particles.refine_poses(candidates, refinement, share); };
  std::vector<std::vector<float>> states;
  for (const SearchResult& found : search(skeleton_, points.person, settings, refine_many)) {
    states.push_back(found.state);
  }
  return states;
}

std::vector<float> RivalMonitor::facing_of_face(Particles& particles, const RefinePoints& points,
                                                std::span<const float> state, double evidence) {
  if (faces_.empty() || age_ < next_face_) return {};
  const std::vector<float> turned = rivals_.turned_round(state);
  if (!faces_.prefer(state, turned)) return {};
  next_face_ = age_ + constants::seen_face::proposal_interval;
  std::vector<std::vector<float>> states = search_about(particles, points, state);
  std::erase_if(states, [&](const auto& other) { return !faces_.prefer(state, other); });
  states.insert(states.begin(), turned);
  const Hypotheses others = compare(particles, states);
  return others.states[others.best(evidence)];
}

double RivalMonitor::posture_cost(std::span<const float> state) const {
  return frame_cost(state) + constants::search::away_cost * away_from_camera(state);
}

Hypotheses RivalMonitor::compare(Particles& particles, const std::vector<std::vector<float>>& states) const {
  Hypotheses hypotheses{states, particles.weigh_poses(states), {}};
  std::vector<PoseCandidate> poses;
  poses.reserve(states.size());
  for (const std::vector<float>& state : states) poses.push_back({state, {state, precision_}});
  for (const double reach : {rival_reach, 0.0}) {
    RefineSettings refinement = refine_settings(settings_, 1, particles.noise());
    refinement.tau += reach;
    refinement.steps = compared_steps;
    particles.refine_poses(poses, refinement, {compared_points, compared_points / 2});
    for (PoseCandidate& pose : poses) pose.prior.state = pose.state;
  }
  std::vector<std::vector<float>> refined;
  refined.reserve(poses.size());
  for (const PoseCandidate& pose : poses) refined.push_back(pose.state);
  const std::vector<double> log_likelihood = particles.weigh_poses(refined);
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (log_likelihood[i] <= hypotheses.log_likelihood[i]) continue;
    hypotheses.log_likelihood[i] = log_likelihood[i];
    hypotheses.states[i] = refined[i];
  }
  for (const std::vector<float>& one : hypotheses.states) hypotheses.posture.push_back(posture_cost(one));
  return hypotheses;
}

RivalMonitor::Facings RivalMonitor::compare_facings(Particles& particles,
                                                    const std::vector<std::vector<float>>& states) const {
  const std::vector<double> log_likelihood = particles.weigh_poses(states);
  std::vector<std::size_t> order(states.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return log_likelihood[a] > log_likelihood[b]; });
  // all at once, which costs no more on a device than one
  order.resize(std::min(order.size(), compared_results));
  std::vector<std::vector<float>> both;
  both.reserve(2 * order.size());
  for (const std::size_t i : order) both.push_back(states[i]);
  for (const std::size_t i : order) both.push_back(rivals_.turned_round(states[i]));
  Hypotheses own = compare(particles, both), turned;
  const auto half = static_cast<std::ptrdiff_t>(order.size());
  turned.states.assign(own.states.begin() + half, own.states.end());
  turned.log_likelihood.assign(own.log_likelihood.begin() + half, own.log_likelihood.end());
  turned.posture.assign(own.posture.begin() + half, own.posture.end());
  own.states.resize(order.size());
  own.log_likelihood.resize(order.size());
  own.posture.resize(order.size());
  return {std::move(own), std::move(turned)};
}

}  // namespace kinema::body
