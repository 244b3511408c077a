#include "io/limbs.h"

#include <optional>
#include <string_view>

namespace kinema::io {
namespace {

// Of a common joint's own name; nothing where a name says nothing, such as left_clavicle.
std::optional<Limb> named_limb(std::string_view name) {
  const std::string_view common = body::common_joint(name);
  if (common.empty()) return std::nullopt;
  const bool left = common.starts_with("left_");
  for (std::string_view end : {"_shoulder", "_elbow", "_wrist"}) {
    if (common.ends_with(end)) return left ? Limb::left_arm : Limb::right_arm;
  }
  for (std::string_view end : {"_hip", "_knee", "_ankle"}) {
    if (common.ends_with(end)) return left ? Limb::left_leg : Limb::right_leg;
  }
  return common == "pelvis" ? Limb::trunk : Limb::head;
}

}  // namespace

std::vector<Limb> limbs(const body::Skeleton& skeleton) {
  std::vector<Limb> result;
  for (const body::Joint& joint : skeleton.joints) {
    const Limb inherited = joint.parent < 0 ? Limb::trunk : result[static_cast<std::size_t>(joint.parent)];
    // arms that hang on a joint called neck or head do not: a name of its own comes first
    result.push_back(named_limb(joint.name).value_or(inherited));
  }
  return result;
}

}  // namespace kinema::io
