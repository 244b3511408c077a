#include "serve/requests/head_handler.h"
#include "kinema/error.h"
#include "listener.h"
#include "synth/head_clip.h"

#include <gtest/gtest.h>

namespace kinema::serve {
namespace {

synth::HeadClip small_clip() {
  synth::HeadClipSettings settings;
  settings.width = 160;
  settings.height = 120;
  return synth::HeadClip(settings);
}

class HeadHandlerTest : public ::testing::Test {
protected:
  bool show(std::size_t frame) {
    const io::Picture picture = clip_.picture(frame);
    std::vector<std::uint8_t> rgba;
    for (std::size_t i = 0; i < picture.bgr.size(); i += 3) {
      for (std::size_t channel : {2, 1, 0}) rgba.push_back(picture.bgr[i + channel]);
      rgba.push_back(255);
    }
    return send(rgba, {static_cast<std::size_t>(picture.height), static_cast<std::size_t>(picture.width), 4}, frame);
  }

  bool send(const std::vector<std::uint8_t>& bytes, std::vector<std::size_t> shape, std::size_t frame = 0) {
    const ArrayPart part = array_part<std::uint8_t>("picture", bytes, std::move(shape));
    const std::string message =
        encode({{"do", "camera"}, {"sequence", frame}, {"time", 33.0 * static_cast<double>(frame)}}, {&part, 1});
    return handler_.message("camera", decode(message));
  }

  synth::HeadClip clip_ = small_clip();
  Listener page_;
  HeadSharedState shared_;
  HeadHandler handler_{page_, shared_};
};

TEST_F(HeadHandlerTest, ACameraIsCalibratedAndTracked) {
  EXPECT_TRUE(show(0));
  EXPECT_EQ(page_.next()["why"], "not calibrated");

  const synth::HeadTruth first = clip_.truth(0);
  EXPECT_TRUE(handler_.request("calibrate", {{"oval", {first.x, first.y, first.rx, first.ry}},
                                             {"distance", first.distance},
                                             {"field_of_view", clip_.settings().field_of_view}}));
  const nlohmann::json calibrated = page_.next();
  EXPECT_EQ(calibrated["say"], "calibrated");
  EXPECT_GT(calibrated["score"], 0.5);
  EXPECT_EQ(nlohmann::json::parse(calibrated["filter"].get<std::string>())["classifier"], "plane");

  for (std::size_t frame = 1; frame < 10; ++frame) {
    show(frame);
    const nlohmann::json head = page_.next();
    ASSERT_EQ(head["found"], true) << frame;
    EXPECT_EQ(head["sequence"], frame);
    // a quarter of the head's width is what counts as found
    EXPECT_NEAR(head["x"], clip_.truth(frame).x, first.rx / 2) << frame;
    EXPECT_NEAR(head["position"][2], clip_.truth(frame).distance, 0.2 * first.distance) << frame;
    EXPECT_NEAR(head["raw_position"][2], clip_.truth(frame).distance, 0.2 * first.distance) << frame;
  }
}

TEST_F(HeadHandlerTest, ACalibrationIsThereForTheNextPage) {
  show(0);
  page_.next();
  const synth::HeadTruth first = clip_.truth(0);
  handler_.request("calibrate", {{"oval", {first.x, first.y, first.rx, first.ry}}});
  page_.next();
  ASSERT_TRUE(shared_.calibration());
  HeadHandler other(page_, shared_);
  const std::vector<std::uint8_t> grey(std::size_t{4} * 160 * 120, 128);
  const ArrayPart part = array_part<std::uint8_t>("picture", grey, {120, 160, 4});
  other.message("camera", decode(encode({{"do", "camera"}, {"sequence", 0}, {"time", 0.0}}, {&part, 1})));
  EXPECT_NE(page_.next()["why"], "not calibrated");
}

TEST_F(HeadHandlerTest, WhatIsNoPictureIsRefused) {
  const std::vector<std::uint8_t> bytes(std::size_t{4} * 2000 * 20);
  EXPECT_THROW(send(bytes, {20, 2000, 4}), Error);
  EXPECT_THROW(send(bytes, {2, 20, 4}), Error);
  EXPECT_THROW(send(bytes, {20, 20, 3}), Error);
  EXPECT_THROW(send(bytes, {20, 80}), Error);
  EXPECT_FALSE(handler_.message("other", {}));
}

TEST_F(HeadHandlerTest, ARequestThatMakesNoSenseIsRefused) {
  EXPECT_FALSE(handler_.request("fly", {}));
  EXPECT_THROW(handler_.request("calibrate", {{"oval", {1, 2, 3}}}), Error);
  EXPECT_THROW(handler_.request("calibrate", {{"oval", {80, 60, 20, 30}}}), Error) << "no picture yet";
  show(0);
  page_.next();
  EXPECT_THROW(handler_.request("calibrate", {{"oval", {80, 60, 20, 30}}, {"distance", -1}}), Error);
  handler_.request("calibrate", {{"oval", {500, 60, 20, 30}}});
  EXPECT_EQ(page_.next()["say"], "error") << "an oval outside the picture";
  show(1);
  EXPECT_EQ(page_.next()["say"], "head") << "the camera goes on";
}

TEST_F(HeadHandlerTest, ThereIsAnEndToCameras) {
  std::vector<std::unique_ptr<HeadHandler>> others;
  const std::vector<std::uint8_t> grey(std::size_t{4} * 16 * 16);
  const ArrayPart part = array_part<std::uint8_t>("picture", grey, {16, 16, 4});
  const std::string message = encode({{"do", "camera"}, {"sequence", 0}, {"time", 0.0}}, {&part, 1});
  for (int i = 0; i < CameraSlots::most; ++i) {
    others.push_back(std::make_unique<HeadHandler>(page_, shared_));
    others.back()->message("camera", decode(message));
  }
  EXPECT_THROW(show(0), Error);
  others.pop_back();
  EXPECT_TRUE(show(0));
}

}  // namespace
}  // namespace kinema::serve
