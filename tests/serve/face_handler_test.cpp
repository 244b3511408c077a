#include "serve/requests/face_handler.h"
#include "kinema/error.h"
#include "kinema/face.h"
#include "listener.h"
#include "synth/faces/faces.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kinema::serve {
namespace {

constexpr int size = 96;
constexpr std::uint64_t seed = 3;

// As small as finds the face of the clip: this is about what is said, not about how well it fits.
std::shared_ptr<const face::Model> small_model() {
  static const std::shared_ptr<const face::Model> model = [] {
    constexpr std::uint32_t count = 24;
    const std::vector<synth::FaceShot> shots = synth::face_shots(seed, 0, count, size, 2);
    std::vector<io::GreyImage> images;
    images.reserve(shots.size());
    for (const synth::FaceShot& shot : shots) images.push_back(synth::grey_of(shot.picture));
    std::vector<face::Example> examples;
    for (std::uint32_t i = 0; i < count; ++i)
      examples.push_back({{images[i].grey.data(), size, size, size}, shots[i].landmarks, "face"});
    face::TrainSettings settings;
    settings.pixels = 1000;
    settings.levels = 1;
    settings.cascade_stages = 3;
    settings.displacements = 3;
    settings.gradient = face::TrainSettings::Gradient::none;
    settings.threads = 2;
    return std::make_shared<const face::Model>(
        face::train(examples, face::default_layout(synth::face_landmarks), settings));
  }();
  return model;
}

std::vector<face::Start::Box> box_about(const std::vector<float>& landmarks) {
  float left = 1e9f, right = 0, top = 1e9f, bottom = 0;
  for (std::size_t i = 0; i < landmarks.size(); i += 2) {
    left = std::min(left, landmarks[i]), right = std::max(right, landmarks[i]);
    top = std::min(top, landmarks[i + 1]), bottom = std::max(bottom, landmarks[i + 1]);
  }
  return {{left, top, right - left, bottom - top, false}};
}

class FaceHandlerTest : public ::testing::Test {
protected:
  void show(std::uint32_t frame) {
    std::vector<std::uint8_t> rgba;
    for (std::size_t i = 0; i < shot_.picture.bgr.size(); i += 3) {
      for (std::size_t channel : {2, 1, 0}) rgba.push_back(shot_.picture.bgr[i + channel]);
      rgba.push_back(255);
    }
    const ArrayPart part = array_part<std::uint8_t>("picture", rgba, {size, size, 4});
    const nlohmann::ordered_json header{
        {"do", "camera"}, {"tracker", "face"}, {"sequence", frame}, {"time", 33.0 * frame + 1}};
    EXPECT_TRUE(handler_.message("camera", decode(encode(header, {&part, 1}))));
  }

  synth::FaceShot shot_ = synth::face_shot(seed, 4, size);
  Listener page_;
  FaceSharedState shared_{[this] { return [this](const face::GreyView&) { return box_about(shot_.landmarks); }; }};
  FaceHandler handler_{page_, shared_};
};

TEST_F(FaceHandlerTest, ACameraNeedsAModelAndTakesItWhenItComes) {
  show(0);
  const nlohmann::json without = page_.next();
  EXPECT_EQ(without["say"], "face");
  EXPECT_EQ(without["found"], false);
  EXPECT_NE(without["why"].get<std::string>().find("no model"), std::string::npos);
  shared_.set_model(small_model());
  for (std::uint32_t frame = 1; frame < 4; ++frame) {
    show(frame);
    nlohmann::json face = page_.next();
    if (frame == 1) {  // once, so that the page can draw what follows
      EXPECT_EQ(face["say"], "face model");
      EXPECT_EQ(face["arrays"][0]["name"], "triangles");
      face = page_.next();
    }
    EXPECT_EQ(face["sequence"], frame);
    ASSERT_EQ(face["found"], true) << frame;
    EXPECT_GT(face["quality"], 0.5);
    ASSERT_EQ(face["arrays"].size(), 4U);
    EXPECT_EQ(face["arrays"][0]["name"], "landmarks");
    EXPECT_EQ(face["arrays"][0]["shape"], nlohmann::json::array({synth::face_landmarks, 2}));
  }
}

TEST_F(FaceHandlerTest, ADetectorThatIsNotThereIsTold) {
  FaceSharedState blind([]() -> face::Detect { throw Error("there is no face detector"); });
  blind.set_model(small_model());
  FaceHandler handler(page_, blind);
  const std::vector<std::uint8_t> grey(std::size_t{4} * 32 * 32, 128);
  const ArrayPart part = array_part<std::uint8_t>("picture", grey, {32, 32, 4});
  const nlohmann::ordered_json header{{"do", "camera"}, {"tracker", "face"}, {"sequence", 0}, {"time", 1.0}};
  handler.message("camera", decode(encode(header, {&part, 1})));
  EXPECT_EQ(page_.next()["say"], "face model");
  EXPECT_EQ(page_.next()["text"], "there is no face detector");
}

TEST_F(FaceHandlerTest, WhatIsMeantForAnotherIsLeftToIt) {
  EXPECT_FALSE(handler_.request("camera off", nlohmann::json::object()));
  EXPECT_TRUE(handler_.request("camera off", {{"tracker", "face"}}));
  Message head;
  head.header = {{"do", "camera"}, {"sequence", 0}, {"time", 0}};
  EXPECT_FALSE(handler_.message("camera", head));
}

}  // namespace
}  // namespace kinema::serve
