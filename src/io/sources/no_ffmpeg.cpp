// Replaces io/sources/azure_kinect_file.cpp in builds without FFmpeg's libavformat.
#include "io/files/input_file.h"
#include "io/sources/openers.h"
#include "kinema/error.h"

#include <fmt/format.h>

namespace kinema::io {

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

}  // namespace kinema::io
