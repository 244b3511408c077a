#include "body/tracker/rival_poses.h"

#include "body/constants_mechanisms.h"
#include "body/skeleton/rest_poses.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace kinema::body {
namespace {

constexpr double pi = 3.14159265358979323846;

// The angles of a joint and of all its descendants.
std::vector<std::size_t> angles_below(const Skeleton& skeleton, const std::string& top) {
  std::vector<std::size_t> angles;
  std::vector<bool> below(skeleton.joints.size(), false);
  std::size_t at = 0;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    below[j] = joint.name == top || (joint.parent >= 0 && below[static_cast<std::size_t>(joint.parent)]);
    for (std::size_t i = 0; i < joint.freedoms.size(); ++i, ++at) {
      if (below[j]) angles.push_back(at);
    }
  }
  return angles;
}

}  // namespace

RivalPoses::RivalPoses(const Skeleton& skeleton) {
  // the same freedom on the other side; senses of the default human mirror with the side
  mirror_.resize(skeleton.angle_count());
  std::iota(mirror_.begin(), mirror_.end(), std::size_t{0});
  std::vector<std::size_t> first(skeleton.joints.size());
  std::size_t at = 0;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    first[j] = at;
    at += skeleton.joints[j].freedoms.size();
    for (const Freedom& freedom : skeleton.joints[j].freedoms) {
      lower_.push_back(static_cast<float>(freedom.lower));
      upper_.push_back(static_cast<float>(freedom.upper));
    }
  }
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const std::string& name = skeleton.joints[j].name;
    if (!name.starts_with("left_")) continue;
    const int other = skeleton.find("right_" + name.substr(5));
    if (other < 0) continue;
    const auto o = static_cast<std::size_t>(other);
    for (std::size_t i = 0; i < std::min(skeleton.joints[j].freedoms.size(), skeleton.joints[o].freedoms.size()); ++i) {
      mirror_[first[j] + i] = first[o] + i;
      mirror_[first[o] + i] = first[j] + i;
    }
  }

  turns_ = {{pi, true}, {pi / 2, false}, {-pi / 2, false}, {pi, false}, {pi / 4, false}, {-pi / 4, false}};
  if (!mechanisms::rival_turns) turns_.resize(1);  // see turned_round()

  const auto both = [&](const char* left, const char* right) {
    std::vector<std::size_t> angles = angles_below(skeleton, left);
    const std::vector<std::size_t> more = angles_below(skeleton, right);
    angles.insert(angles.end(), more.begin(), more.end());
    if (mechanisms::rival_swaps && !angles.empty()) swaps_.push_back(angles);
  };
  both("left_hip", "right_hip");
  both("left_clavicle", "right_clavicle");

  for (const RestPose& rest : rest_poses(skeleton)) {
    for (const char* limb : {"left_shoulder", "right_shoulder", "left_hip", "right_hip"}) {
      Limb place{angles_below(skeleton, limb), {}};
      if (place.angles.empty()) continue;
      for (std::size_t i : place.angles) place.values.push_back(static_cast<float>(rest.angles[i]));
      const bool known = std::any_of(limbs_.begin(), limbs_.end(), [&](const Limb& other) {
        return other.angles == place.angles && other.values == place.values;
      });
      if (mechanisms::rival_limbs && !known) limbs_.push_back(std::move(place));
    }
  }
}

std::vector<float> RivalPoses::make(std::span<const float> state, std::size_t index) const {
  std::vector<float> rival(state.begin(), state.end());
  float* angles = rival.data() + root_floats;
  const float* own = state.data() + root_floats;
  if (index < turns_.size()) {
    const Turn& turn = turns_[index];
    const Quaternionf root{state[3], state[4], state[5], state[6]};
    const auto half = static_cast<float>(turn.angle / 2);
    const Quaternionf turned = root * Quaternionf{std::cos(half), 0, std::sin(half), 0};
    rival[3] = turned.w, rival[4] = turned.x, rival[5] = turned.y, rival[6] = turned.z;
    // a person whose back was taken for the front keeps the limbs in place, so they change sides
    if (turn.mirrored) {
      for (std::size_t i = 0; i < mirror_.size(); ++i) angles[i] = own[mirror_[i]];
    }
  } else if (index < turns_.size() + swaps_.size()) {
    for (std::size_t i : swaps_[index - turns_.size()]) angles[i] = own[mirror_[i]];
  } else {
    const Limb& limb = limbs_[index - turns_.size() - swaps_.size()];
    for (std::size_t i = 0; i < limb.angles.size(); ++i) angles[limb.angles[i]] = limb.values[i];
  }
  // the limits of the two sides may differ
  for (std::size_t i = 0; i < lower_.size(); ++i) angles[i] = std::clamp(angles[i], lower_[i], upper_[i]);
  return rival;
}

}  // namespace kinema::body
