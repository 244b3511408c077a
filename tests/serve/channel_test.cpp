#include "serve/messages/channel.h"

#include <gtest/gtest.h>

namespace kinema::serve {
namespace {

Packet frame(std::size_t bytes) { return Packet::text(std::string(bytes, 'x')); }

TEST(Channel, KeepsAsManyFramesAsItsMemoryHolds) {
  int changes = 0;
  Channel channel("body", 1000, [&] { ++changes; });
  for (int i = 0; i < 25; ++i) channel.publish(frame(100));
  const Channel::State state = channel.state();
  EXPECT_EQ(state.first, 15U);
  EXPECT_EQ(state.end, 25U);
  EXPECT_FALSE(channel.frame(14));
  EXPECT_TRUE(channel.frame(15));
  EXPECT_TRUE(channel.frame(24));
  EXPECT_FALSE(channel.frame(25));
  EXPECT_EQ(changes, 25);
}

TEST(Channel, KeepsTheNewestFrameHoweverLarge) {
  Channel channel("body", 1000, [] {});
  channel.publish(frame(10));
  channel.publish(frame(5000));
  EXPECT_EQ(channel.state().first, 1U);
  EXPECT_EQ(channel.frame(1)->bytes->size(), 5000U);
}

TEST(Channel, KeepsLessOfARunThatAsksForIt) {
  Channel channel("body", 1000, [] {});
  for (int i = 0; i < 10; ++i) channel.publish(frame(100));
  channel.set_history_bytes(300);
  EXPECT_EQ(channel.state().first, 7U);
  channel.publish(frame(100));
  EXPECT_EQ(channel.state().first, 8U);
  channel.begin();
  for (int i = 0; i < 25; ++i) channel.publish(frame(100));
  EXPECT_EQ(channel.state().end - channel.state().first, 10U) << "the next run has the usual";
}

TEST(Channel, IsMadeOnceAndFoundByItsName) {
  Hub hub;
  EXPECT_EQ(hub.find("body"), nullptr);
  Channel& channel = hub.channel("body");
  EXPECT_EQ(&hub.channel("body"), &channel);
  EXPECT_EQ(hub.find("body"), &channel);
  EXPECT_EQ(hub.channels().size(), 1U);
}

}  // namespace
}  // namespace kinema::serve
