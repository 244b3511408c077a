// The sample that the command carries in itself: samples/walk.bvh, a person who walks.
#pragma once

#include <string_view>

namespace kinema::app {

/// The text of the BVH file.
std::string_view walk_clip();

}  // namespace kinema::app
