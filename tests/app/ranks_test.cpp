// Several ranks under mpirun give the bits of one, and one error line between them.
#include "mpi.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace kinema::app {
namespace {

class Mpi : public testing::Test {
protected:
  void SetUp() override {
    if (const std::string why = no_ranks(); !why.empty()) GTEST_SKIP() << why;
  }
  Arguments likelihood(const std::string& out, const Arguments& more = {}) const {
    Arguments arguments = {"body", "likelihood", "--points", "points.npy", "--capsules", "capsules.npy", "--out", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  Problem problem;
};

TEST_F(Mpi, AnyNumberOfRanksGivesTheSameBits) {
  ASSERT_EQ(problem.likelihood({"--backend", "cpu"}).exit_code, 0);
  const std::string expected = bytes_of(problem / "L.npy");
  // 7 samples: uneven slices, and with 9 ranks some without a sample
  for (int ranks : {2, 3, 9}) {
    const std::string out = "ranks" + std::to_string(ranks) + ".npy";
    const Outcome outcome = run_ranks(ranks, likelihood(out, {"--json"}), problem.folder());
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(bytes_of(problem / out), expected) << ranks;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["ranks"], ranks);
    EXPECT_EQ(json["samples"], 7);
  }
}

TEST_F(Mpi, AnErrorOnOneRankIsOneLineWithItsPlaceInTheFile) {
  // only the last of three ranks sees sample 6
  problem.capsules[6 * 48 * 7 + 3] = -1;
  problem.save("capsules.npy", problem.capsules, {7, 48, 7});
  const Outcome outcome = run_ranks(3, likelihood("L.npy"), problem.folder());
  expect_one_line_of_kinema(outcome, 2, "capsules.npy: [6, 0, 3] (r) is -1");
  EXPECT_FALSE(std::filesystem::exists(problem / "L.npy"));
}

TEST_F(Mpi, AWrongCallIsOneLine) {
  expect_one_line_of_kinema(run_ranks(3, {"body", "likelihood"}, problem.folder()), 2, "is required");
  expect_one_line_of_kinema(run_ranks(3, likelihood("L.npy", {"--association", "last"}), problem.folder()), 2,
                            "'last'");
  expect_one_line_of_kinema(run_ranks(3, likelihood("none/L.npy"), problem.folder()), 2, "there is no folder none");
}

TEST_F(Mpi, AFullDeviceIsOneLineAndExit1) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  expect_one_line_of_kinema(run_ranks(3, likelihood("/dev/full"), problem.folder()), 1, "No space left");
}

TEST_F(Mpi, TheBenchmarkHasTablesOfStrongAndWeakScaling) {
  const Arguments call = {"bench", "body",    "--points", "300",   "--samples",
                          "20",    "--quick", "--json",   "--out", "results"};
  const Outcome outcome = run_ranks(2, call, problem.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["ranks"], 2);
  int strong = 0, weak = 0;
  for (const auto& row : json["scaling"]) {
    EXPECT_GT(row["ms"], 0);
    EXPECT_GT(row["efficiency"], 0);
    if (row["what"] == "likelihood") {
      EXPECT_EQ(row["samples"], row["scaling"] == "strong" ? 20 : 10 * row["ranks"].get<int>());
    } else {
      EXPECT_EQ(row["bytes_per_frame"] > 0, row["ranks"] == 2);
    }
    ++(row["scaling"] == "strong" ? strong : weak);
  }
  EXPECT_EQ(strong, 4);  // the likelihood and a tracked frame, on one rank and on two
  EXPECT_EQ(weak, 4);
  for (const char* name : {"body-ranks.txt", "body-ranks.json", "body-ranks.html"})
    EXPECT_TRUE(std::filesystem::exists(problem / ("results/" + std::string(name)))) << name;
}

TEST_F(Mpi, VerbsThatShareNothingRunOnce) {
  const Outcome outcome = run_ranks(3, {"devices", "--json"}, problem.folder());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(nlohmann::json::accept(outcome.out)) << outcome.out;
}

TEST(NoMpi, SaysThatItIsNotBuiltIn) {
  if (mpirun != nullptr) GTEST_SKIP() << "MPI is built in";
  const Problem problem;
  expect_one_line(problem.likelihood({}, {{"OMPI_COMM_WORLD_SIZE", "2"}}), 2, "MPI is not built in");
}

}  // namespace
}  // namespace kinema::app
