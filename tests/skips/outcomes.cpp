// Tests of every outcome, run by check.cmake alone.
#include <gtest/gtest.h>

TEST(Outcome, Passes) {}

TEST(Outcome, Skips) { GTEST_SKIP() << "always"; }

TEST(Outcome, Fails) { FAIL() << "always"; }
