// Layouts of matrix–vector products that were measured fastest, kept in a file of the user's cache folder. A file that is
// missing, damaged or cannot be written costs a new measurement and nothing else.
#pragma once

#include "bench/face/product/matrix_vector_layout.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema {

struct MeasuredLayout {
  std::string device;
  int rows = 0, columns = 0;
  MatrixVectorLayout layout;

  bool operator==(const MeasuredLayout&) const = default;
};

/// $XDG_CACHE_HOME/kinema or ~/.cache/kinema; empty if the environment names neither.
std::filesystem::path cache_folder();

/// Lines that are no layouts are left out; of another version, all of them.
std::vector<MeasuredLayout> parse_layouts(std::string_view text);
std::string layouts_text(const std::vector<MeasuredLayout>& layouts);

class LayoutFile {
public:
  /// Empty: nothing is kept.
  explicit LayoutFile(std::filesystem::path path) : path_(std::move(path)) {}

  /// In the user's cache folder.
  static LayoutFile of_user();

  std::optional<MatrixVectorLayout> find(const std::string& device, int rows, int columns) const;

  /// Replaces the file as a whole, so that a reader finds the old one or the new one. False if it cannot be written.
  bool keep(const MeasuredLayout& layout) const;

private:
  std::vector<MeasuredLayout> read() const;

  std::filesystem::path path_;
};

}  // namespace kinema
