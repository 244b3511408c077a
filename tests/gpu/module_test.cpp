// A library without the cuda backend beside it works, and says why that is not there.
#include "gpu/module.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace kinema::gpu {
namespace {

namespace fs = std::filesystem;

class GpuModule : public ::testing::Test {
protected:
  void SetUp() override { fs::create_directories(folder); }
  void TearDown() override { fs::remove_all(folder); }

  void expect_problem(const std::string& words, const fs::path& where) const {
    const Module opened = open_module(where, "1.2.3");
    EXPECT_EQ(opened.functions, nullptr);
    EXPECT_NE(opened.problem.find(words), std::string::npos) << opened.problem;
    EXPECT_NE(opened.problem.find("--backend cpu"), std::string::npos) << "no remedy: " << opened.problem;
    EXPECT_EQ(opened.problem.find('\n'), std::string::npos) << "more than a line";
  }

  // of each test: what is loaded stays so, by its path
  const fs::path folder =
      fs::path(::testing::TempDir()) /
      (std::string("kinema_gpu_module_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
  const fs::path module = folder / "libkinema-cuda.so.1.2.3";
};

TEST_F(GpuModule, IsNotThere) {
  expect_problem("install kinema-cuda", folder);
  expect_problem("install kinema-cuda", folder / "nowhere");
}

TEST_F(GpuModule, OfAnotherVersionIsNamed) {
  std::ofstream(folder / "libkinema-cuda.so.1.2.2");
  expect_problem("is of version 1.2.2 and the library of 1.2.3", folder);
}

TEST_F(GpuModule, OfAnotherVersionUnderTheRightNameIsNamed) {
  fs::copy_file(KINEMA_OTHER_VERSION, module);
  expect_problem("is of version 0.0.1 and the library of 1.2.3", folder);
}

TEST_F(GpuModule, ThatIsNoneIsRefusedWithTheReason) {
  std::ofstream(module) << "not a library";
  expect_problem("cannot be loaded (", folder);
}

TEST_F(GpuModule, OfTheSameVersionIsOpened) {
  fs::copy_file(KINEMA_OTHER_VERSION, folder / "libkinema-cuda.so.0.0.1");
  const Module opened = open_module(folder, "0.0.1");
  ASSERT_NE(opened.functions, nullptr) << opened.problem;
  EXPECT_STREQ(opened.functions->version, "0.0.1");
}

}  // namespace
}  // namespace kinema::gpu
