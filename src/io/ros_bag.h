// Bags of ROS 1 with images of depth or colour, read through rosbag's own library (librosbag-storage). A word is the
// file's name, followed by a colon and the topic if the bag has several that would do: walk.bag:/camera/depth/image.
#pragma once

#include "io/raw_source.h"

#include <string>

namespace kinema::io {

bool ros_bag_built_in();

inline bool names_ros_bag(const std::string& word) {
  return word.ends_with(".bag") || word.find(".bag:/") != word.npos;
}

RawOpener ros_bag_opener(const std::string& word, const RecordingSettings& settings, SourceUse use);

}  // namespace kinema::io
