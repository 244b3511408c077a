#include "body/skeleton/tangent.h"

#include "body/constants.h"

namespace kinema::body {
namespace {

// The block of a joint: the limb whose first joint it is or descends from, 0 for trunk and head.
int block_of(const Skeleton& skeleton, int joint) {
  const char* limbs[] = {"left_clavicle", "right_clavicle", "left_hip", "right_hip"};
  for (int at = joint; at >= 0; at = skeleton.joints[static_cast<std::size_t>(at)].parent) {
    for (int limb = 0; limb < 4; ++limb) {
      if (skeleton.joints[static_cast<std::size_t>(at)].name == limbs[limb]) return 1 + limb;
    }
  }
  return 0;
}

}  // namespace

std::vector<double> walk_speed(const Skeleton& skeleton) {
  std::vector<double> speed(3, constants::motion::root_speed);
  speed.insert(speed.end(), 3, constants::motion::root_turn_speed);
  for (const Joint& joint : skeleton.joints) {
    for (const Freedom& freedom : joint.freedoms) speed.push_back(freedom.speed);
  }
  return speed;
}

std::vector<float> walk_deviation(const Skeleton& skeleton, double seconds) {
  std::vector<float> deviation;
  for (double speed : walk_speed(skeleton)) deviation.push_back(static_cast<float>(speed * seconds));
  return deviation;
}

std::vector<double> walk_precision(const Skeleton& skeleton, double seconds) {
  std::vector<double> precision;
  for (double deviation : walk_deviation(skeleton, seconds)) precision.push_back(1 / (deviation * deviation + 1e-12));
  return precision;
}

std::vector<int> joint_of_tangent(const Skeleton& skeleton) {
  std::vector<int> joints{0, 0, 0, 1, 1, 1};
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j)
    joints.insert(joints.end(), skeleton.joints[j].freedoms.size(), static_cast<int>(1 + j));
  return joints;
}

LimbBlocks limb_blocks(const Skeleton& skeleton) {
  constexpr std::size_t root = root_tangent;
  LimbBlocks blocks;
  blocks.moves.assign(5, std::vector<std::uint8_t>(root + skeleton.angle_count(), 0));
  for (std::size_t i = 0; i < root; ++i) blocks.moves[0][i] = 1;
  std::size_t at = root;
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const auto block = static_cast<std::size_t>(block_of(skeleton, static_cast<int>(j)));
    for (std::size_t i = 0; i < skeleton.joints[j].freedoms.size(); ++i) blocks.moves[block][at++] = 1;
  }
  return blocks;
}

}  // namespace kinema::body
