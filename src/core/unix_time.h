// The time of day, as cameras of this machine stamp their frames.
#pragma once

#include <chrono>

namespace kinema {

/// Seconds since 1970.
inline double unix_time() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace kinema
