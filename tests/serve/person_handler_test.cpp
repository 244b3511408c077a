#include "serve/requests/face_handler.h"

#include "core/geometry.h"
#include "kinema/error.h"
#include "kinema/files.h"
#include "listener.h"
#include "synth/faces/head_pose_clip.h"
#include "synth/head_clip.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kinema::serve {
namespace {

class PersonHandlerTest : public ::testing::Test {
protected:
  void show(const io::Picture& picture, std::size_t frame) {
    std::vector<std::uint8_t> rgba;
    for (std::size_t i = 0; i < picture.bgr.size(); i += 3) {
      for (std::size_t channel : {2, 1, 0}) rgba.push_back(picture.bgr[i + channel]);
      rgba.push_back(255);
    }
    const ArrayPart part = array_part<std::uint8_t>(
        "picture", rgba, {static_cast<std::size_t>(picture.height), static_cast<std::size_t>(picture.width), 4});
    const nlohmann::ordered_json header{
        {"do", "camera"}, {"tracker", "person"}, {"sequence", frame}, {"time", 33.0 * static_cast<double>(frame + 1)}};
    EXPECT_TRUE(handler_.message("camera", decode(encode(header, {&part, 1}))));
  }

  void use_shipped_model() {
    faces_.set_model(std::make_shared<const face::Model>(read_face_model(KINEMA_SHIPPED_MODEL)));
  }

  std::vector<face::Start::Box> boxes_;
  Listener page_;
  FaceSharedState faces_{[this] { return [this](const face::GreyView&) { return boxes_; }; }};
  HeadSharedState heads_;
  PersonHandler handler_{page_, faces_, heads_};
};

TEST_F(PersonHandlerTest, NothingNeedsToBeCalibrated) {
  use_shipped_model();
  synth::HeadPoseClipSettings settings;
  settings.width = 320, settings.height = 240;
  settings.person = 0;
  const synth::HeadPoseClip clip(settings);
  for (std::size_t frame = 0; frame < 4; ++frame) {
    const std::vector<float> places = clip.landmarks(frame);
    float left = 1e9f, right = 0, top = 1e9f, bottom = 0;
    for (std::size_t i = 0; i < places.size(); i += 2) {
      left = std::min(left, places[i]), right = std::max(right, places[i]);
      top = std::min(top, places[i + 1]), bottom = std::max(bottom, places[i + 1]);
    }
    boxes_ = {{left, top, right - left, bottom - top, false}};
    show(clip.picture(frame), frame);
    const nlohmann::json answer = page_.next();
    EXPECT_EQ(answer["say"], "person");
    EXPECT_EQ(answer["sequence"], frame);
    ASSERT_EQ(answer["found"], true) << answer.value("why", "");
    EXPECT_EQ(answer["face"], true);
    const auto position = answer["position"].get<std::vector<double>>();
    EXPECT_NEAR(position[2], clip.truth(frame).position.z, 0.05);
    EXPECT_NEAR(answer["head"]["yaw"], clip.truth(frame).yaw, 5);
    EXPECT_TRUE(answer.contains("raw_position"));
  }
  EXPECT_TRUE(handler_.request("camera off", {{"tracker", "person"}}));
}

TEST_F(PersonHandlerTest, ACalibratedHeadIsLeftToItsTracker) {
  use_shipped_model();
  const synth::HeadClip clip;
  head::Calibration calibration;
  calibration.head.emplace();
  heads_.set_calibration(calibration);
  show(clip.picture(0), 0);
  const nlohmann::json answer = page_.next();
  EXPECT_EQ(answer["found"], false);
  EXPECT_EQ(answer["why"], "calibrated");
  EXPECT_EQ(answer["instead"], "head");
}

TEST_F(PersonHandlerTest, WithoutAModelThePageIsTold) {
  const synth::HeadClip clip;
  show(clip.picture(0), 0);
  const nlohmann::json answer = page_.next();
  EXPECT_EQ(answer["found"], false);
  EXPECT_EQ(answer["instead"], "head");
}

TEST_F(PersonHandlerTest, LeavesOtherTrackersAlone) {
  EXPECT_FALSE(handler_.request("camera off", {{"tracker", "face"}}));
  EXPECT_FALSE(handler_.request("calibrate", {}));
}

}  // namespace
}  // namespace kinema::serve
