#include "io/cameras/calibration_file.h"

#include "io/files/input_file.h"
#include "io/files/stored_values.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace kinema::io {
namespace {

using Names = std::vector<std::string>;

constexpr std::size_t largest_calibration = std::size_t{1} << 24;

class Storage {
public:
  explicit Storage(const std::vector<std::filesystem::path>& files) {
    for (const auto& path : files) {
      naming(path, [&] { files_.push_back(read_stored_values(read_bytes(path, largest_calibration))); });
    }
  }

  // Row-major numbers of a matrix with the requested number of elements or, if `sizes` is empty, any number.
  std::optional<std::vector<double>> matrix(const Names& names, const std::vector<std::size_t>& sizes) const {
    const auto found = find(names);
    if (!found) return std::nullopt;
    const auto& [name, value] = *found;
    if (value.kind != StoredValue::Kind::list) throw Error(fmt::format("{} is not a matrix", name));
    if (!value.only_numbers) throw Error(fmt::format("{} holds something else than numbers", name));
    const std::vector<double>& numbers = value.numbers;
    bool fits = sizes.empty();
    for (std::size_t size : sizes) fits = fits || numbers.size() == size;
    if (!fits) {
      throw Error(fmt::format("{} has {} numbers where {} are needed", name, numbers.size(), fmt::join(sizes, " or ")));
    }
    for (double number : numbers) {
      if (!std::isfinite(number)) throw Error(fmt::format("{} holds a number that is not finite", name));
    }
    return numbers;
  }

  bool has(const std::string& name) const { return find({name}).has_value(); }

  int integer(const Names& names) const {
    const auto found = find(names);
    if (!found || found->second.kind != StoredValue::Kind::number) return 0;
    const double number = found->second.numbers.front();
    return std::isnan(number) ? 0 : static_cast<int>(std::clamp(number, -1.0, 1e9));
  }

private:
  std::optional<std::pair<std::string, StoredValue>> find(const Names& names) const {
    for (const std::string& name : names) {
      for (const auto& file : files_) {
        if (const auto found = file.find(name); found != file.end()) return *found;
      }
    }
    return std::nullopt;
  }

  std::vector<std::map<std::string, StoredValue>> files_;
};

std::optional<Lens> read_lens(const Storage& storage, const Names& matrix_names, const Names& distortion_names) {
  const auto k = storage.matrix(matrix_names, {9});
  if (!k) return std::nullopt;
  const std::string& name = matrix_names.front();
  Lens lens{(*k)[0], (*k)[4], (*k)[2], (*k)[5], {}};
  if (!(lens.fx > 0) || !(lens.fy > 0)) {
    throw Error(fmt::format("{} has the focal lengths {} and {}: both must be above 0", name, lens.fx, lens.fy));
  }
  // the other elements of a camera matrix are 0, 0, 0, 0, 1
  if (std::abs((*k)[1]) > 1e-6 * lens.fx || (*k)[3] != 0 || (*k)[6] != 0 || (*k)[7] != 0 ||
      std::abs((*k)[8] - 1) > 1e-9) {
    throw Error(fmt::format("{} is not a camera matrix [fx 0 cx; 0 fy cy; 0 0 1]", name));
  }
  if (auto d = storage.matrix(distortion_names, {0, 1, 2, 3, 4, 5, 8, 12, 14})) lens.distortion = *d;
  if (!lens.distortion.empty() && lens.distortion.size() < 4) lens.distortion.resize(4, 0.0);
  return lens;
}

void read_size(const Storage& storage, Calibration& calibration) {
  calibration.width = storage.integer({"image_width", "imageWidth", "width"});
  calibration.height = storage.integer({"image_height", "imageHeight", "height"});
  if (const auto size = storage.matrix({"image_size", "imageSize", "size"}, {2})) {
    calibration.width = static_cast<int>(std::clamp((*size)[0], -1.0, 1e9));
    calibration.height = static_cast<int>(std::clamp((*size)[1], -1.0, 1e9));
  }
  if (calibration.width < 0 || calibration.height < 0 || calibration.width > 16384 || calibration.height > 16384) {
    throw Error(fmt::format("says the pictures have {} x {} pixels", calibration.width, calibration.height));
  }
}

// |R Rᵀ - 1| within the precision of printed digits, and no mirror
bool is_rotation(const std::array<double, 9>& r) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      double dot = 0;
      for (int k = 0; k < 3; ++k) dot += r[3 * i + k] * r[3 * j + k];
      if (std::abs(dot - (i == j ? 1 : 0)) > 1e-3) return false;
    }
  }
  return r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) + r[2] * (r[3] * r[7] - r[4] * r[6]) >
         0;
}

std::array<double, 9> rotation_of(const std::string& name, const std::vector<double>& numbers) {
  std::array<double, 9> rotation{};
  std::copy(numbers.begin(), numbers.end(), rotation.begin());
  if (!is_rotation(rotation)) {
    throw Error(
        fmt::format("{} is not a rotation: its rows are not at right angles and of length 1, or it mirrors", name));
  }
  return rotation;
}

RectifiedView read_view(const Storage& storage, const std::string& rotation, const std::string& projection) {
  const std::vector<double> p = *storage.matrix({projection}, {12});
  const RectifiedView view{rotation_of(rotation, *storage.matrix({rotation}, {9})), p[0], p[5], p[2], p[6], p[3]};
  const auto zero = [&](std::size_t at) { return std::abs(p[at]) <= 1e-6 * std::abs(view.fx); };
  if (!(view.fx > 0) || !(view.fy > 0) || !zero(1) || !zero(4) || !zero(8) || !zero(9) || !zero(11) ||
      std::abs(p[10] - 1) > 1e-9) {
    throw Error(
        fmt::format("{} is not the matrix of a rectified camera, [f 0 cx t; 0 f cy 0; 0 0 1 0]; write R1 R2 P1 P2 as "
                    "stereoRectify gives them, or remove them, and kinema chooses its own",
                    projection));
  }
  if (!zero(7)) {
    throw Error(fmt::format("{} is of a pair one above the other: kinema matches pairs side by side", projection));
  }
  return view;
}

// All four or none: kinema chooses a rectification in place of a part of one.
std::optional<RectifiedViews> read_rectified(const Storage& storage) {
  for (const char* name : {"R1", "R2", "P1", "P2"}) {
    if (!storage.has(name)) return std::nullopt;
  }
  return RectifiedViews{read_view(storage, "R1", "P1"), read_view(storage, "R2", "P2")};
}

Calibration read_matrices(const Storage& storage) {
  Calibration calibration;
  read_size(storage, calibration);
  const auto left = read_lens(storage, {"M1", "K1", "cameraMatrix1", "camera_matrix_1", "camera_matrix1", "CM1"},
                              {"D1", "distCoeffs1", "dist_coeffs_1", "distortion_coefficients1"});
  if (!left) {
    const auto only = read_lens(storage, {"cameraMatrix", "camera_matrix", "intrinsic", "intrinsics", "K", "M"},
                                {"distCoeffs", "distortion_coefficients", "dist_coeffs", "distortion", "D"});
    if (!only) {
      throw Error(
          "holds no camera matrix: neither cameraMatrix (camera_matrix, intrinsic, K) of one camera nor M1 and "
          "M2 (K1, K2, cameraMatrix1, cameraMatrix2) of a stereo pair");
    }
    calibration.left = *only;
    return calibration;
  }
  calibration.left = *left;
  calibration.right = read_lens(storage, {"M2", "K2", "cameraMatrix2", "camera_matrix_2", "camera_matrix2", "CM2"},
                                {"D2", "distCoeffs2", "dist_coeffs_2", "distortion_coefficients2"});
  if (!calibration.right) throw Error("holds the left camera's matrix (M1) and not the right one's (M2)");
  const auto rotation = storage.matrix({"R"}, {9});
  const auto translation = storage.matrix({"T", "t"}, {3});
  if (!rotation || !translation) {
    throw Error(
        fmt::format("holds no {}, the pose of the right camera: give the file with R and T too, as in "
                    "intrinsics.yml,extrinsics.yml",
                    rotation ? "T" : "R"));
  }
  calibration.rotation = rotation_of("R", *rotation);
  std::copy(translation->begin(), translation->end(), calibration.translation.begin());
  calibration.rectified = read_rectified(storage);
  return calibration;
}

}  // namespace

Calibration read_calibration(const std::vector<std::filesystem::path>& files) {
  if (files.empty()) throw Error("no calibration file was given");
  const Storage storage(files);
  return naming(files.front(), [&] { return read_matrices(storage); });
}

}  // namespace kinema::io
