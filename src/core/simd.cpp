#include "core/simd.h"

#ifdef KINEMA_HAVE_HIGHWAY
#include <hwy/highway.h>
#include <hwy/targets.h>
#endif

namespace kinema {

std::string simd_level() {
#ifdef KINEMA_HAVE_HIGHWAY
  // the best target is the lowest bit that CPU and build have in common
  const auto targets = hwy::SupportedTargets() & HWY_TARGETS;
  return hwy::TargetName(targets & -targets);
#else
  return "scalar";
#endif
}

}  // namespace kinema
