// Receivers of live estimates; each "host:port", empty: none.
#pragma once

#include <string>

namespace kinema::io {

struct LiveTargets {
  std::string osc = {};         ///< Open Sound Control, in kinema's own messages
  std::string opentrack = {};   ///< the head's place and rotation
  std::string vmc = {};         ///< avatars: Virtual Motion Capture protocol
  std::string vrchat = {};      ///< VRChat's trackers
  bool opentrack_time = false;  ///< a seventh double: the capture time of the frame

  bool any() const { return !osc.empty() || !opentrack.empty() || !vmc.empty() || !vrchat.empty(); }
};

}  // namespace kinema::io
