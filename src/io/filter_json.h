// filter.json: the colours of a user in one light, and what calibration knew about the head. See docs/head.md.
#pragma once

#include "kinema/head_calibration.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace kinema::io {

/// Throws Error that names the file, the place in it and the mend where anything makes no sense.
head::Calibration read_filter(const std::filesystem::path& path);

/// The same from text; Errors do not name a file.
head::Calibration parse_filter(std::string_view text);

std::string filter_json(const head::Calibration& calibration);

/// Written whole or not at all.
void write_filter(const std::filesystem::path& path, const head::Calibration& calibration);

}  // namespace kinema::io
