#include "kinema/backend.h"
#include "kinema/error.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kinema {
namespace {

// sets KINEMA_BACKEND for one test
class BackendChoice : public ::testing::Test {
protected:
  void set(const char* value) { setenv("KINEMA_BACKEND", value, 1); }
  void SetUp() override { unsetenv("KINEMA_BACKEND"); }
  void TearDown() override { unsetenv("KINEMA_BACKEND"); }
};

TEST_F(BackendChoice, NamesAreReadBack) {
  for (Backend b : {Backend::automatic, Backend::reference, Backend::cpu, Backend::cuda})
    EXPECT_EQ(parse_backend(name(b)), b);
  EXPECT_THROW(parse_backend("gpu"), Error);
  EXPECT_THROW(parse_backend(""), Error);
}

TEST_F(BackendChoice, AutomaticIsNeverTheAnswer) { EXPECT_NE(choose(), Backend::automatic); }

TEST_F(BackendChoice, TheEnvironmentDecidesWhatTheCallLeavesOpen) {
  set("reference");
  EXPECT_EQ(choose(), Backend::reference);
  EXPECT_EQ(choose(Backend::cpu), Backend::cpu);
  set("");
  EXPECT_NE(choose(), Backend::automatic);
}

TEST_F(BackendChoice, NonsenseInTheEnvironmentIsRefusedByName) {
  set("fast");
  try {
    choose();
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("KINEMA_BACKEND"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("fast"), std::string::npos);
  }
}

TEST_F(BackendChoice, CudaWithoutAGpuIsRefusedWithTheReason) {
  if (!gpus().empty()) GTEST_SKIP() << "there is a GPU";
  EXPECT_FALSE(available(Backend::cuda));
  EXPECT_THROW(choose(Backend::cuda), Error);
  EXPECT_EQ(choose(), Backend::cpu);
}

TEST_F(BackendChoice, BuildSaysWhatIsIn) {
  const Build b = build();
  EXPECT_FALSE(b.version.empty());
  EXPECT_FALSE(b.simd.empty());
  EXPECT_FALSE(b.threads.empty());
}

}  // namespace
}  // namespace kinema
