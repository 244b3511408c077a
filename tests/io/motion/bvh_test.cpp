// BVH files of several dialects, and where their joints are.
#include "io/motion/bvh.h"

#include "core/geometry.h"
#include "io/files/output_file.h"
#include "kinema/error.h"
#include "scratch_folder.h"
#include "small_bvh.h"

#include <gtest/gtest.h>

namespace kinema::io {
namespace {

// Rounding of the degrees' sines and cosines; nothing else is inexact.
constexpr double tolerance = 1e-12;

void expect_at(const Vec3& p, double x, double y, double z, double near = tolerance) {
  EXPECT_NEAR(p.x, x, near);
  EXPECT_NEAR(p.y, y, near);
  EXPECT_NEAR(p.z, z, near);
}

Bvh read_text(const std::string& text) {
  const ScratchFolder folder;
  return read_bvh(folder.write("clip.bvh", text));
}

TEST(Bvh, ReadsJointsChannelsAndFrames) {
  const Bvh bvh = read_text(small_hierarchy + small_motion);
  ASSERT_EQ(bvh.joints.size(), 3u);
  EXPECT_EQ(bvh.joints[0].name, "Hips");
  EXPECT_EQ(bvh.joints[2].name, "Head");
  EXPECT_EQ(bvh.joints[0].parent, -1);
  EXPECT_EQ(bvh.joints[2].parent, 1);
  EXPECT_EQ(bvh.joints[1].first_channel, 6u);
  EXPECT_EQ(bvh.joints[2].first_channel, 9u);
  ASSERT_EQ(bvh.joints[2].end_sites.size(), 1u);
  expect_at(bvh.joints[2].end_sites[0], 0, 1, 0);
  EXPECT_EQ(bvh.frames, 2u);
  EXPECT_EQ(bvh.channels, 12u);
  EXPECT_DOUBLE_EQ(bvh.frame_time, 0.0083333);
}

TEST(Bvh, TurnsByTheProductOfRotationsInChannelOrder) {
  const Bvh bvh = read_text(small_hierarchy + small_motion);
  const BvhPlaces rest = bvh_places(bvh, 0);
  expect_at(rest.positions[0], 1, 2, 3);
  expect_at(rest.positions[2], 1, 7, 3);
  // the root's turn about z lays the spine along -x; the spine's own about x then points to its z, which is the world's
  const BvhPlaces turned = bvh_places(bvh, 1);
  expect_at(turned.positions[1], -1, 2, 3);
  expect_at(turned.positions[2], -1, 2, 6);

  // Rz Ry is not Ry Rz
  const std::string order = replaced(small_motion, "1 2 3 90 0 0 0 0 90 0 0 0", "0 0 0 0 0 0 90 90 0 0 0 0");
  expect_at(bvh_places(read_text(small_hierarchy + order), 1).positions[2], -3, 2, 0);
  const std::string yz =
      replaced(small_hierarchy, "3 Zrotation Yrotation Xrotation", "3 Yrotation Zrotation Xrotation");
  expect_at(bvh_places(read_text(yz + order), 1).positions[2], 0, 2, 3);
}

TEST(Bvh, PositionChannelsReplaceTheOffset) {
  std::string text = replaced(small_hierarchy, "CHANNELS 3 Zrotation Yrotation Xrotation",
                              "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation");
  text += "MOTION\nFrames:\t1\nFrame Time:\t0.0333333\n0 0 0 0 0 0 5 6 7 0 0 0 0 0 0\n";
  const BvhPlaces places = bvh_places(read_text(text), 0);
  expect_at(places.positions[1], 5, 6, 7);
  expect_at(places.positions[2], 5, 9, 7);
}

TEST(Bvh, ReadsOtherLayoutsOfTheSameFile) {
  const Bvh expected = read_text(small_hierarchy + small_motion);
  std::string crlf, tabs, tight = small_hierarchy + small_motion;
  for (char c : small_hierarchy + small_motion) {
    crlf += c == '\n' ? "\r\n" : std::string(1, c);
    tabs += c == ' ' ? '\t' : c;
  }
  tight = replaced(replaced(tight, "ROOT Hips\n{", "ROOT Hips {"), "JOINT Spine\n  {", "JOINT Spine{");
  const std::string loud =
      replaced(replaced(small_hierarchy + small_motion, "Frames:", "FRAMES:"), "Yposition", "YPOSITION");
  for (const std::string& text : {crlf, tabs, tight, loud, "\xef\xbb\xbf" + tight, tight + "\n \n\n",
                                  replaced(tight, "1 2 3 0 0", "+1 2.0 3e0 0 -0")}) {
    const Bvh bvh = read_text(text);
    EXPECT_EQ(bvh.values, expected.values);
    ASSERT_EQ(bvh.joints.size(), 3u);
    EXPECT_EQ(bvh.joints[1].name, "Spine");
  }
  EXPECT_EQ(read_text(replaced(tight, "Spine", "Lower Back")).joints[1].name, "Lower Back");
}

TEST(Bvh, APoseBetweenFramesIsBetweenTheirs) {
  const Bvh bvh = read_text(small_hierarchy + small_motion);
  const double r = std::sqrt(0.5);
  expect_at(bvh_places(bvh, 0.5).positions[1], 1 - 2 * r, 2 + 2 * r, 3);
  expect_at(bvh_places(bvh, 7).positions[1], -1, 2, 3);  // past the end: the last
}

TEST(Bvh, WritesWhatItReads) {
  const Bvh bvh = read_text(small_hierarchy + small_motion);
  const ScratchFolder folder;
  OutputFile file(folder / "copy.bvh");
  write_bvh(file, bvh);
  file.commit();
  const Bvh copy = read_bvh(folder / "copy.bvh");
  EXPECT_EQ(copy.values, bvh.values);
  EXPECT_EQ(copy.frame_time, bvh.frame_time);
  ASSERT_EQ(copy.joints.size(), bvh.joints.size());
  for (std::size_t j = 0; j < copy.joints.size(); ++j) {
    EXPECT_EQ(copy.joints[j].name, bvh.joints[j].name);
    EXPECT_EQ(copy.joints[j].channels, bvh.joints[j].channels);
    EXPECT_EQ(copy.joints[j].end_sites.size(), bvh.joints[j].end_sites.size());
  }
}

TEST(Bvh, KnowsTheUnitByTheSizeOfThePerson) {
  Bvh bvh = read_bvh(KINEMA_SAMPLES "/walk.bvh");
  constexpr double cmu = 0.0254 / 0.45;
  EXPECT_DOUBLE_EQ(guess_metres_per_unit(bvh), cmu);
  const auto in_units_of = [&](double metres) {
    Bvh other = bvh;
    for (BvhJoint& joint : other.joints) joint.offset = (cmu / metres) * joint.offset;
    return other;
  };
  for (double unit : {1.0, 0.01, 0.001}) EXPECT_DOUBLE_EQ(guess_metres_per_unit(in_units_of(unit)), unit);
  EXPECT_THROW(guess_metres_per_unit(in_units_of(1000)), Error);
  EXPECT_THROW(guess_metres_per_unit(in_units_of(0.2)), Error);
  bvh.joints[1].name = "somewhere";
  EXPECT_NO_THROW(guess_metres_per_unit(bvh));
  EXPECT_THROW(guess_metres_per_unit(read_text(small_hierarchy + small_motion)), Error);
}

// The clips that are kept beside the project, where they are.
TEST(BvhData, ReadsTheClipsOfTwoDatabases) {
  const std::filesystem::path data = KINEMA_SHARED "/data/mocap";
  if (!std::filesystem::exists(data)) GTEST_SKIP() << "there is no " << data;
  std::size_t clips = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data)) {
    if (entry.path().extension() != ".bvh") continue;
    SCOPED_TRACE(entry.path());
    const Bvh bvh = read_bvh(entry.path());
    const bool cmu = entry.path().parent_path().filename() == "cmu";
    EXPECT_EQ(bvh.channels, cmu ? 96u : 132u);
    EXPECT_DOUBLE_EQ(guess_metres_per_unit(bvh), cmu ? 0.0254 / 0.45 : 0.01);
    for (int joint : bvh_common_joints(bvh)) EXPECT_GE(joint, 0);
    ++clips;
  }
  EXPECT_EQ(clips, 18u);
}

}  // namespace
}  // namespace kinema::io
