// The sample built into the command: samples/walk.bvh, a walking person.
#pragma once

#include <string_view>

namespace kinema::app {

/// The text of the BVH file.
std::string_view walk_clip();

}  // namespace kinema::app
