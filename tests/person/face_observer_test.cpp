// Faces of a drawn film as evidence for a body: found where the body has its head, without a detector.
#include "kinema/face_observer.h"

#include "core/geometry.h"
#include "kinema/error.h"
#include "kinema/files.h"
#include "kinema/grey.h"
#include "synth/faces/head_pose_clip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace kinema::person {
namespace {

std::shared_ptr<const face::Model> face_model() {
  static const auto model = std::make_shared<const face::Model>(read_face_model(KINEMA_SHIPPED_MODEL));
  return model;
}

synth::HeadPoseClipSettings film() {
  synth::HeadPoseClipSettings settings;
  settings.width = 320, settings.height = 240;
  return settings;
}

FaceObserverSettings observer_settings() {
  FaceObserverSettings settings;
  settings.model = face_model();
  settings.camera = face::HeadPoseSolver().camera(320, 240);
  return settings;
}

ColourView view(const io::Picture& picture) {
  const auto width = static_cast<std::size_t>(picture.width);
  return {picture.bgr.data(), width, static_cast<std::size_t>(picture.height), 3 * width, PixelFormat::bgr};
}

// A body whose head joint is where that of this head would be: behind the eyes, and a little below.
body::Estimate body_with(const face::HeadPose& head) {
  body::Estimate estimate;
  const auto skeleton = std::make_shared<const body::Skeleton>(body::default_human());
  estimate.found = true;
  estimate.joints.resize(skeleton->joints.size());
  estimate.joints[static_cast<std::size_t>(skeleton->find("head"))] = head.position + Vec3{0, 0.02, 0.08};
  estimate.skeleton = skeleton;
  return estimate;
}

TEST(FaceObserver, LooksWhereTheBodyHasItsHead) {
  const synth::HeadPoseClip clip(film());
  FaceObserver observer(observer_settings());
  const io::Picture first = clip.picture(0);
  EXPECT_TRUE(observer.observe(view(first), 0).empty()) << "nobody said where it is";
  observer.expect(body_with(clip.truth(0)));
  double turned = 0;
  int seen = 0;
  for (std::size_t frame = 1; frame < 12; ++frame) {
    const io::Picture picture = clip.picture(frame);
    const auto faces = observer.observe(view(picture), static_cast<double>(frame) / 30);
    const face::HeadPose truth = clip.truth(frame);
    observer.expect(body_with(truth));
    if (faces.empty()) continue;
    ++seen;
    const body::FaceObservation& face = faces.front();
    EXPECT_NEAR(norm(face.ray), 1, 1e-9);
    EXPECT_GT(face.probability, 0.5);
    // the drawn person is of mean size
    EXPECT_NEAR(face.distance, norm(truth.position), 0.1 * norm(truth.position));
    EXPECT_GT(dot(face.ray, truth.position) / norm(truth.position), std::cos(0.05));
    turned += std::acos(std::min(1.0, dot(face.direction, rotate(truth.rotation, Vec3{0, 0, 1}))));
  }
  EXPECT_GE(seen, 9);
  EXPECT_LT(turned / seen, 0.12);  // twice what it does
}

TEST(FaceObserver, SeesNothingWhereThereIsNoFace) {
  const synth::HeadPoseClip clip(film());
  FaceObserver observer(observer_settings());
  const io::Picture blank{320, 240, std::vector<std::uint8_t>(320 * 240 * 3, 90)};
  observer.expect(body_with(clip.truth(0)));
  EXPECT_TRUE(observer.observe(view(blank), 0).empty());
  // a head beside the picture, and one that is too far away for a face
  body::Estimate away = body_with(clip.truth(0));
  for (const Vec3& place : {Vec3{9, 0, 2}, Vec3{0, 0, 40}, Vec3{0, 0, -1}}) {
    for (Vec3& joint : away.joints) joint = place;
    observer.expect(away);
    EXPECT_TRUE(observer.observe(view(blank), 0).empty());
  }
}

TEST(FaceObserver, ADetectorSearchesThePictureOnlyWhileNoBodyIsKnown) {
  const synth::HeadPoseClip clip(film());
  const io::Picture picture = clip.picture(0);
  std::vector<std::size_t> widths;
  FaceObserverSettings settings = observer_settings();
  settings.detect = [&](const face::GreyView& image) {
    widths.push_back(image.width);
    return std::vector<face::Start::Box>();
  };
  FaceObserver observer(settings);
  body::Estimate far = body_with(clip.truth(0));
  for (Vec3& joint : far.joints) joint = {0.3, 0, 1.5};
  observer.observe(view(picture), 0);
  observer.expect(far);
  observer.observe(view(picture), 0.1);
  observer.expect(body::Estimate{});
  observer.observe(view(picture), 0.2);
  ASSERT_EQ(widths.size(), 3u);
  EXPECT_EQ(widths[0], 320u);
  EXPECT_LT(widths[1], 120u);
  EXPECT_EQ(widths[2], 320u);
}

TEST(FaceObserver, BoxesOfADetectorAreThoseOfThePicture) {
  const synth::HeadPoseClip clip(film());
  FaceObserverSettings settings = observer_settings();
  const std::vector<float> landmarks = clip.landmarks(0);
  // knows where the face is in the part of the picture that it gets, by where that part lies
  const io::Picture picture = clip.picture(0);
  const std::vector<std::uint8_t> grey = grey_of(view(picture));
  settings.detect = [&](const face::GreyView& image) {
    float left = 1e9f, top = 1e9f, right = 0, bottom = 0;
    for (std::size_t i = 0; i < landmarks.size(); i += 2) {
      left = std::min(left, landmarks[i]), right = std::max(right, landmarks[i]);
      top = std::min(top, landmarks[i + 1]), bottom = std::max(bottom, landmarks[i + 1]);
    }
    // the part's place, from its first pixels
    for (std::size_t y = 0; y + image.height <= 240; ++y) {
      for (std::size_t x = 0; x + image.width <= 320; ++x) {
        bool same = true;
        for (std::size_t row : {std::size_t{0}, image.height / 2})
          same = same && std::equal(image.data + row * image.stride, image.data + row * image.stride + image.width,
                                    grey.data() + (y + row) * 320 + x);
        if (same)
          return std::vector<face::Start::Box>{
              {left - static_cast<float>(x), top - static_cast<float>(y), right - left, bottom - top, false}};
      }
    }
    return std::vector<face::Start::Box>();
  };
  FaceObserver observer(settings);
  // the head is a little beside its place, so that the part is not the middle of the picture
  body::Estimate beside = body_with(clip.truth(0));
  for (Vec3& joint : beside.joints) joint = joint + Vec3{0.12, 0.05, 0.3};
  observer.expect(beside);
  EXPECT_EQ(observer.observe(view(picture), 0).size(), 1u);
}

TEST(FaceObserver, RefusesWhatCannotBe) {
  FaceObserverSettings settings = observer_settings();
  settings.model = nullptr;
  EXPECT_THROW(FaceObserver{settings}, Error);
  settings = observer_settings();
  settings.camera = {};
  EXPECT_THROW(FaceObserver{settings}, Error);
  settings = observer_settings();
  settings.lost = 2;
  EXPECT_THROW(FaceObserver{settings}, Error);
  auto other = std::make_shared<face::Model>(*face_model());
  other->shape.mean = {};
  settings = observer_settings();
  settings.model = other;
  EXPECT_THROW(FaceObserver{settings}, Error);
}

}  // namespace
}  // namespace kinema::person
