#include "io/files/name_pattern.h"

#include "io/files/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinema::io {
bool is_pattern(const std::string& text) { return text.find('%') != std::string::npos; }

NamePattern NamePattern::of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  NamePattern pattern;
  bool found = false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    std::string& part = found ? pattern.after : pattern.before;
    if (name[i] != '%') {
      part += name[i];
    } else if (i + 1 < name.size() && name[i + 1] == '%') {
      part += name[++i];
    } else {
      std::size_t end = i + 1;
      while (end < name.size() && is_digit(name[end])) ++end;
      const std::string digits = name.substr(i + 1, end - i - 1);
      // %6d would pad with spaces
      const bool padded = digits.empty() || digits[0] == '0';
      if (found || end == name.size() || (name[end] != 'd' && name[end] != 'i' && name[end] != 'u') || !padded ||
          digits.size() > 3) {
        throw refusal(path);
      }
      pattern.width = digits.empty() ? 0 : static_cast<std::size_t>(std::stoi(digits));
      found = true;
      i = end;
    }
  }
  if (!found) throw refusal(path);
  return pattern;
}

std::string NamePattern::name(std::int64_t number) const {
  return fmt::format("{}{:0{}}{}", before, number, std::max<std::size_t>(width, 1), after);
}

std::optional<std::string_view> NamePattern::match(std::string_view name) const {
  if (name.size() <= before.size() + after.size() || name.substr(0, before.size()) != before ||
      name.substr(name.size() - after.size()) != after) {
    return std::nullopt;
  }
  const std::string_view digits = name.substr(before.size(), name.size() - before.size() - after.size());
  if (!std::all_of(digits.begin(), digits.end(), is_digit)) return std::nullopt;
  const bool as_printed =
      digits.size() == std::max<std::size_t>(width, 1) || (digits.size() > width && digits[0] != '0');
  return as_printed ? std::optional(digits) : std::nullopt;
}

Error NamePattern::refusal(const std::filesystem::path& path) {
  return Error(
      fmt::format("{}: is not a pattern of file names: write one %06d (or %d) in the name, and %% for a percent sign",
                  path.string()));
}

}  // namespace kinema::io
