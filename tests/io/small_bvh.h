// A BVH file of three joints, and its pieces to put together in other ways.
#pragma once

#include <string>

namespace kinema::io {

inline const std::string small_hierarchy =
    "HIERARCHY\nROOT Hips\n{\n  OFFSET 0 0 0\n"
    "  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation\n"
    "  JOINT Spine\n  {\n    OFFSET 0 2 0\n    CHANNELS 3 Zrotation Yrotation Xrotation\n"
    "    JOINT Head\n    {\n      OFFSET 0 3 0\n      CHANNELS 3 Zrotation Yrotation Xrotation\n"
    "      End Site\n      {\n        OFFSET 0 1 0\n      }\n    }\n  }\n}\n";

inline const std::string small_motion =
    "MOTION\nFrames: 2\nFrame Time: .0083333\n"
    "1 2 3 0 0 0 0 0 0 0 0 0\n"
    "1 2 3 90 0 0 0 0 90 0 0 0\n";

inline std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const std::size_t at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), with);
}

}  // namespace kinema::io
