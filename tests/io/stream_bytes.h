// A stream of frames as another program would write it (docs/stream.md).
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace kinema::io {

/// A header for 4 x 3 pixels; `more` begins with a comma.
inline std::string stream_header(const std::string& more) {
  return R"({"kinema":1,"width":4,"height":3,"fx":4,"fy":4,"cx":2,"cy":1.5)" + more + "}\n";
}

template <class T>
std::string raw_bytes(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace kinema::io
