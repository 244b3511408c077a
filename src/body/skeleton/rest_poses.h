// Common poses of people, from which the search for a person starts.
#pragma once

#include "kinema/skeleton.h"

#include <string>
#include <vector>

namespace kinema::body {

struct RestPose {
  std::string name;
  std::vector<double> angles;  // of the skeleton it was made for
};

/// Standing, walking, sitting, and several positions of the arms. Joints are identified by the names of the default
/// human; a skeleton without them keeps its rest pose there. The first is the most common one.
std::vector<RestPose> rest_poses(const Skeleton& skeleton);

}  // namespace kinema::body
