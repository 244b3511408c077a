#include "batch.h"

#include "io/pictures/image_file.h"
#include "synth/head_clip.h"

#include <fmt/format.h>

#include <fstream>

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

void BatchTest::record_head(const std::string& name) const {
  const synth::HeadClip clip{{.width = 320, .height = 240}};
  const fs::path pictures = folder / "recordings" / name;
  fs::create_directories(pictures);
  for (std::size_t i = 0; i < 3; ++i) io::write_picture_png(pictures / fmt::format("{:06}.png", i), clip.picture(i));
  const synth::HeadTruth head = clip.truth(0);
  const Outcome outcome =
      run_kinema({"head", "calibrate", "--input", (pictures / "000000.png").string(), "--oval",
                  fmt::format("{},{},{},{}", head.x, head.y, head.rx, head.ry), "--out", name + ".json"},
                 folder.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
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

std::vector<pid_t> BatchTest::children_of(pid_t parent) {
  std::vector<pid_t> children;
  std::ifstream file(fmt::format("/proc/{0}/task/{0}/children", parent));
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

void BatchTest::expect_no_work_left() const {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "out/work")) {
    EXPECT_EQ(entry.path().filename(), "report.lock");
  }
}

}  // namespace kinema::app
