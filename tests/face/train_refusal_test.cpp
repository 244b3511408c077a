// What a training refuses, and what it says.
#include "kinema/error.h"
#include "kinema/face.h"
#include "planted.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kinema::face {
namespace {

struct Call {
  std::vector<PlantedFace> faces = Planted().population(4, 1);
  std::vector<Example> examples = examples_of(faces);
  Layout layout = Planted().layout();
  TrainSettings settings;

  Call() {
    settings.pixels = 256;
    settings.levels = 1;
    settings.cascade_stages = 0;
  }

  std::string refusal() const {
    try {
      train(examples, layout, settings);
    } catch (const Error& error) {
      EXPECT_EQ(error.cause(), Error::Cause::input);
      return error.what();
    }
    return "";
  }
};

void expect_says(const std::string& line, const std::string& part) {
  EXPECT_NE(line.find(part), std::string::npos) << "said: " << line;
}

TEST(TrainRefusal, OfTooFewExamples) {
  Call call;
  call.examples.resize(2);
  expect_says(call.refusal(), "at least 3");
  call.examples.clear();
  expect_says(call.refusal(), "at least 3");
}

TEST(TrainRefusal, NamesTheExampleWithOtherLandmarks) {
  Call call;
  call.examples[2].landmarks.resize(40);
  expect_says(call.refusal(), "face 2");
  expect_says(call.refusal(), "20 landmarks");
}

TEST(TrainRefusal, OfAPenaltyOrPriorBelowNothing) {
  Call call;
  call.settings.penalty = -1;
  expect_says(call.refusal(), "penalty is -1");
  call.settings.penalty = 0;
  call.settings.prior = NAN;
  expect_says(call.refusal(), "prior is nan");
}

TEST(TrainRefusal, NamesTheExampleOnALine) {
  Call call;
  for (std::size_t i = 0; i < 50; i += 2) call.examples[1].landmarks[i + 1] = 2 * call.examples[1].landmarks[i];
  expect_says(call.refusal(), "face 1: all landmarks lie on one line");
}

TEST(TrainRefusal, NamesTheExampleAtOnePlace) {
  Call call;
  for (float& value : call.examples[3].landmarks) value = 7;
  expect_says(call.refusal(), "face 3: all landmarks lie at one place");
}

TEST(TrainRefusal, NamesTheLandmarkThatIsNotFiniteOrFarOutside) {
  Call call;
  call.examples[0].landmarks[8] = NAN;
  expect_says(call.refusal(), "face 0: landmark 4");
  call.examples[0].landmarks[8] = 1e7f;
  expect_says(call.refusal(), "face 0: landmark 4");
}

TEST(TrainRefusal, OfAnImageWithoutPixels) {
  Call call;
  call.examples[1].image = {};
  expect_says(call.refusal(), "face 1: the image has no pixels");
}

TEST(TrainRefusal, OfFlatImages) {
  Call call;
  call.settings.features = Features::intensity;
  for (PlantedFace& face : call.faces) std::fill(face.pixels.begin(), face.pixels.end(), std::uint8_t{9});
  expect_says(call.refusal(), "flat");
}

TEST(TrainRefusal, OfMirrorsThatAreNotKnown) {
  Call call;
  call.layout.mirror.clear();
  expect_says(call.refusal(), "mirror");
}

TEST(TrainRefusal, OfSettingsThatMakeNoSense) {
  for (const auto& [change, part] : std::vector<std::pair<std::function<void(TrainSettings&)>, std::string>>{
           {[](TrainSettings& s) { s.pixels = 3; }, "pixels is 3"},
           {[](TrainSettings& s) { s.levels = 5; }, "levels is 5"},
           {[](TrainSettings& s) { s.levels = 0; }, "levels is 0"},
           {[](TrainSettings& s) { s.shape_variance = 0; }, "shape_variance is 0"},
           {[](TrainSettings& s) { s.texture_variance = 1.2; }, "texture_variance is 1.2"},
           {[](TrainSettings& s) { s.threads = -1; }, "threads is -1"},
           {[](TrainSettings& s) { s.start_shift = -1; }, "start_shift is -1"},
           {[](TrainSettings& s) { s.resampled = false; }, "resampled"},
       }) {
    Call call;
    change(call.settings);
    expect_says(call.refusal(), part);
  }
}

TEST(TrainRefusal, OfALayoutThatNamesOtherLandmarks) {
  Call call;
  call.layout.groups = {{"jaw", {0, 25}, false}};
  expect_says(call.refusal(), "group jaw names landmark 25");
}

}  // namespace
}  // namespace kinema::face
