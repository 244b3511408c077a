// body track under mpirun: the bits of one process, files from one rank, and an end for all when one of them ends.
#include "mpi.h"
#include "tracked.h"

namespace kinema::app {
namespace {

class RanksTrack : public TrackTest {
protected:
  void SetUp() override {
    static const std::string why = no_ranks();
    if (!why.empty()) GTEST_SKIP() << why;
  }

  static Arguments call(const std::filesystem::path& input, const std::string& out, const Arguments& more = {},
                        const std::string& particles = "37") {
    Arguments arguments = {"body", "track",       "--input", input.string(), "--out", out,     "--points",
                           "300",  "--particles", particles, "--backend",    "cpu",   "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }

  std::vector<std::string> lines(const std::string& name) const {
    std::vector<std::string> all;
    for (const nlohmann::json& line : lines_of(folder / name)) all.push_back(without_times(line));
    return all;
  }
};

TEST_F(RanksTrack, AnyNumberOfRanksGivesTheBitsOfOneProcess) {
  const std::filesystem::path input = recording("points");
  const Outcome alone = run_kinema(call(input, "alone.jsonl", {"--bvh", "alone.bvh"}), folder.folder());
  ASSERT_EQ(alone.exit_code, 0) << alone.err;
  const auto json = nlohmann::json::parse(alone.out);
  EXPECT_EQ(json["ranks"], 1);
  EXPECT_EQ(json["exchanged"]["bytes"], 0);
  ASSERT_GT(json["found"], 0);
  for (int ranks : {1, 2, 3, 4}) {
    const Outcome outcome = run_ranks(ranks, call(input, "ranks.jsonl", {"--bvh", "ranks.bvh"}), folder.folder());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(lines("ranks.jsonl"), lines("alone.jsonl")) << ranks;
    EXPECT_EQ(bytes_of(folder / "ranks.bvh"), bytes_of(folder / "alone.bvh")) << ranks;
    const auto shared = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(shared["ranks"], ranks);
    EXPECT_EQ(shared["found"], json["found"]);
    // at least a capsule and the log-likelihood of each particle that another rank weighs, twice a frame
    const int others = 37 - (37 + ranks - 1) / ranks;
    EXPECT_GE(shared["exchanged"]["bytes_per_frame"], 2 * others * (28 + 8)) << ranks;
    std::filesystem::remove(folder / "ranks.jsonl");
    std::filesystem::remove(folder / "ranks.bvh");
  }
}

TEST_F(RanksTrack, PartsOfOneProcessGiveTheSameBitsToo) {
  const std::filesystem::path input = recording("points");
  ASSERT_EQ(run_kinema(call(input, "alone.jsonl"), folder.folder()).exit_code, 0);
  for (const char* devices : {"0", "0,0,0", "0,1,2,3,4,5,6"}) {
    const Outcome outcome = run_kinema(call(input, "parts.jsonl", {"--devices", devices}), folder.folder());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(lines("parts.jsonl"), lines("alone.jsonl")) << devices;
  }
}

TEST_F(RanksTrack, AWrongInputIsOneLineAndLeavesNothing) {
  const Outcome outcome = run_ranks(3, call("nowhere", "poses.jsonl"), folder.folder());
  expect_one_line_of_kinema(outcome, 2, "nowhere");
  EXPECT_FALSE(std::filesystem::exists(folder / "poses.jsonl"));
  expect_one_line_of_kinema(run_ranks(2, call(recording("points"), "p.jsonl", {"--view"}), folder.folder()), 2,
                            "--view");
}

TEST_F(RanksTrack, AnOutputThatCannotBeWrittenEndsAllRanks) {
  const Outcome outcome = run_ranks(2, call(recording("points"), "none/poses.jsonl"), folder.folder());
  expect_one_line_of_kinema(outcome, 2, "there is no folder none");
}

// A rank that is killed in the middle: a limit of processor time ends it at a moment that no clock decides.
TEST_F(RanksTrack, ARankThatDiesEndsTheRunWithoutFiles) {
  std::string words;
  for (const std::string& word : call(recording("points"), "poses.jsonl", {}, "50000")) words += " '" + word + "'";
  const std::string command = std::string("exec ") + KINEMA_COMMAND + words;
  const Outcome outcome =
      run_program(mpirun, {"-n", "1", "sh", "-c", command, ":", "-n", "1", "sh", "-c", "ulimit -t 2; " + command},
                  folder.folder(), any_ranks());
  EXPECT_NE(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("rank 1"), std::string::npos) << "says which rank: " << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder / "poses.jsonl"));
}

}  // namespace
}  // namespace kinema::app
