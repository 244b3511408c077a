#include "io/files/frame_files.h"

#include "io/files/input_file.h"
#include "io/files/text.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <system_error>

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

namespace fs = std::filesystem;
namespace {

// A jump over more missing numbers than this is not a run of dropped frames.
constexpr long widest_gap = 100000;

// A name around its number: "frame_", "0012", ".png".
struct NumberedName {
  std::string before, digits, after;
  long number = 0;
};

std::optional<long> number_of(std::string_view digits) {
  const auto number = exact_number_in<long>(digits);
  // differences of numbers are taken below, and must not overflow
  return number && *number <= std::numeric_limits<long>::max() / 4 ? number : std::nullopt;
}

// The last number in the name before its extension.
std::optional<NumberedName> numbered_name(const fs::path& path) {
  const std::string stem = path.stem().string();
  std::size_t end = stem.size();
  while (end > 0 && !is_digit(stem[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && is_digit(stem[begin - 1])) --begin;
  if (begin == end) return std::nullopt;
  const auto number = number_of(std::string_view(stem).substr(begin, end - begin));
  if (!number) return std::nullopt;
  return NumberedName{stem.substr(0, begin), stem.substr(begin, end - begin), stem.substr(end), *number};
}

// "1341846092.023879": names that are seconds with a fraction.
std::optional<double> stamp_of(const fs::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t dot = stem.find('.');
  if (dot == 0 || dot == std::string::npos || dot + 1 == stem.size()) return std::nullopt;
  for (std::size_t i = 0; i < stem.size(); ++i) {
    if (i != dot && !is_digit(stem[i])) return std::nullopt;
  }
  return exact_number_in<double>(stem);
}

FrameSequence in_given_order(const std::vector<fs::path>& files) {
  FrameSequence sequence;
  for (const fs::path& path : files) {
    sequence.frames.push_back({static_cast<long>(sequence.frames.size()), 0, path, false});
  }
  return sequence;
}

std::optional<FrameSequence> by_stamp(std::vector<fs::path> files) {
  std::vector<std::pair<double, fs::path>> stamped;
  for (fs::path& path : files) {
    const auto stamp = stamp_of(path);
    if (!stamp) return std::nullopt;
    stamped.emplace_back(*stamp, std::move(path));
  }
  std::sort(stamped.begin(), stamped.end());
  FrameSequence sequence;
  sequence.stamped = true;
  for (auto& [stamp, path] : stamped) {
    sequence.frames.push_back(
        {static_cast<long>(sequence.frames.size()), stamp - stamped.front().first, std::move(path), false});
  }
  return sequence;
}

// The step between numbers: 1, or the regular step of a sequence that is long enough; 0: the numbers are not counts.
long step_of(const std::vector<std::pair<NumberedName, fs::path>>& files) {
  constexpr std::size_t enough = 8;
  if (files.size() < enough) return 1;
  long smallest = std::numeric_limits<long>::max();
  for (std::size_t i = 1; i < files.size(); ++i) {
    smallest = std::min(smallest, files[i].first.number - files[i - 1].first.number);
  }
  for (std::size_t i = 1; i < files.size(); ++i) {
    if ((files[i].first.number - files[i - 1].first.number) % smallest != 0) return 0;
  }
  return smallest;
}

// Ordered by number, with a missing frame for each number without a file.
FrameSequence by_number(std::vector<std::pair<NumberedName, fs::path>> files) {
  const auto less = [](const auto& a, const auto& b) { return a.first.number < b.first.number; };
  std::stable_sort(files.begin(), files.end(), less);
  for (std::size_t i = 1; i < files.size(); ++i) {
    if (files[i].first.number == files[i - 1].first.number) {
      throw about(files[i].second, Error(fmt::format("has the same number as {}: keep one of them",
                                                     files[i - 1].second.filename().string())));
    }
  }
  const long step = step_of(files);
  if (step == 0) {
    std::vector<fs::path> paths;
    paths.reserve(files.size());
    for (auto& [name, path] : files) paths.push_back(std::move(path));
    return in_given_order(paths);
  }
  bool same_width = true;
  for (const auto& [name, path] : files) same_width = same_width && name.digits.size() == files[0].first.digits.size();

  FrameSequence sequence;
  sequence.numbered = true;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto& [name, path] = files[i];
    if (i > 0) {
      const long last = files[i - 1].first.number;
      if (name.number - last > widest_gap * step) {
        throw about(path, Error(fmt::format("follows number {}: so wide a gap is no dropped frame; move one part to "
                                            "another folder",
                                            last)));
      }
      for (long number = last + step; number < name.number; number += step) {
        const std::string absent = fmt::format("{}{:0{}}{}{}", name.before, number, same_width ? name.digits.size() : 1,
                                               name.after, path.extension().string());
        sequence.frames.push_back({number, 0, path.parent_path() / absent, true});
      }
    }
    sequence.frames.push_back({name.number, 0, path, false});
  }
  return sequence;
}

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  if (!is_there(folder)) throw about(folder, Error("there is no such folder"));
  if (!is_folder(folder)) throw about(folder, Error("is no folder"));
  std::vector<fs::path> paths;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (entry->path().filename().string()[0] != '.' && !is_folder(entry->path())) {
      paths.push_back(entry->path());
    }
  }
  if (error) throw about(folder, Error(fmt::format("cannot be read: {}", error.message())));
  std::sort(paths.begin(), paths.end());
  return paths;
}

// A .txt in a folder is more often a note than a cloud, and a .jpg beside depth images their colour image.
bool listed(const fs::path& path, bool lossless) {
  const std::string extension = extension_of(path);
  return extension != ".txt" && !(lossless && (extension == ".jpg" || extension == ".jpeg" || extension == ".bmp"));
}

}  // namespace

FileKind kind_of(const fs::path& path) {
  const std::string extension = extension_of(path);
  const auto among = [&](std::initializer_list<const char*> list) {
    return std::any_of(list.begin(), list.end(), [&](const char* one) { return extension == one; });
  };
  if (among({".png", ".tif", ".tiff", ".pgm", ".jpg", ".jpeg", ".bmp"})) return FileKind::picture;
  if (among({".npy", ".ply", ".pcd", ".xyz", ".txt"})) return FileKind::cloud;
  if (among({".mp4", ".avi", ".mkv", ".mov", ".webm", ".m4v", ".mpg", ".mpeg", ".wmv"})) return FileKind::video;
  return FileKind::other;
}

FrameSequence list_names(const fs::path& folder, FileKind kind) {
  std::vector<fs::path> files;
  for (fs::path& path : entries_of(folder)) {
    if (kind_of(path) == kind) files.push_back(std::move(path));
  }
  return in_given_order(files);
}

FrameSequence list_folder(const fs::path& folder, FileKind kind, bool lossless, std::string_view except) {
  std::vector<fs::path> files;
  for (fs::path& path : entries_of(folder)) {
    if (kind_of(path) == kind && path.filename() != except && listed(path, lossless)) {
      files.push_back(std::move(path));
    }
  }
  if (files.empty()) return {};
  if (auto stamped = by_stamp(files)) return *stamped;

  std::vector<std::pair<NumberedName, fs::path>> numbered;
  std::map<std::pair<std::string, std::string>, std::string> sequences;  // and the pattern of each
  for (const fs::path& path : files) {
    auto name = numbered_name(path);
    if (!name) return in_given_order(files);
    sequences.try_emplace({name->before, name->after}, fmt::format("{}%0{}d{}{}", name->before, name->digits.size(),
                                                                   name->after, path.extension().string()));
    numbered.emplace_back(std::move(*name), path);
  }
  if (sequences.size() == 1) return by_number(std::move(numbered));
  if (sequences.size() == files.size()) return in_given_order(files);
  throw about(folder, Error(fmt::format("holds several sequences, {} and {}: name one by its pattern, as in {}",
                                        sequences.begin()->second, sequences.rbegin()->second,
                                        (folder / sequences.begin()->second).string())));
}

FrameSequence list_pattern(const std::string& text) {
  const fs::path named(text), folder = named.has_parent_path() ? named.parent_path() : fs::path(".");
  if (is_pattern(folder.string())) throw NamePattern::refusal(named);
  const NamePattern pattern = NamePattern::of(named);
  std::vector<std::pair<NumberedName, fs::path>> files;
  for (const fs::path& path : entries_of(folder)) {
    const std::string name = path.filename().string();
    const auto digits = pattern.match(name);
    if (!digits) continue;
    const auto number = number_of(*digits);
    if (!number) continue;
    const std::string after = pattern.after.substr(
        0, pattern.after.size() - std::min(pattern.after.size(), path.extension().string().size()));
    files.emplace_back(NumberedName{pattern.before, std::string(*digits), after, *number}, path);
  }
  if (files.empty()) throw Error(fmt::format("{}: no file has such a name", text));
  return by_number(std::move(files));
}

FrameSequence list_files(const std::vector<fs::path>& files) {
  std::vector<std::pair<NumberedName, fs::path>> numbered;
  bool counts = files.size() > 1, neighbours = false;
  for (const fs::path& path : files) {
    if (!is_there(path)) throw about(path, Error("there is no such file"));
    auto name = numbered_name(path);
    if (!name) {
      counts = false;
      continue;
    }
    if (!numbered.empty()) {
      const auto& [last, last_path] = numbered.back();
      counts = counts && name->before == last.before && name->after == last.after && name->number > last.number &&
               path.parent_path() == last_path.parent_path();
      neighbours = neighbours || name->number == last.number + 1;
    }
    numbered.emplace_back(std::move(*name), path);
  }
  return counts && neighbours ? by_number(std::move(numbered)) : in_given_order(files);
}

}  // namespace kinema::io
