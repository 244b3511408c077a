// Replaces landmark_xml.cpp in builds without pugixml.
#include "io/faces/landmark_file.h"
#include "kinema/error.h"

namespace kinema::io {

std::vector<LandmarkedFace> read_dlib_xml(std::string_view, double) {
  throw Error(
      "is XML, and this kinema was built without pugixml, which reads it: install it (Debian: libpugixml-dev) and "
      "build again, or save the landmarks as .pts or .csv");
}

}  // namespace kinema::io
