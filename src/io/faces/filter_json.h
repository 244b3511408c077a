// filter.json: the skin colours of a user under one light, and what calibration recorded about the head. See
// docs/head.md.
#pragma once

#include "kinema/head_calibration.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace kinema::io {

/// Throws Error that names the file, the place in it and the remedy if a value is invalid.
head::Calibration read_filter(const std::filesystem::path& path);

/// The same from text; Errors do not name a file.
head::Calibration parse_filter(std::string_view text);

std::string filter_json(const head::Calibration& calibration);

/// Written whole or not at all.
void write_filter(const std::filesystem::path& path, const head::Calibration& calibration);

}  // namespace kinema::io
