#include "app/options/places.h"

#include "io/files/frame_files.h"
#include "io/files/input_file.h"
#include "io/recordings/recording_kinds.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;

constexpr std::array recording_files = {"camera.json", "skeleton.json", "truth.jsonl", "background.png", "rig.json"};

// One name for all names of a place, also of one that does not exist yet.
fs::path one_name(const fs::path& path) {
  std::error_code error;
  const fs::path followed = fs::weakly_canonical(fs::absolute(path, error), error);
  return followed.has_filename() ? followed : followed.parent_path();
}

bool among(const auto& list, const fs::path& name) {
  return std::find(list.begin(), list.end(), name.string()) != list.end();
}

// Whether a tracker that reads the frames in `folder` reads this place too.
bool read_from(const fs::path& folder, const fs::path& place) {
  if (place.parent_path() == folder && among(recording_files, place.filename())) return true;
  const fs::path inside = place.lexically_relative(folder);
  return !inside.empty() && among(io::frame_folders, *inside.begin());
}

bool read_with(const fs::path& input, bool of_frames, const fs::path& place) {
  if (place == input) return true;
  std::error_code ignored;
  if (fs::equivalent(place, input, ignored)) return true;  // by another link
  if (!of_frames) return false;
  if (io::is_folder(input)) {
    const io::FileKind kind = io::kind_of(place);
    const bool frame = kind == io::FileKind::picture || kind == io::FileKind::cloud;
    return read_from(input, place) || (frame && place.parent_path() == input);
  }
  const std::string name = input.filename().string();
  const fs::path folder = input.parent_path();
  if (!io::is_there(input)) {
    if (!io::is_pattern(name)) return false;  // a live source
    if (place.parent_path() == folder && io::NamePattern::of(input).match(place.filename().string())) return true;
  }
  // what describes frames lies beside them or above
  return (place.parent_path() == folder || place.parent_path() == folder.parent_path()) &&
         among(recording_files, place.filename());
}

}  // namespace

void check_places(const std::vector<Place>& lines, const std::vector<Place>& others, const std::vector<Place>& inputs,
                  CommonOptions& common) {
  for (const Place& output : others) {
    if (output.name == "-") {
      throw Error(fmt::format("{} cannot go to standard output: give the name of a file", output.flag));
    }
  }
  std::vector<Place> read;  // of several in one word, as left,right, each
  for (const Place& input : inputs) {
    read.push_back(input);
    if (input.name.find(',') == std::string::npos) continue;
    for (const std::string& part : split(input.name, ',')) read.push_back({input.flag, part});
  }
  std::vector<Place> outputs = lines;
  outputs.insert(outputs.end(), others.begin(), others.end());
  std::map<fs::path, const char*> places;
  for (const auto& [flag, name] : outputs) {
    std::error_code ignored;
    if (name.empty() || fs::is_character_file(name, ignored)) continue;
    const fs::path place = name == "-" ? fs::path(name) : one_name(name);
    const auto [other, first] = places.emplace(place, flag);
    if (!first) throw Error(fmt::format("{}: {} and {} name the same file", name, other->second, flag));
    if (name == "-") {
      if (common.json) throw Error("--json and the results cannot both go to standard output: give --out a file");
      common.console.out = common.console.err;
      continue;
    }
    for (const Place& input : read) {
      const bool of_frames = std::string_view(input.flag) == "--input";
      if (input.name.empty() || !read_with(one_name(input.name), of_frames, place)) continue;
      throw Error(fmt::format("{}: {} would overwrite what {} names: give another name", name, flag, input.flag));
    }
  }
}

void print_written(const std::vector<std::string>& outputs, const CommonOptions& common) {
  std::vector<std::string> written;
  for (const std::string& name : outputs) {
    std::error_code ignored;
    if (name.empty() || name == "-" || fs::is_character_file(name, ignored)) continue;
    const fs::path path = name;
    if (io::is_there(path) || io::is_pattern(path.filename().string())) written.push_back(name);
  }
  if (!common.json && !written.empty()) fmt::print(common.console.out, "wrote {}\n", fmt::join(written, ", "));
}

}  // namespace kinema::app
