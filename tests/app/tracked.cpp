#include "tracked.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace kinema::app {
namespace fs = std::filesystem;

std::vector<nlohmann::json> lines_of(const fs::path& path) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(bytes_of(path));
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

std::string without_times(nlohmann::json line) {
  line.erase("ms");
  return line.dump();
}

double mean_error(const nlohmann::json& line, const nlohmann::json& truth) {
  double sum = 0;
  for (const auto& [name, place] : truth["joints"].items()) {
    const nlohmann::json& other = line["joints"].at(name);
    sum += std::hypot(other[0].get<double>() - place[0].get<double>(), other[1].get<double>() - place[1].get<double>(),
                      other[2].get<double>() - place[2].get<double>());
  }
  return sum / static_cast<double>(truth["joints"].size());
}

namespace {

const Problem& shared() {
  static const Problem problem{1, 1};
  return problem;
}

}  // namespace

fs::path TrackTest::recording(const std::string& mode) {
  static std::map<std::string, fs::path> made;
  if (const auto found = made.find(mode); found != made.end()) return found->second;
  const int count = mode == "depth" ? frames : mode == "points" ? 4 : 3;
  const std::string motion = KINEMA_SAMPLES "/walk.bvh";
  Arguments arguments = {"body", "simulate", "--motion", motion,     "--mode",
                         mode,   "--out",    mode,       "--frames", std::to_string(count)};
  if (mode == "depth") arguments.push_back("--write-background");
  const Outcome outcome = run_kinema(arguments, shared().folder());
  if (outcome.exit_code != 0) throw std::runtime_error(outcome.err);
  if (mode == "depth") fs::rename(shared() / "depth/background.png", shared() / "empty.png");
  return made[mode] = shared() / mode;
}

fs::path TrackTest::empty_scene() {
  recording();
  return shared() / "empty.png";
}

fs::path TrackTest::depth_of(const fs::path& folder, int i) { return folder / fmt::format("depth/{:06}.png", i); }

fs::path TrackTest::copy(const std::string& name, const std::string& mode) const {
  const fs::path from = recording(mode), to = folder / name;
  fs::copy(from, to, fs::copy_options::recursive);
  fs::remove_all(to / "colour");
  return to;
}

Outcome TrackTest::track(const fs::path& input, Arguments more) const {
  Arguments arguments = {"body", "track", "--input", input.string()};
  const auto unless_given = [&](const std::string& flag, const std::string& value) {
    if (std::find(more.begin(), more.end(), flag) == more.end()) arguments.insert(arguments.end(), {flag, value});
  };
  unless_given("--out", "poses.jsonl");
  unless_given("--particles", "40");
  unless_given("--points", "1000");
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run_kinema(arguments, folder.folder());
}

std::vector<nlohmann::json> TrackTest::tracked(const fs::path& input, const Arguments& more) const {
  const Outcome outcome = track(input, more);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return lines_of(folder / "poses.jsonl");
}

void TrackTest::refuses(const fs::path& input, const Arguments& more, const std::string& says) const {
  SCOPED_TRACE(says);
  expect_one_line(track(input, more), 2, says);
  EXPECT_FALSE(fs::exists(folder / "poses.jsonl"));
  EXPECT_FALSE(fs::exists(folder / "poses.jsonl.partial"));
}

}  // namespace kinema::app
