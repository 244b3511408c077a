// Names of numbered files, as printf writes them: frame_%06d.png.
#pragma once

#include "kinema/error.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace kinema::io {

/// Whether a text is meant as a pattern: it holds a %.
bool is_pattern(const std::string& text);

/// The parts of a file name around %0Nd, with %% replaced by %. It is never used as a format string.
struct NamePattern {
  std::string before, after;
  std::size_t width = 0;  ///< of the number, filled up with zeros; 0: as many digits as it has

  /// Of the last part of a path. Throws Error if that has not exactly one %d, %i or %u, with zeros or without a width.
  static NamePattern of(const std::filesystem::path& path);

  std::string name(std::int64_t number) const;

  /// The digits of the number in a name, if it matches.
  std::optional<std::string_view> match(std::string_view name) const;

  static Error refusal(const std::filesystem::path& path);
};

}  // namespace kinema::io
