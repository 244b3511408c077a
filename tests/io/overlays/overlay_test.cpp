// What is drawn over a frame, and where pictures go.
#include "io/overlays/overlay.h"

#include "kinema/error.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kinema::io {
namespace {

constexpr Camera camera{160, 120, 130, 130, 79.5, 59.5};

#ifdef KINEMA_HAVE_OPENCV
constexpr bool opencv = true;
#else
constexpr bool opencv = false;
#endif

#define NEEDS_OPENCV() \
  if (!opencv) GTEST_SKIP() << "OpenCV is not built in"

std::vector<float> wall(float distance) { return std::vector<float>(160 * 120, distance); }

body::Estimate standing(const body::Skeleton& skeleton, double distance) {
  body::Estimate estimate;
  estimate.found = true;
  estimate.pose = body::rest_pose(skeleton, distance);
  estimate.joints = body::joint_positions(skeleton, estimate.pose);
  estimate.deviation.assign(estimate.joints.size(), 0.02);
  return estimate;
}

int brightness(const Picture& picture, int x, int y) {
  const std::size_t at =
      3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) + static_cast<std::size_t>(x));
  return picture.bgr[at] + picture.bgr[at + 1] + picture.bgr[at + 2];
}

TEST(DepthPicture, NearIsBrightAndNothingIsDarkest) {
  const std::vector<float> depth = {1, 2, 4, 0, std::numeric_limits<float>::quiet_NaN(), 100};
  const Picture picture = depth_picture(depth, 6, 1, {1, 4});
  EXPECT_GT(brightness(picture, 0, 0), brightness(picture, 1, 0));
  EXPECT_GT(brightness(picture, 1, 0), brightness(picture, 2, 0));
  EXPECT_GT(brightness(picture, 2, 0), brightness(picture, 3, 0));
  EXPECT_EQ(brightness(picture, 3, 0), brightness(picture, 4, 0));
  EXPECT_EQ(brightness(picture, 5, 0), brightness(picture, 2, 0));  // beyond the range is as far as it goes
  EXPECT_THROW(depth_picture(depth, 5, 1, {1, 4}), Error);
  EXPECT_THROW(depth_picture(depth, 6, 1, {0, 4}), Error);
}

TEST(DepthPicture, RangeIsNotThatOfOutliers) {
  std::vector<float> depth(1000, 2.0F);
  for (std::size_t i = 0; i < 500; ++i) depth[i] = 3;
  depth[7] = 0.01F;
  depth[8] = 60000;
  const DepthRange range = depth_range(depth);
  EXPECT_GT(range.near, 1.5);
  EXPECT_LT(range.far, 4);
  const DepthRange nothing = depth_range(std::vector<float>(10));
  EXPECT_LT(0, nothing.near);
  EXPECT_LT(nothing.near, nothing.far);
}

TEST(DepthPicture, PointsAreSeenWhereTheCameraSeesThem) {
  const std::vector<float> xyz = {0, 0, 2, 0, 0, 1, 0.5F, 0, 1, 0, 0, -1, 1e30F, 0, 1, NAN, NAN, NAN};
  const std::vector<float> depth = depth_of_points({xyz.data(), 6, {}}, {5, 1, 2, 2, 2, 0});
  EXPECT_EQ(depth, (std::vector<float>{0, 0, 1, 1, 0}));  // the nearer of two; none behind, far aside or not finite
}

TEST(Limbs, OfTheDefaultHuman) {
  const body::Skeleton skeleton = body::default_human();
  const std::vector<Limb> limb = limbs(skeleton);
  const auto of = [&](const char* name) { return limb[static_cast<std::size_t>(skeleton.find(name))]; };
  EXPECT_EQ(of("pelvis"), Limb::trunk);
  EXPECT_EQ(of("spine"), Limb::trunk);
  EXPECT_EQ(of("left_clavicle"), Limb::trunk);
  EXPECT_EQ(of("neck"), Limb::head);
  EXPECT_EQ(of("left_wrist"), Limb::left_arm);
  EXPECT_EQ(of("right_toe"), Limb::right_leg);
}

TEST(SkinPicture, CoversWhatTheCapsulesCoverAndNearerHidesFurther) {
  // a sphere straight ahead, its front half hidden by nothing; a nearer bar across it
  const std::vector<float> capsules = {0, 0, 2, 0.5F, 0, 0, 2, -0.2F, 0, 1, 0.05F, 0.2F, 0, 1};
  const Limb limb[] = {Limb::head, Limb::left_arm};
  const SkinPicture picture = skin_picture(capsules, limb, camera);
  const auto at = [&](int x, int y) {
    return picture.limb[static_cast<std::size_t>(y) * 160 + static_cast<std::size_t>(x)];
  };
  const auto light = [&](int x, int y) {
    return picture.light[static_cast<std::size_t>(y) * 160 + static_cast<std::size_t>(x)];
  };
  EXPECT_EQ(at(80, 60), static_cast<int>(Limb::left_arm));
  EXPECT_EQ(at(80, 45), static_cast<int>(Limb::head));
  // the rim of the sphere stands at asin(r / d) from its middle: 33.56 pixels
  EXPECT_EQ(at(79, 59 - 33), static_cast<int>(Limb::head));
  EXPECT_EQ(at(79, 59 - 35), SkinPicture::nothing);
  EXPECT_GT(light(80, 45), light(80, 28));  // darker towards the rim
  // the bar ends in half a sphere at x = 0.25, radius 0.05, at a distance of about 1
  EXPECT_EQ(at(80 + 31, 60), static_cast<int>(Limb::left_arm));
  EXPECT_EQ(at(80 + 34, 60), SkinPicture::nothing);
}

TEST(SkinPicture, LeavesOutWhatReachesBehindTheCamera) {
  const std::vector<float> capsules = {0, 0, -1, 0.1F, 0, 0, 2, 0, 0, 0.1F, 0.5F, 0, 0, 0.1F};
  const Limb limb[] = {Limb::head, Limb::head};
  const SkinPicture picture = skin_picture(capsules, limb, camera);
  for (std::uint8_t pixel : picture.limb) ASSERT_EQ(pixel, SkinPicture::nothing);
}

TEST(Overlay, ShowsThePersonWhereItStands) {
  NEEDS_OPENCV();
  const body::Skeleton skeleton = body::default_human();
  const std::vector<float> depth = wall(4);
  OverlayFrame frame;
  frame.depth = depth;
  OverlayPainter painter(camera);
  const Picture with = painter.draw(frame, skeleton, standing(skeleton, 2.5));
  const Picture without = painter.draw(frame, skeleton, {});
  EXPECT_EQ(with.width, 640);  // small pictures are drawn larger
  EXPECT_EQ(with.height, 480);
  EXPECT_NE(brightness(with, 320, 235), brightness(without, 320, 235));  // on the trunk
  EXPECT_EQ(brightness(with, 320, 20), brightness(without, 320, 20));    // above the head
  EXPECT_NE(brightness(with, 0, 100), brightness(without, 0, 100));      // the frame of one who is lost
}

TEST(Overlay, TakesColourDepthOrPoints) {
  NEEDS_OPENCV();
  const body::Skeleton skeleton = body::default_human();
  OverlayPainter painter(camera);
  Picture colour{160, 120, std::vector<std::uint8_t>(3 * 160 * 120, 200)};
  OverlayFrame frame;
  frame.colour = &colour;
  EXPECT_EQ(brightness(painter.draw(frame, skeleton, standing(skeleton, 2.5)), 20, 20), 600);
  const std::vector<float> point = {0, 0, 2};
  OverlayFrame points;
  points.points = {point.data(), 1, {}};
  EXPECT_FALSE(painter.draw(points, skeleton, standing(skeleton, 2.5)).empty());
  colour.width = 120;
  EXPECT_THROW(painter.draw(frame, skeleton, standing(skeleton, 2.5)), Error);
  const std::vector<float> small(7, 1);
  OverlayFrame wrong;
  wrong.depth = small;
  EXPECT_THROW(painter.draw(wrong, skeleton, {}), Error);
}

TEST(Overlay, HoldsOutPosesThatNoCameraSees) {
  NEEDS_OPENCV();
  const body::Skeleton skeleton = body::default_human();
  const std::vector<float> depth = wall(4);
  OverlayFrame frame;
  frame.depth = depth;
  OverlayPainter painter(camera);
  for (double distance : {-2.0, 0.0, 0.05, 1e-9, 1e6}) {
    body::Estimate estimate = standing(skeleton, distance);
    estimate.deviation[0] = 1e9;
    estimate.deviation[1] = std::nan("");
    EXPECT_FALSE(painter.draw(frame, skeleton, estimate, "\xff%s").empty());
  }
  for (const Camera& bad : {Camera{}, Camera{-1, 5, 1, 1, 0, 0}, Camera{10, 10, 0, 1, 0, 0},
                            Camera{10, 10, 1, 1, NAN, 0}, Camera{1 << 20, 1 << 20, 1, 1, 0, 0}}) {
    EXPECT_THROW(OverlayPainter{bad}, Error);
  }
}

TEST(PictureSink, NumbersPicturesByTheirFrame) {
  NEEDS_OPENCV();
  const ScratchFolder folder;
  const Picture picture{4, 3, std::vector<std::uint8_t>(36, 99)};
  PictureSink(folder / "a/b/frame_%04d.png", 30).add(picture, 12);
  EXPECT_EQ(bytes_of(folder / "a/b/frame_0012.png").substr(1, 3), "PNG");
  PictureSink(folder / "a/50%%_%d.png", 30).add(picture, 7);
  EXPECT_EQ(bytes_of(folder / "a/50%_7.png").substr(1, 3), "PNG");
  PictureSink(folder / "c", 30).add(picture, 5);
  EXPECT_EQ(bytes_of(folder / "c/000005.png").substr(1, 3), "PNG");
}

TEST(PictureSink, RefusesNamesThatSayNothing) {
  NEEDS_OPENCV();
  const ScratchFolder folder;
  for (const char* name :
       {"out.txt", "out.png", "%s.png", "%06d%06d.png", "%n.png", "%.png", "%99999999999d.png", "a%x.png", "%6d.png"}) {
    EXPECT_THROW(PictureSink(folder / name, 30), Error) << name;
  }
  EXPECT_THROW(PictureSink(folder / "none/out.mp4", 30), Error);
  EXPECT_THROW(PictureSink(folder / "out.mp4", 0), Error);
  EXPECT_THROW(PictureSink(folder / "out.mp4", NAN), Error);
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(PictureSink, AVideoAppearsWholeOrNotAtAll) {
  NEEDS_OPENCV();
  const ScratchFolder folder;
  const Picture picture{65, 47, std::vector<std::uint8_t>(3 * 65 * 47, 99)};  // encoders want even sizes
  {
    PictureSink sink(folder / "out.mp4", 30);
    sink.add(picture, 0);
    EXPECT_FALSE(std::filesystem::exists(folder / "out.mp4"));
  }
  EXPECT_EQ(folder.entries(), 0u);
  PictureSink sink(folder / "out.mp4", 30);
  for (int i = 0; i < 5; ++i) sink.add(picture, i);
  EXPECT_THROW(sink.add({4, 4, std::vector<std::uint8_t>(48)}, 5), Error);
  EXPECT_THROW(sink.add({4, 4, {}}, 5), Error);
  sink.commit();
  EXPECT_EQ(folder.entries(), 1u);
  EXPECT_EQ(bytes_of(folder / "out.mp4").substr(4, 4), "ftyp");
  EXPECT_THROW(PictureSink(folder / "empty.mp4", 30).commit(), Error);
}

TEST(PictureSink, SaysSoWhereOpenCvIsNotBuiltIn) {
  if (opencv) GTEST_SKIP() << "OpenCV is built in";
  try {
    const PictureSink sink("out.mp4", 30);
    FAIL() << "made";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("this build has no OpenCV"), std::string::npos);
  }
}

}  // namespace
}  // namespace kinema::io
