#include "filter_scene.h"

#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace kinema::body {

FilterScene::FilterScene(const Skeleton& person, int width, int height)
    : skeleton(person),
      flat(skeleton),
      kinematics(flat.view()),
      state(to_state(skeleton, bench::walking_pose(skeleton, 0.6))),
      seen(bench::see_person(skeleton, to_pose(state), bench::person_camera(width, height, width * 790.0 / 640), 0,
                             static_cast<std::size_t>(width) * static_cast<std::size_t>(height) / 40, 1)) {}

std::unique_ptr<Particles> FilterScene::make(const TrackerSettings& settings, Backend backend,
                                             std::size_t count) const {
  auto particles = make_particles(skeleton, settings, backend);
  particles->set_points(seen.view());
  particles->place(state, count);
  return particles;
}

std::vector<float> FilterScene::state_of(const std::vector<float>& states, std::size_t j) const {
  const auto first = states.begin() + static_cast<std::ptrdiff_t>(j * state.size());
  return {first, first + static_cast<std::ptrdiff_t>(state.size())};
}

std::vector<Place> FilterScene::places(const std::vector<float>& of) const {
  std::vector<Place> found(skeleton.joints.size());
  place_joints(kinematics, of.data(), found.data());
  return found;
}

std::vector<float> FilterScene::middle() const {
  std::vector<float> found = state;
  for (int i = 0; i < kinematics.angle_count; ++i) {
    found[static_cast<std::size_t>(root_floats) + static_cast<std::size_t>(i)] =
        0.5f * (kinematics.lower[i] + kinematics.upper[i]);
  }
  return found;
}

std::vector<float> FilterScene::perturbed(double angle, double metres) const {
  std::vector<float> found = state, tangent;
  for (int i = 0; i < tangent_size(kinematics); ++i) {
    const double share = 2 * Random{5, 0, 0}.uniform(static_cast<std::uint32_t>(i)) - 1;
    tangent.push_back(static_cast<float>(share * (i < 3 ? metres : angle)));
  }
  move_state(kinematics, tangent.data(), found.data());
  return found;
}

double FilterScene::error(const std::vector<float>& of) const {
  const std::vector<Place> found = places(of), truth = places(state);
  double greatest = 0;
  for (std::size_t j = 0; j < truth.size(); ++j) {
    greatest = std::max(greatest, static_cast<double>(norm(found[j].origin - truth[j].origin)));
  }
  return greatest;
}

FilterScene::Frame FilterScene::frame_of(Particles& particles, const TrackerSettings& settings, double seconds) const {
  particles.predict(seconds);
  particles.weigh();
  particles.anneal(settings.survival, 0.05);
  particles.resample();
  particles.diffuse(0.5 * seconds, -1);
  particles.weigh();
  particles.anneal(0, 0.05);
  particles.refine(settings.refined, seconds);
  Frame frame;
  frame.moments = particles.moments(seconds);
  frame.states = particles.states();
  frame.log_likelihoods = particles.log_likelihoods();
  return frame;
}

Skeleton largest() {
  Skeleton skeleton;
  skeleton.name = "tree";
  skeleton.joints.push_back({"first", -1, {0, 0, 0}, {}});
  skeleton.capsules.push_back({"first", 0, {-0.1, 0, 0}, {0.1, 0, 0}, 0.08});
  // nine limbs of seven joints each, in a fan
  for (int limb = 0; limb < 9; ++limb) {
    const double angle = 0.7 * limb;
    const Vec3 out{std::cos(angle), std::sin(angle), 0}, across{-std::sin(angle), std::cos(angle), 0};
    for (int i = 0; i < 7; ++i) {
      const int parent = i == 0 ? 0 : static_cast<int>(skeleton.joints.size()) - 1;
      const double length = i == 0 ? 0.1 : 0.09;
      const std::string name = std::to_string(limb) + "_" + std::to_string(i);
      skeleton.joints.push_back(
          {name, parent, {length * out.x, length * out.y, 0}, {{{0, 0, 1}, -0.5, 0.5, 2}, {across, -0.5, 0.5, 2}}});
      const int joint = static_cast<int>(skeleton.joints.size()) - 1;
      skeleton.capsules.push_back({name, joint, {0, 0, 0}, {0.09 * out.x, 0.09 * out.y, 0}, 0.035});
    }
  }
  check(skeleton);
  return skeleton;
}

}  // namespace kinema::body
