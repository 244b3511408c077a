// Several ranks under mpirun give the bits of one, and one error line between them.
#include "command.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace kinema::app {
namespace {

#ifdef KINEMA_MPIRUN
constexpr const char* mpirun = KINEMA_MPIRUN;
#else
constexpr const char* mpirun = nullptr;
#endif

// More ranks than cores, and as root, as in a container.
const Environment anywhere = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
                              {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
                              {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
                              {"OMPI_MCA_hwloc_base_binding_policy", "none"},
                              {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
                              {"KINEMA_BACKEND", "cpu"}};

Outcome run_ranks(int ranks, const Arguments& arguments, const Problem& problem) {
  Arguments all = {"-n", std::to_string(ranks), KINEMA_COMMAND};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_program(mpirun, all, problem.folder(), anywhere);
}

class Mpi : public testing::Test {
protected:
  void SetUp() override {
    if (mpirun == nullptr) GTEST_SKIP() << "MPI is not built in";
    if (run_program(mpirun, {"-n", "2", "true"}, problem.folder(), anywhere).exit_code != 0) {
      GTEST_SKIP() << "mpirun does not start two ranks here";
    }
  }
  Arguments likelihood(const std::string& out, const Arguments& more = {}) const {
    Arguments arguments = {"body", "likelihood", "--points", "points.npy", "--capsules", "capsules.npy", "--out", out};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  // mpirun adds a note of its own about the exit code; of kinema there is one line
  static void expect_one_line_of_kinema(const Outcome& outcome, int exit_code, const std::string& says) {
    EXPECT_EQ(outcome.exit_code, exit_code) << outcome.err;
    const std::size_t at = outcome.err.find("kinema: ");
    ASSERT_NE(at, std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("kinema: ", at + 1), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find(says), std::string::npos) << outcome.err;
  }
  Problem problem;
};

TEST_F(Mpi, AnyNumberOfRanksGivesTheSameBits) {
  ASSERT_EQ(problem.likelihood({"--backend", "cpu"}).exit_code, 0);
  const std::string expected = bytes_of(problem / "L.npy");
  // 7 samples: uneven slices, and with 9 ranks some without a sample
  for (int ranks : {2, 3, 9}) {
    const std::string out = "ranks" + std::to_string(ranks) + ".npy";
    const Outcome outcome = run_ranks(ranks, likelihood(out, {"--json"}), problem);
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
  const Outcome outcome = run_ranks(3, likelihood("L.npy"), problem);
  expect_one_line_of_kinema(outcome, 2, "capsules.npy: [6, 0, 3] (r) is -1");
  EXPECT_FALSE(std::filesystem::exists(problem / "L.npy"));
}

TEST_F(Mpi, AWrongCallIsOneLine) {
  expect_one_line_of_kinema(run_ranks(3, {"body", "likelihood"}, problem), 2, "is required");
  expect_one_line_of_kinema(run_ranks(3, likelihood("L.npy", {"--association", "last"}), problem), 2, "'last'");
  expect_one_line_of_kinema(run_ranks(3, likelihood("none/L.npy"), problem), 2, "there is no folder none");
}

TEST_F(Mpi, AFullDeviceIsOneLineAndExit1) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  expect_one_line_of_kinema(run_ranks(3, likelihood("/dev/full"), problem), 1, "No space left");
}

TEST_F(Mpi, VerbsThatShareNothingRunOnce) {
  const Outcome outcome = run_ranks(3, {"devices", "--json"}, problem);
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(nlohmann::json::accept(outcome.out)) << outcome.out;
}

}  // namespace
}  // namespace kinema::app
