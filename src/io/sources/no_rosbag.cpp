// Replaces io/sources/ros_bag.cpp in builds without librosbag-storage.
#include "io/sources/openers.h"
#include "kinema/error.h"

#include <fmt/format.h>

namespace kinema::io {

bool ros_bag_built_in() { return false; }

RawOpener ros_bag_opener(const std::string& word, const RecordingSettings&, SourceUse) {
  throw Error(
      fmt::format("{}: is a bag of ROS, and this build has no librosbag-storage to read it: install it (Debian: "
                  "librosbag-storage-dev) and build again",
                  word));
}

}  // namespace kinema::io
