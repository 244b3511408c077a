#include "batch.h"

#include <fmt/format.h>

namespace kinema::app {
namespace fs = std::filesystem;

const std::string BatchTest::cheap = "--particles 20 --points 200 --layers 1 --refined 2 --rivals 0 --no-shape --lag 0";

void BatchTest::record(const std::string& name, int count) const {
  const fs::path from = recording("points"), to = folder / "recordings" / name;
  fs::create_directories(to / "points");
  fs::copy(from / "camera.json", to / "camera.json");
  for (int i = 0; i < count; ++i) {
    const std::string file = fmt::format("points/{:06}.npy", i);
    fs::create_hard_link(from / file, to / file);
  }
}

Arguments BatchTest::call(const Arguments& more) {
  Arguments arguments = {"batch", "recordings", "--out", "out", "--body", cheap};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Outcome BatchTest::batch(const Arguments& more, const Environment& environment) const {
  return run_kinema(call(more), folder.folder(), environment);
}

nlohmann::json BatchTest::job_record(const std::string& job) const {
  return nlohmann::json::parse(bytes_of(results(job) / "job.json"));
}

std::string BatchTest::poses(const std::string& job) const {
  std::string text;
  for (const nlohmann::json& line : lines_of(results(job) / "poses.jsonl")) text += without_times(line) + "\n";
  return text;
}

std::set<std::string> BatchTest::done() const {
  std::set<std::string> names;
  if (!fs::exists(folder / "out/results")) return names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "out/results")) {
    const std::string name = entry.path().filename().string();
    if (job_record(name)["state"] == "done") names.insert(name);
  }
  return names;
}

void BatchTest::expect_no_work_left() const {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "out/work")) {
    EXPECT_EQ(entry.path().filename(), "report.lock");
  }
}

}  // namespace kinema::app
