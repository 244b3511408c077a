// kinema body likelihood, from files to a file.
#include "command.h"

#include "io/files/npy.h"
#include "kinema/body.h"

#include <fmt/format.h>
#include <sys/mount.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

namespace kinema::app {
namespace {

// The numbers of an (n,) float64 file of version 1.0, read without the code under test.
std::vector<double> doubles_of(const std::filesystem::path& path) {
  const std::string bytes = bytes_of(path);
  EXPECT_NE(bytes.find("'<f8'"), std::string::npos);
  const std::size_t start =
      10 + static_cast<unsigned char>(bytes.at(8)) + 256 * static_cast<unsigned char>(bytes.at(9));
  std::vector<double> values((bytes.size() - start) / sizeof(double));
  if (!values.empty()) std::memcpy(values.data(), bytes.data() + start, values.size() * sizeof(double));
  EXPECT_NE(bytes.find(fmt::format("'shape': ({},)", values.size())), std::string::npos);
  return values;
}

std::vector<double> by_library(const Problem& problem, const body::LikelihoodSettings& settings, Backend backend,
                               std::span<const std::uint8_t> background = {}) {
  const auto likelihood = body::make_likelihood(settings, backend);
  likelihood->set_points({problem.points.data(), problem.points.size() / 3, background});
  std::vector<double> result(problem.samples);
  const std::size_t each = problem.capsules.size() / problem.samples / 7;
  likelihood->evaluate({problem.capsules.data(), problem.samples, each, 7}, result);
  return result;
}

void expect_done(const Outcome& outcome) { EXPECT_EQ(outcome.exit_code, 0) << outcome.err; }

TEST(BodyLikelihood, WritesWhatTheLibraryComputes) {
  const Problem problem;
  for (Backend backend : {Backend::reference, Backend::cpu}) {
    const Outcome outcome = problem.likelihood({"--backend", std::string(name(backend))});
    expect_done(outcome);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(doubles_of(problem / "L.npy"), by_library(problem, {}, backend));
  }
}

TEST(Gpu, CommandWritesWhatTheLibraryComputes) {
  if (!available(Backend::cuda)) GTEST_SKIP() << "there is no GPU, or CUDA is not built in";
  const Problem problem;
  expect_done(problem.likelihood({"--backend", "cuda"}));
  EXPECT_EQ(doubles_of(problem / "L.npy"), by_library(problem, {}, Backend::cuda));
}

TEST(BodyLikelihood, HandsEverySettingOn) {
  const Problem problem;
  body::LikelihoodSettings settings;
  settings.tau = 0.2;
  settings.sigma = 0.01;
  settings.association = body::Association::first_hit;
  settings.camera = {-0.1, 0.05, 0.2};
  expect_done(problem.likelihood({"--backend", "reference", "--tau", "0.2", "--sigma", "0.01", "--association",
                                  "first-hit", "--camera", "-0.1,0.05,0.2", "--threads", "1"}));
  EXPECT_EQ(doubles_of(problem / "L.npy"), by_library(problem, settings, Backend::reference));
}

TEST(BodyLikelihood, ReadsBackgroundMarks) {
  const Problem problem;
  std::vector<std::uint8_t> marks(problem.points.size() / 3);
  for (std::size_t i = 0; i < marks.size(); i += 3) marks[i] = 1;
  std::string bytes("\x93NUMPY\x01\x00", 8);
  const std::string dict = fmt::format("{{'descr': '|b1', 'fortran_order': False, 'shape': ({},), }}\n", marks.size());
  bytes += static_cast<char>(dict.size());
  bytes += '\0';
  bytes += dict;
  bytes.append(reinterpret_cast<const char*>(marks.data()), marks.size());
  std::ofstream(problem / "marks.npy", std::ios::binary) << bytes;

  expect_done(problem.likelihood({"--backend", "cpu", "--background", "marks.npy"}));
  EXPECT_EQ(doubles_of(problem / "L.npy"), by_library(problem, {}, Backend::cpu, marks));
  expect_done(problem.likelihood({"--backend", "cpu", "--background", "marks.npy", "--no-free-space"}));
  EXPECT_EQ(doubles_of(problem / "L.npy"), by_library(problem, {}, Backend::cpu));

  problem.save("few.npy", std::vector<float>(3, 0.5f), {1, 3});
  expect_one_line(problem.likelihood({"--points", "few.npy", "--background", "marks.npy"}), 2,
                  "marks.npy: marks 500 points where few.npy has 1");
}

TEST(BodyLikelihood, SameBitsWithAnyThreadsAndWithoutCulling) {
  const Problem problem;
  expect_done(problem.likelihood({"--backend", "cpu"}));
  const std::string expected = bytes_of(problem / "L.npy");
  for (const Arguments& more : {Arguments{"--threads", "1"}, {"--threads", "3"}, {"--no-culling"}}) {
    Arguments arguments = {"--backend", "cpu"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    expect_done(problem.likelihood(arguments));
    EXPECT_EQ(bytes_of(problem / "L.npy"), expected) << more[0];
  }
}

TEST(BodyLikelihood, CountsDroppedPointsInOneLine) {
  Problem problem;
  problem.points[0] = std::numeric_limits<float>::quiet_NaN();
  problem.points[4] = std::numeric_limits<float>::infinity();
  problem.points[6] = problem.points[7] = problem.points[8] = 0;  // at the camera
  problem.save("points.npy", problem.points, {500, 3});
  const Outcome outcome = problem.likelihood({"--json"});
  expect_done(outcome);
  EXPECT_EQ(outcome.err, "kinema: points.npy: dropped 3 of 500 points, which are not finite or lie at the camera\n");
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["points"], 500);
  EXPECT_EQ(json["used"], 497);
  EXPECT_EQ(json["dropped"], 3);
}

TEST(BodyLikelihood, JsonHoldsCountsTimesAndResults) {
  const Problem problem;
  const Outcome outcome = problem.likelihood({"--json", "--backend", "cpu"});
  expect_done(outcome);
  const auto json = nlohmann::json::parse(outcome.out);
  const std::vector<double> values = doubles_of(problem / "L.npy");
  EXPECT_EQ(json["backend"], "cpu");
  EXPECT_EQ(json["samples"], 7);
  EXPECT_EQ(json["capsules"], 48);
  EXPECT_EQ(json["ranks"], 1);
  for (const char* stage : {"read", "set_points", "evaluate", "write"}) EXPECT_GE(json["ms"][stage].get<double>(), 0);
  EXPECT_TRUE(json["ms"]["stages"].is_object());
  const std::size_t best = json["results"]["best"]["sample"];
  EXPECT_EQ(best, 0u);  // the true pose
  EXPECT_EQ(json["results"]["best"]["log_likelihood"], values[best]);
  EXPECT_EQ(json["results"]["max"], *std::max_element(values.begin(), values.end()));
  EXPECT_EQ(json["results"]["min"], *std::min_element(values.begin(), values.end()));
}

TEST(BodyLikelihood, EmptyArraysAreNoErrors) {
  const Problem problem;
  problem.save<float>("none.npy", {}, {0, 3});
  expect_done(problem.likelihood({"--points", "none.npy"}));
  EXPECT_EQ(doubles_of(problem / "L.npy"), std::vector<double>(7, 0.0));

  problem.save<float>("no_samples.npy", {}, {0, 48, 7});
  const Outcome outcome = problem.likelihood({"--capsules", "no_samples.npy", "--json"});
  expect_done(outcome);
  EXPECT_EQ(nlohmann::json::parse(outcome.out)["samples"], 0);
  EXPECT_TRUE(doubles_of(problem / "L.npy").empty());

  // every ray misses: tau^2 for each of the 500 points
  problem.save<float>("no_capsules.npy", {}, {2, 0, 7});
  expect_done(problem.likelihood({"--capsules", "no_capsules.npy", "--tau", "0.5", "--sigma", "0.5"}));
  EXPECT_EQ(doubles_of(problem / "L.npy"), std::vector<double>(2, -250.0));

  problem.save<float>("hostile.npy", {}, {1'000'000'000'000, 0, 7});
  expect_one_line(problem.likelihood({"--capsules", "hostile.npy"}), 2, "samples without a capsule");
}

TEST(BodyLikelihood, TheEnvironmentChoosesWhereTheCallDoesNot) {
  const Problem problem;
  const auto backend = [&](const Arguments& more, const char* word) {
    Arguments arguments = {"--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return nlohmann::json::parse(problem.likelihood(arguments, {{"KINEMA_BACKEND", word}}).out)["backend"];
  };
  EXPECT_EQ(backend({}, "reference"), "reference");
  EXPECT_EQ(backend({"--backend", "auto"}, "reference"), "reference");
  EXPECT_EQ(backend({"--backend", "cpu"}, "reference"), "cpu");
  expect_one_line(problem.likelihood({}, {{"KINEMA_BACKEND", "abacus"}}), 2, "abacus");
}

// Wrong input: one line, exit 2, and no output.
class BodyLikelihoodRefuses : public testing::Test {
protected:
  void refuses(const Arguments& arguments, const std::string& says) {
    SCOPED_TRACE(says);
    expect_one_line(problem.likelihood(arguments), 2, says);
    EXPECT_FALSE(std::filesystem::exists(problem / "L.npy"));
  }
  void refuses_capsule(std::size_t number, float value, const std::string& says) {
    std::vector<float> wrong = problem.capsules;
    wrong[number] = value;
    problem.save("wrong.npy", wrong, {7, 48, 7});
    refuses({"--capsules", "wrong.npy"}, says);
  }
  Problem problem;
};

TEST_F(BodyLikelihoodRefuses, FilesThatAreNotThere) {
  refuses({"--points", "none.npy"}, "none.npy: there is no such file");
  refuses({"--capsules", "none.npy"}, "none.npy: there is no such file");
  refuses({"--background", "none.npy"}, "none.npy: there is no such file");
  refuses({"--points", "."}, ".: is a folder");
}

TEST_F(BodyLikelihoodRefuses, ArraysOfAnotherTypeOrShape) {
  problem.save<double>("double.npy", {1, 2, 3}, {1, 3});
  refuses({"--points", "double.npy"},
          "double.npy: holds float64 ('<f8'); kinema reads float32: save it with "
          "arr.astype(np.float32)");
  refuses({"--points", "capsules.npy"}, "capsules.npy: has the shape (7, 48, 7), where (any, 3) is needed");
  refuses({"--capsules", "points.npy"}, "points.npy: has the shape (500, 3), where (any, any, 7) is needed");
  refuses({"--background", "points.npy"}, "points.npy: holds float32");
}

TEST_F(BodyLikelihoodRefuses, CapsulesThatAreNone) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  refuses_capsule(0, nan, "wrong.npy: [0, 0, 0] (ax) is nan");
  refuses_capsule((6 * 48 + 47) * 7 + 6, -infinity, "wrong.npy: [6, 47, 6] (bz) is -inf");
  refuses_capsule((2 * 48 + 5) * 7 + 3, 0.0f, "wrong.npy: [2, 5, 3] (r) is 0: a radius must be finite and above 0");
  refuses_capsule((2 * 48 + 5) * 7 + 3, -0.1f, "wrong.npy: [2, 5, 3] (r) is -0.1");
  refuses_capsule(3, nan, "wrong.npy: [0, 0, 3] (r) is nan");
}

TEST_F(BodyLikelihoodRefuses, SettingsThatMakeNoSense) {
  for (const char* value : {"0", "-0.1", "nan", "inf"}) {
    refuses({"--tau", value}, "--tau is");
    refuses({"--sigma", value}, "--sigma is");
  }
  refuses({"--tau", "wide"}, "--tau");
  refuses({"--association", "last"}, "--association is 'last': it is nearest or first-hit");
  for (const char* value : {"0,0", "0,0,0,0", "a,b,c", "0,0,nan", "0,0,1m", "", "0;0;0", "0,,0"}) {
    refuses({"--camera", value}, "--camera");
  }
}

TEST_F(BodyLikelihoodRefuses, OutputsThatCannotBe) {
  refuses({"--out", "none/L.npy"}, "none/L.npy: there is no folder none; create it first");
  refuses({"--out", "."}, ".: is a folder");
  refuses({"--out", "points.npy/L.npy"}, "there is no folder points.npy");
}

TEST_F(BodyLikelihoodRefuses, AndKeepsTheOutputThatWasThere) {
  std::ofstream(problem / "old.npy") << "old";
  expect_one_line(problem.likelihood({"--points", "none.npy", "--out", "old.npy"}), 2, "no such file");
  EXPECT_EQ(bytes_of(problem / "old.npy"), "old");
}

TEST(BodyLikelihood, AFullDeviceIsOneLineAndExit1) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  const Problem problem;
  expect_one_line(problem.likelihood({"--out", "/dev/full"}), 1, "/dev/full: could not be written: No space left");
}

TEST(BodyLikelihood, AFullDiskLeavesNothingBehind) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can mount a small disk";
  const Problem problem(10, 3000);  // 24 KB of results
  const std::filesystem::path disk = problem / "disk";
  std::filesystem::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=8k") != 0) GTEST_SKIP() << "no small disk could be mounted";
  const Outcome outcome = problem.likelihood({"--out", "disk/L.npy"});
  const bool empty = std::filesystem::is_empty(disk);
  ::umount2(disk.c_str(), MNT_DETACH);
  expect_one_line(outcome, 1, "disk/L.npy: could not be written: No space left");
  EXPECT_TRUE(empty);
}

}  // namespace
}  // namespace kinema::app
