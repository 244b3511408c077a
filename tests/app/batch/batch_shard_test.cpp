// kinema batch --shard: parts that share nothing but a folder, as Slurm, MPI and GNU parallel start them.
#include "batch.h"

#include <fmt/format.h>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class BatchShard : public BatchTest {
protected:
  // "3/12": the part that a call takes
  std::string part(const Environment& environment, const Arguments& more = {}) const {
    Arguments all = {"--json", "--report"};
    all.insert(all.end(), more.begin(), more.end());
    const Outcome outcome = batch(all, environment);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out)["shard"]["part"];
  }
};

TEST_F(BatchShard, EveryJobBelongsToOneShardAndTheReportsMerge) {
  for (int i = 0; i < 7; ++i) record(fmt::format("{}", i), 1 + i % 3);
  std::size_t jobs = 0;
  for (int i = 1; i <= 3; ++i) {
    const Outcome outcome = batch({"--json", "--shard", fmt::format("{}/3", i)});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const json sums = json::parse(outcome.out);
    EXPECT_EQ(sums["shard"]["skipped"], 0);
    EXPECT_EQ(sums["shard"]["done"], sums["shard"]["jobs"]);
    jobs += sums["shard"]["jobs"].get<std::size_t>();
    EXPECT_EQ(sums["jobs"], 7);
    EXPECT_EQ(sums["done"], jobs);
    EXPECT_EQ(sums["waiting"], 7 - jobs);
  }
  EXPECT_EQ(jobs, 7u);
  EXPECT_EQ(done().size(), 7u);
  EXPECT_NE(report_data(folder / "out/batch.html").dump().find("7 of 7"), std::string::npos);
}

TEST_F(BatchShard, ShardsHaveAboutTheSameLength) {
  // one long recording against many short ones: it gets a shard of its own
  for (int i = 0; i < 4; ++i) record(fmt::format("short{}", i), 1);
  record("long", 4);
  for (int i = 10; i < 14; ++i)
    fs::copy(folder / "recordings/long/points/000000.npy", folder / fmt::format("recordings/long/points/{:06}.npy", i));
  const json first = json::parse(batch({"--json", "--shard", "1/2"}).out);
  EXPECT_EQ(first["shard"]["jobs"], 1);
  EXPECT_EQ(done(), std::set<std::string>{"long.body"});
}

TEST_F(BatchShard, MoreShardsThanJobsAreNoError) {
  record("a");
  EXPECT_EQ(batch({"--shard", "2/2"}).exit_code, 0);
  EXPECT_TRUE(done().empty());
}

TEST_F(BatchShard, IsTakenFromTheArrayOfSlurm) {
  record("a");
  EXPECT_EQ(part({{"SLURM_ARRAY_TASK_ID", "3"}, {"SLURM_ARRAY_TASK_COUNT", "12"}, {"SLURM_ARRAY_TASK_MIN", "0"}}),
            "4/12");
  EXPECT_EQ(part({{"SLURM_ARRAY_TASK_ID", "12"}, {"SLURM_ARRAY_TASK_COUNT", "12"}, {"SLURM_ARRAY_TASK_MIN", "1"}}),
            "12/12");
  EXPECT_EQ(part({{"SLURM_ARRAY_TASK_ID", "7"},
                  {"SLURM_ARRAY_TASK_COUNT", "4"},
                  {"SLURM_ARRAY_TASK_MIN", "3"},
                  {"SLURM_ARRAY_TASK_STEP", "2"}}),
            "3/4");
  // the command line has the last word
  EXPECT_EQ(part({{"SLURM_ARRAY_TASK_ID", "3"}, {"SLURM_ARRAY_TASK_COUNT", "12"}}, {"--shard", "1/2"}), "1/2");
  expect_one_line(
      batch({}, {{"SLURM_ARRAY_TASK_ID", "9"}, {"SLURM_ARRAY_TASK_COUNT", "2"}, {"SLURM_ARRAY_TASK_MIN", "3"}}), 2,
      "the array has gaps; give --shard");
}

TEST_F(BatchShard, IsTakenFromTheRanksOfMpi) {
#ifdef KINEMA_MPIRUN
  GTEST_SKIP() << "these variables alone would start MPI";
#endif
  record("a");
  EXPECT_EQ(part({{"OMPI_COMM_WORLD_RANK", "2"}, {"OMPI_COMM_WORLD_SIZE", "5"}}), "3/5");
  EXPECT_EQ(part({{"PMI_RANK", "0"}, {"PMI_SIZE", "2"}}), "1/2");
  // ranks divide the part of a task
  EXPECT_EQ(part({{"SLURM_ARRAY_TASK_ID", "1"},
                  {"SLURM_ARRAY_TASK_COUNT", "3"},
                  {"SLURM_ARRAY_TASK_MIN", "0"},
                  {"PMI_RANK", "1"},
                  {"PMI_SIZE", "4"}}),
            "6/12");
}

}  // namespace
}  // namespace kinema::app
