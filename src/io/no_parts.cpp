// What is said of files and cameras in builds without the library that reads them: pugixml, FFmpeg's libavformat, OpenNI 2
// and librosbag-storage. OpenCV has its own, no_opencv.cpp.
#include "io/faces/landmark_file.h"
#include "io/files/input_file.h"
#include "io/sources/openers.h"
#include "kinema/error.h"

#include <fmt/format.h>

namespace kinema::io {

#ifndef KINEMA_HAVE_PUGIXML

std::vector<LandmarkedFace> read_dlib_xml(std::string_view, double) {
  throw Error(
      "is XML, and this kinema was built without pugixml, which reads it: install it (Debian: libpugixml-dev) and "
      "build again, or save the landmarks as .pts or .csv");
}

#endif

#ifndef KINEMA_HAVE_FFMPEG

bool azure_kinect_built_in() { return false; }

bool is_azure_kinect_file(const std::string& path) {
  // its calibration comes before the frames, a Matroska file begins so
  return extension_of(path) == ".mkv" && read_beginning(path, 1 << 16).find("calibration.json") != std::string::npos;
}

RawOpener azure_kinect_opener(const std::string& path, const RecordingSettings&, SourceUse) {
  throw Error(
      fmt::format("{}: is a recording of an Azure Kinect, and this build has no libavformat to read it: install "
                  "it (Debian: libavformat-dev) and build again",
                  path));
}

#endif

#ifndef KINEMA_HAVE_OPENNI

bool openni_built_in() { return false; }

RawOpener openni_opener(const std::string& word, const RecordingSettings&, SourceUse) {
  throw Error(fmt::format("{}: this build has no OpenNI 2: install it (Debian: libopenni2-dev) and build again", word));
}

std::vector<Connected> connected_openni() { return {}; }

#endif

#ifndef KINEMA_HAVE_ROSBAG

bool ros_bag_built_in() { return false; }

RawOpener ros_bag_opener(const std::string& word, const RecordingSettings&, SourceUse) {
  throw Error(
      fmt::format("{}: is a bag of ROS, and this build has no librosbag-storage to read it: install it (Debian: "
                  "librosbag-storage-dev) and build again",
                  word));
}

#endif

}  // namespace kinema::io
