// kinema batch, killed at random moments a hundred times: no job that was done is lost or changed, and nothing is
// corrupted.
#include "batch.h"
#include "core/stopwatch.h"
#include "live.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <thread>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;

// By the arguments that say where jobs run: each in a process of its own, or several in one.
class BatchKill : public BatchTest, public ::testing::WithParamInterface<Arguments> {};

TEST_P(BatchKill, KilledAHundredTimesItLosesOnlyTheJobsUnderWay) {
  constexpr int kills = 100, jobs = 60, failing = 3;

  // an undisturbed job of each length, and the time that one takes here and now
  record("00", 1);
  record("01", 2);
  const Stopwatch watch;
  ASSERT_EQ(batch({"--at-once", "1"}).exit_code, 0);
  const double one_job_ms = watch.ms() / 2;
  const std::string expected[] = {poses("00.body"), poses("01.body")};
  fs::remove_all(folder / "out");

  for (int i = 2; i < jobs; ++i) record(fmt::format("{:02}", i), 1 + i % 2);
  for (int i = 2; i < 2 + failing; ++i) fs::resize_file(folder / fmt::format("recordings/{:02}/camera.json", i), 3);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> moment(0, 1.5 * one_job_ms);  // starting, working, finishing jobs
  std::map<std::string, std::string> records;                          // of the jobs that were done after a kill
  for (int kill = 0; kill < kills; ++kill) {
    RunningCommand running(call(GetParam()), folder.folder());
    std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(moment(random)));
    running.signal(SIGKILL);
    running.wait();
    for (const auto& [name, before] : records) {
      ASSERT_EQ(bytes_of(results(name) / "job.json"), before) << name << " after kill " << kill;
    }
    for (const std::string& name : done()) records[name] = bytes_of(results(name) / "job.json");
  }
  RecordProperty("done_before_the_last_run", static_cast<int>(records.size()));

  Arguments arguments = GetParam();
  arguments.push_back("--json");
  const Outcome last = batch(arguments);
  EXPECT_EQ(last.exit_code, 1) << last.err;
  const auto sums = nlohmann::json::parse(last.out);
  EXPECT_EQ(sums["done"], jobs - failing);
  EXPECT_EQ(sums["failed"], failing);
  EXPECT_EQ(sums["shard"]["skipped"], records.size());
  expect_no_work_left();
  for (int i = 5; i < jobs; ++i) {
    const std::string name = fmt::format("{:02}.body", i);
    EXPECT_EQ(poses(name), expected[i % 2]) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(BatchJobs, BatchKill,
                         ::testing::Values(Arguments{}, Arguments{"--per-process", "3", "--at-once", "3"}),
                         [](const auto& test) { return test.param.empty() ? "Alone" : "InOneProcess"; });

}  // namespace
}  // namespace kinema::app
