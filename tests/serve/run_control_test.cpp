// The buttons of a live page: what is asked reaches the run once.
#include "serve/run_control.h"

#include <gtest/gtest.h>

namespace kinema::serve {
namespace {

TEST(RunControl, PassesEachWishOnOnce) {
  RunControl control;
  RunHandler handler(control);
  EXPECT_FALSE(control.record.take());
  EXPECT_TRUE(handler.request("record", {{"on", true}}));
  EXPECT_TRUE(handler.request("track live", {{"on", false}}));
  EXPECT_TRUE(handler.request("find again", {}));
  EXPECT_EQ(control.record.take(), true);
  EXPECT_FALSE(control.record.take());
  EXPECT_EQ(control.track.take(), false);
  EXPECT_EQ(control.find_again.take(), true);
}

TEST(RunControl, TheLastOfSeveralWishesCounts) {
  RunControl control;
  RunHandler handler(control);
  handler.request("record", {{"on", true}});
  handler.request("record", {{"on", false}});
  EXPECT_EQ(control.record.take(), false);
}

TEST(RunControl, RefusesWhatIsNoRequest) {
  RunControl control;
  RunHandler handler(control);
  EXPECT_FALSE(handler.request("dance", {}));
  EXPECT_THROW(handler.request("record", {}), Error);
  EXPECT_THROW(handler.request("track live", {{"on", "yes"}}), Error);
  EXPECT_FALSE(control.record.take());
}

}  // namespace
}  // namespace kinema::serve
