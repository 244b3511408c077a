#include "body/skeleton/rest_poses.h"

#include <algorithm>
#include <initializer_list>

namespace kinema::body {
namespace {

// Rotations of a joint from the rest pose, in the order of its freedoms (see default_human.cpp for their senses).
struct Turn {
  std::string joint;
  std::vector<double> angles;
};

RestPose make(const Skeleton& skeleton, std::string name, std::initializer_list<Turn> turns) {
  RestPose pose{std::move(name), rest_pose(skeleton).angles};
  std::size_t first = 0;
  for (const Joint& joint : skeleton.joints) {
    for (const Turn& turn : turns) {
      // a rotation without a side applies to both
      if (turn.joint != joint.name && "left_" + turn.joint != joint.name && "right_" + turn.joint != joint.name)
        continue;
      for (std::size_t i = 0; i < std::min(turn.angles.size(), joint.freedoms.size()); ++i) {
        pose.angles[first + i] = std::clamp(turn.angles[i], joint.freedoms[i].lower, joint.freedoms[i].upper);
      }
    }
    first += joint.freedoms.size();
  }
  return pose;
}

}  // namespace

std::vector<RestPose> rest_poses(const Skeleton& skeleton) {
  const Turn hanging{"shoulder", {0.1, -1.35, 0}}, bent{"elbow", {0.3}};
  return {
      make(skeleton, "standing", {hanging, bent}),
      make(skeleton, "left foot forward",
           {{"left_shoulder", {-0.2, -1.35, 0}},
            {"right_shoulder", {0.4, -1.3, 0}},
            {"elbow", {0.5}},
            {"left_hip", {-0.45, 0, 0}},
            {"right_hip", {0.3, 0, 0}},
            {"left_knee", {0.15}},
            {"right_knee", {0.4}}}),
      make(skeleton, "right foot forward",
           {{"right_shoulder", {-0.2, -1.35, 0}},
            {"left_shoulder", {0.4, -1.3, 0}},
            {"elbow", {0.5}},
            {"right_hip", {-0.45, 0, 0}},
            {"left_hip", {0.3, 0, 0}},
            {"right_knee", {0.15}},
            {"left_knee", {0.4}}}),
      make(skeleton, "running, left foot forward",
           {{"left_shoulder", {-0.7, -1.2, 0}},
            {"right_shoulder", {0.5, -1.2, 0}},
            {"elbow", {1.6}},
            {"left_hip", {-0.8, 0, 0}},
            {"right_hip", {0.2, 0, 0}},
            {"left_knee", {0.6}},
            {"right_knee", {1.5}}}),
      make(skeleton, "running, right foot forward",
           {{"right_shoulder", {-0.7, -1.2, 0}},
            {"left_shoulder", {0.5, -1.2, 0}},
            {"elbow", {1.6}},
            {"right_hip", {-0.8, 0, 0}},
            {"left_hip", {0.2, 0, 0}},
            {"right_knee", {0.6}},
            {"left_knee", {1.5}}}),
      make(skeleton, "arms out", {{"elbow", {0.1}}}),
      make(skeleton, "guard", {{"shoulder", {0.8, -1.0, 0}}, {"elbow", {1.9}}}),
      make(skeleton, "sitting", {hanging, {"elbow", {0.8}}, {"hip", {-1.4, 0.1, 0}}, {"knee", {1.5}}}),
      make(skeleton, "arms raised", {{"shoulder", {0.3, 1.0, 0}}, {"elbow", {0.5}}}),
      make(skeleton, "bent",
           {{"lower_back", {0.5, 0, 0}},
            {"spine", {0.4, 0, 0}},
            {"shoulder", {0.6, -1.1, 0}},
            bent,
            {"hip", {-0.6, 0, 0}},
            {"knee", {0.3}}}),
  };
}

}  // namespace kinema::body
