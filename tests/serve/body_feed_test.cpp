#include "serve/messages/body_feed.h"
#include "serve/messages/message.h"

#include <gtest/gtest.h>

#include <vector>

namespace kinema::serve {
namespace {

struct Sample {
  body::Skeleton skeleton = body::default_human();
  body::Estimate estimate;
  std::vector<float> xyz = std::vector<float>(3 * 20000, 1.25f);
  std::vector<std::uint8_t> background = std::vector<std::uint8_t>(20000, 0);
  std::vector<Vec3> particles;

  Sample() {
    estimate.found = true;
    estimate.pose = body::rest_pose(skeleton);
    estimate.joints = body::joint_positions(skeleton, estimate.pose);
    estimate.deviation.assign(skeleton.joints.size(), 0.02);
    estimate.frame = 7;
    estimate.time = 0.5;
    estimate.times = {{"foreground", 2}, {"weigh", 3}};
    for (std::size_t i = 10000; i < 20000; ++i) background[i] = 1;
    for (int i = 0; i < 500; ++i) particles.insert(particles.end(), estimate.joints.begin(), estimate.joints.end());
  }

  BodyFeed::Frame frame() const { return {skeleton, estimate, {xyz.data(), 20000, background}, particles}; }
};

TEST(BodyFeed, SaysTheSkeletonFirstAndOnce) {
  Hub hub;
  BodyFeed feed(hub.channel("body"), "walk", 60);
  const Sample sample;
  feed.add(sample.frame());
  feed.add(sample.frame());
  EXPECT_EQ(hub.channel("body").state().opening, 1U);
  const auto opening = nlohmann::json::parse(*hub.channel("body").opening().bytes);
  EXPECT_EQ(opening["joints"][0], "pelvis");
  EXPECT_EQ(opening["parents"].size(), sample.skeleton.joints.size());
  EXPECT_EQ(opening["parents"][0], -1);
}

TEST(BodyFeed, AFrameHoldsWhatAPageDraws) {
  Hub hub;
  BodyFeed feed(hub.channel("body"), "walk", 60);
  const Sample sample;
  feed.add(sample.frame());
  const Packet packet = *hub.channel("body").frame(0);
  const Message message = decode(*packet.bytes);
  EXPECT_TRUE(packet.binary);
  EXPECT_EQ(message.header["frame"], 7);
  EXPECT_EQ(message.header["ms"]["weigh"], 3.0);
  EXPECT_EQ(message.header["ms"]["foreground"], 2.0);
  // the person's points alone, every other one of them
  const ArrayPart& points = message.array("points", ElementType::int16, 2);
  EXPECT_EQ(points.shape[0], 5000U);
  EXPECT_EQ(reinterpret_cast<const std::int16_t*>(points.bytes.data())[0], 1250);
  EXPECT_EQ(message.array("capsules", ElementType::float32, 2).shape[0], sample.skeleton.capsules.size());
  EXPECT_EQ(message.array("particles", ElementType::int16, 3).shape[0], 500U);
  EXPECT_EQ(message.array("joints", ElementType::float32, 2).shape[0], sample.skeleton.joints.size());
}

TEST(BodyFeed, AFrameWithoutAPersonSaysWhy) {
  Hub hub;
  BodyFeed feed(hub.channel("body"), "walk", 60);
  Sample sample;
  sample.estimate = {};
  sample.estimate.why = "lost";
  feed.add(sample.frame());
  const Packet packet = *hub.channel("body").frame(0);
  const Message message = decode(*packet.bytes);
  EXPECT_EQ(message.header["found"], false);
  EXPECT_EQ(message.header["why"], "lost");
  EXPECT_EQ(message.arrays.size(), 1U);
}

TEST(BodyFeed, ALiveFrameSaysWhetherItIsTrackedAndRecorded) {
  Hub hub;
  BodyFeed feed(hub.channel("body"), "camera", 0);
  const Sample sample;
  BodyFeed::Live live;
  const auto added = [&](std::uint64_t index) {
    feed.set_live(live);
    feed.add(sample.frame());
    return decode(*hub.channel("body").frame(index)->bytes).header["live"];
  };
  EXPECT_EQ(added(0)["tracking"], true);
  EXPECT_FALSE(added(1).contains("recording"));
  live.tracking = false;
  live.recording = io::CopyStatus{"here", 12, 1, ""};
  live.being_recorded = true;
  auto header = added(2);
  EXPECT_EQ(header["tracking"], false);
  EXPECT_EQ(header["recording"]["folder"], "here");
  EXPECT_EQ(header["recording"]["frames"], 12);
  EXPECT_EQ(header["recording"]["dropped"], 1);
  EXPECT_EQ(header["recording"]["on"], true);
  EXPECT_FALSE(header["recording"].contains("failed"));
  live.recording->failed = "the disk is full";
  EXPECT_EQ(added(3)["recording"]["failed"], "the disk is full");
}

}  // namespace
}  // namespace kinema::serve
