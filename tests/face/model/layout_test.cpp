#include "kinema/face_model.h"

#include <gtest/gtest.h>

#include <set>

namespace kinema::face {
namespace {

TEST(Layout, OfKnownSetsIsItsOwnMirrorImage) {
  for (const std::size_t landmarks : {68, 73}) {
    const Layout layout = default_layout(landmarks);
    ASSERT_EQ(layout.mirror.size(), landmarks);
    for (std::size_t i = 0; i < landmarks; ++i)
      EXPECT_EQ(layout.mirror[static_cast<std::size_t>(layout.mirror[i])], static_cast<int>(i)) << i;
    const auto [left, right] = layout.outer_eyes;
    EXPECT_EQ(layout.mirror[static_cast<std::size_t>(left)], right);
    std::multiset<int> named;
    for (const auto& group : layout.groups) named.insert(group.points.begin(), group.points.end());
    EXPECT_EQ(named.size(), landmarks);
    EXPECT_EQ(std::set<int>(named.begin(), named.end()).size(), landmarks);
  }
}

TEST(Layout, OfAnyOtherNumberIsEmpty) {
  EXPECT_TRUE(default_layout(5).mirror.empty());
  EXPECT_EQ(default_layout(5).outer_eyes[0], -1);
}

}  // namespace
}  // namespace kinema::face
