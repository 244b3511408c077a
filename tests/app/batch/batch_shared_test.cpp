// kinema batch with jobs that share a process, as they do on a GPU: the bits of each alone, and a process that ends takes
// no job with it.
#include "batch.h"
#include "live.h"

#include <fmt/format.h>

#include <csignal>
#include <fstream>
#include <map>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class BatchShared : public BatchTest {
protected:
  static bool serves_jobs(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/cmdline", process));
    std::string program, verb;
    std::getline(file, program, '\0');
    std::getline(file, verb, '\0');
    return verb == "batch-worker";
  }

  static const Arguments four_at_once;
};

const Arguments BatchShared::four_at_once = {"--per-process", "4", "--at-once", "4", "--json"};

TEST_F(BatchShared, GivesTheBitsAndRecordsOfJobsWithProcessesOfTheirOwn) {
  for (int i = 0; i < 9; ++i) record(fmt::format("{}", i), 1 + i % 3);
  ASSERT_EQ(batch({"--at-once", "1"}).exit_code, 0);
  std::map<std::string, std::string> expected;
  for (const std::string& name : done()) expected[name] = poses(name);
  const json alone = job_record("2.body");
  fs::remove_all(folder / "out");

  const Outcome outcome = batch(four_at_once);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(json::parse(outcome.out)["frames"], 18);
  for (const auto& [name, lines] : expected) EXPECT_EQ(poses(name), lines) << name;
  const json shared = job_record("2.body");
  for (const char* same : {"state", "attempts", "exit", "signal", "error", "bytes_in", "gpu"}) {
    EXPECT_EQ(shared[same], alone[same]) << same;
  }
  for (const char* same : {"frames", "found", "particles", "deviation_mm", "results"}) {
    EXPECT_EQ(shared["run"][same], alone["run"][same]) << same;
  }
  EXPECT_GT(shared["cpu_seconds"], 0);
  EXPECT_GT(shared["peak_bytes"], 1000000);
  expect_no_work_left();
}

TEST_F(BatchShared, TrackersOfAllKindsShareAProcess) {
  if (!pictures()) GTEST_SKIP() << "this build has no OpenCV";
  record_head("anna");
  for (int i = 0; i < 3; ++i) {
    fs::copy(folder / "recordings/anna", folder / fmt::format("recordings/berta{}", i));
    record(fmt::format("walk{}", i), 2);
  }
  Arguments arguments = four_at_once;
  arguments.insert(arguments.end(), {"--head", "--filter anna.json"});
  const Outcome outcome = batch(arguments);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(done().size(), 7u);
  const std::string expected = bytes_of(results("anna.head") / "head.csv");
  EXPECT_FALSE(expected.empty());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(bytes_of(results(fmt::format("berta{}.head", i)) / "head.csv"), expected);
    EXPECT_EQ(poses(fmt::format("walk{}.body", i)), poses("walk0.body"));
  }
}

TEST_F(BatchShared, WhatFailsLeavesTheOthersAlone) {
  for (int i = 0; i < 6; ++i) record(fmt::format("{}", i));
  std::ofstream(folder / "recordings/1/camera.json") << "junk";
  std::ofstream(folder / "jobs.txt") << fmt::format(
      "recordings/0 body {0}\nrecordings/1 body {0}\nrecordings/2 body {0} --near 50 --far 60\nrecordings/3 body {0}\n"
      "recordings/4 body {0} --no-such-option\nrecordings/5 body {0}\n",
      cheap);
  Arguments arguments = {"batch", "jobs.txt", "--out", "out"};
  arguments.insert(arguments.end(), four_at_once.begin(), four_at_once.end());
  const Outcome outcome = run_kinema(arguments, folder.folder());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(json::parse(outcome.out)["errors"], json({{"nobody found", 1}, {"wrong input", 2}})) << outcome.err;
  EXPECT_EQ(done().size(), 3u);
  const json broken = job_record("recordings-1.body");
  EXPECT_EQ(broken["attempts"], 1);
  EXPECT_NE(broken["error"].get<std::string>().find("camera.json"), std::string::npos) << broken;
  EXPECT_NE(bytes_of(results("recordings-1.body") / "log.txt").find("camera.json"), std::string::npos);
  EXPECT_EQ(job_record("recordings-2.body")["attempts"], 1);
  EXPECT_NE(job_record("recordings-4.body")["error"].get<std::string>().find("--no-such-option"), std::string::npos);
  expect_no_work_left();
}

TEST_F(BatchShared, JobsOfAProcessThatEndsAreTriedAlone) {
  constexpr std::size_t jobs = 12;
  for (std::size_t i = 0; i < jobs; ++i) record(fmt::format("{:02}", i), 4);
  Arguments arguments = call(four_at_once);
  RunningCommand running(arguments, folder.folder());
  // as soon as jobs are under way in it
  bool killed = false;
  while (!killed) {
    for (pid_t child : children_of(running.process())) {
      if (!serves_jobs(child) || !fs::exists(folder / "out/work/00.body/log.txt")) continue;
      ASSERT_EQ(::kill(child, SIGKILL), 0);
      killed = true;
    }
  }
  const Outcome outcome = running.wait();
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("ended by signal 9"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("it is tried alone"), std::string::npos) << outcome.err;
  EXPECT_EQ(done().size(), jobs);
  // it was not the fault of the jobs
  for (const std::string& name : done()) EXPECT_EQ(job_record(name)["attempts"], 1) << name;
  expect_no_work_left();
}

TEST_F(BatchShared, IsNotListedInTheHelp) {
  EXPECT_EQ(run_kinema({"--help"}, folder.folder()).out.find("batch-worker"), std::string::npos);
}

}  // namespace
}  // namespace kinema::app
