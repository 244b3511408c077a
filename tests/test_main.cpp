// The main of every test program. Where all of its tests skip, it ends with a status of its own, by which ctest knows
// (SKIP_RETURN_CODE): what a program prints also says "skipped" where other tests fail.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  constexpr int every_test_skipped = 77;
  ::testing::InitGoogleTest(&argc, argv);
  const int status = RUN_ALL_TESTS();
  const ::testing::UnitTest& tests = *::testing::UnitTest::GetInstance();
  const bool skipped = tests.skipped_test_count() > 0 && tests.skipped_test_count() == tests.test_to_run_count();
  return status == 0 && skipped ? every_test_skipped : status;
}
