#include "io/recordings/cloud.h"

#include "io/files/input_file.h"
#include "io/files/npy.h"
#include "io/files/text.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::io {
namespace {

// No camera measures further, and squares in float32 overflow beyond.
constexpr double farthest = 1e6;

Cloud read_npy_cloud(const std::filesystem::path& path) {
  const NpyArray<float> array = read_npy<float>(path, {any_size, any_size});
  const std::size_t columns = array.shape[1];
  if (columns < 3) {
    throw about(path, Error(fmt::format("has the shape {}, where (any, 3) is needed: x y z in each row",
                                        shape_text(array.shape))));
  }
  Cloud cloud;
  cloud.points.reserve(array.shape[0] * 3);
  for (std::size_t row = 0; row < array.shape[0]; ++row) {
    const float* p = array.data.data() + row * columns;
    add_point(cloud, p[0], p[1], p[2]);
  }
  return cloud;
}

}  // namespace

void add_point(Cloud& cloud, double x, double y, double z) {
  const double largest = std::max({std::abs(x), std::abs(y), std::abs(z)});
  // a comparison with NaN is false, but max() may ignore one
  if (std::isnan(x) || std::isnan(y) || std::isnan(z) || largest > farthest || largest == 0) {
    ++cloud.dropped;
    return;
  }
  for (double value : {x, y, z}) cloud.points.push_back(static_cast<float>(value));
}

Cloud read_xyz(std::string_view bytes) {
  constexpr std::string_view separators = " \t\r,;";
  Cloud cloud;
  TextReader text(bytes);
  bool first = true;
  while (auto line = text.line()) {
    for (const char* comment : {"#", "//"}) line = line->substr(0, line->find(comment));
    if (line->find_first_not_of(separators) == std::string_view::npos) continue;
    const std::string_view whole = *line;
    double point[3];
    bool right = true;
    for (double& value : point) {
      const auto number = number_in(take_word(*line, separators));
      right = right && number;
      if (number) value = *number;
    }
    if (right) {
      add_point(cloud, point[0], point[1], point[2]);
    } else if (!first || whole.find_first_of("+-.0123456789") == whole.find_first_not_of(separators)) {
      // only a first line that does not start with a number may hold names
      throw Error(
          fmt::format("line {}: '{}' is not a point: write x y z in metres", text.line_number(), printable(whole)));
    }
    first = false;
  }
  return cloud;
}

Cloud read_cloud(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  if (extension == ".npy") return read_npy_cloud(path);
  return naming(path, [&] {
    if (extension == ".ply") return read_ply(read_bytes(path));
    if (extension == ".pcd") return read_pcd(read_bytes(path));
    if (extension == ".xyz" || extension == ".txt") return read_xyz(read_bytes(path));
    throw Error("is not a point cloud by its name: kinema reads .npy, .ply, .pcd and .xyz");
  });
}

}  // namespace kinema::io
