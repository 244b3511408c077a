// .npy files as bytes, right ones and wrong ones, made without the code under test.
#pragma once

#include <cstddef>
#include <string>

namespace kinema::io {

/// Magic, version, length and the dict as it is given, without padding; then the data.
inline std::string npy_bytes(const std::string& dict, const std::string& data, int version = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += static_cast<char>(version);
  bytes += '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte)
    bytes += static_cast<char>((dict.size() >> (8 * byte)) & 0xff);
  return bytes + dict + data;
}

inline std::string dict_of(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

inline std::string zeros(std::size_t bytes) { return std::string(bytes, '\0'); }

}  // namespace kinema::io
