// poses.jsonl and its CSV: written a frame at a time, read back, refused by line.
#include "io/motion/poses.h"

#include "io/motion/skeleton_json.h"
#include "kinema/error.h"
#include "scratch_folder.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace kinema::io {
namespace {

using nlohmann::json;

body::Estimate estimate_of(const body::Skeleton& skeleton, double distance) {
  body::Estimate estimate;
  estimate.found = true;
  estimate.pose = body::rest_pose(skeleton, distance);
  estimate.joints = body::joint_positions(skeleton, estimate.pose);
  estimate.deviation.assign(skeleton.joints.size(), 0.0125);
  estimate.log_likelihood = -1234.5678901234567;
  estimate.effective_sample_size = 99.5;
  estimate.times = {{"weigh", 1.25}};
  return estimate;
}

body::Estimate at(std::int64_t frame, double time, body::Estimate estimate, const std::string& why = "lost") {
  estimate.frame = frame;
  estimate.time = time;
  if (!estimate.found) estimate.why = why;
  return estimate;
}

TEST(Poses, ComeBackAsWritten) {
  const ScratchFolder folder;
  const body::Skeleton skeleton = body::default_human();
  const body::Estimate estimate = estimate_of(skeleton, 2.5);
  PosesWriter writer(folder / "poses.jsonl", skeleton);
  writer.add(at(3, 0.1, estimate));
  writer.add(at(4, 0.2, {}));
  writer.add(at(5, 0.3, {}, "no points"));
  writer.commit();
  EXPECT_EQ(folder.entries(), 1u);

  const std::vector<PoseLine> lines = read_poses(folder / "poses.jsonl");
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0].frame, 3);
  EXPECT_EQ(lines[0].time, 0.1);
  EXPECT_TRUE(lines[0].found);
  ASSERT_EQ(lines[0].joints.size(), skeleton.joints.size());
  for (const NamedJoint& joint : lines[0].joints) {
    const int j = skeleton.find(joint.name);
    ASSERT_GE(j, 0) << joint.name;
    const Vec3& expected = estimate.joints[static_cast<std::size_t>(j)];
    // nine digits of metres
    EXPECT_NEAR(joint.position.x, expected.x, 1e-8);
    EXPECT_NEAR(joint.position.y, expected.y, 1e-8);
    EXPECT_NEAR(joint.position.z, expected.z, 1e-8);
    EXPECT_EQ(joint.deviation, 0.0125);
  }
  EXPECT_EQ(lines[0].log_likelihood, estimate.log_likelihood);
  EXPECT_EQ(lines[0].effective_sample_size, 99.5);
  EXPECT_FALSE(lines[1].found);
  EXPECT_EQ(lines[1].why, "lost");
  EXPECT_EQ(lines[2].why, "no points");
  EXPECT_TRUE(lines[2].joints.empty());
}

TEST(Poses, HaveTheMembersOfTheContract) {
  const ScratchFolder folder;
  const body::Skeleton skeleton = body::default_human();
  PosesWriter writer(folder / "p.jsonl", skeleton);
  writer.add(at(0, 0, estimate_of(skeleton, 2)));
  writer.commit();
  const json line = json::parse(bytes_of(folder / "p.jsonl"));
  for (std::string_view name : body::common_joints) {
    EXPECT_EQ(line["joints"][std::string(name)].size(), 3u) << name;
    EXPECT_TRUE(line["std"][std::string(name)].is_number()) << name;
  }
  EXPECT_EQ(line["angles"].size(), skeleton.angle_count());
  EXPECT_EQ(line["ms"]["weigh"], 1.25);
  for (const char* name : {"frame", "time", "log_likelihood", "ess"}) EXPECT_TRUE(line[name].is_number()) << name;
}

TEST(Poses, SayHowTheHeadIsTurnedWhereThatIsKnown) {
  const ScratchFolder folder;
  const body::Skeleton skeleton = body::default_human();
  body::Estimate estimate = estimate_of(skeleton, 2);
  PosesWriter writer(folder / "p.jsonl", skeleton);
  writer.add(at(0, 0, estimate));
  estimate.skeleton = std::make_shared<const body::Skeleton>(skeleton);
  estimate.head_deviation = Vec3{0.25, 0.5, 0.125};
  writer.add(at(1, 0.1, estimate));
  writer.commit();
  const std::string lines = bytes_of(folder / "p.jsonl");
  EXPECT_FALSE(json::parse(lines.substr(0, lines.find('\n'))).contains("head"));
  const json head = json::parse(lines.substr(lines.find('\n')))["head"];
  EXPECT_EQ(head["rotation"], json({0, 1, 0, 0}));  // it faces the camera
  EXPECT_EQ(head["std"], json({0.25, 0.5, 0.125}));
}

TEST(Poses, ALineIsAPoseToStartFrom) {
  const ScratchFolder folder;
  const body::Skeleton skeleton = body::default_human();
  body::Estimate estimate = estimate_of(skeleton, 2.25);
  estimate.pose.rotation = {0.6, 0, -0.8, 0};
  PosesWriter writer(folder / "p.jsonl", skeleton);
  writer.add(at(0, 0, estimate));
  writer.commit();
  const body::Pose pose = read_pose(folder / "p.jsonl", skeleton);
  EXPECT_EQ(pose.position.z, 2.25);
  EXPECT_NEAR(pose.rotation.y, -0.8, 1e-12);
  EXPECT_EQ(pose.angles, estimate.pose.angles);
}

TEST(Poses, NameJointsAsEveryOutputDoes) {
  body::Skeleton skeleton;
  skeleton.joints = {{"Hips", -1, {}, {}}, {"mixamorig:LeftArm", 0, {}, {}}, {"root", 0, {}, {}}, {"tail", 0, {}, {}}};
  EXPECT_EQ(output_names(skeleton), (std::vector<std::string>{"pelvis", "left_shoulder", "root", "tail"}));
  skeleton.joints[2].name = "pelvis";  // has the better right to the name
  EXPECT_EQ(output_names(skeleton)[0], "Hips");
}

TEST(Poses, FramesDoneAreNotLostWhereTheRunEndsEarly) {
  const ScratchFolder folder;
  folder.write("poses.jsonl", "before\n");
  const body::Skeleton skeleton = body::default_human();
  {
    PosesWriter writer(folder / "poses.jsonl", skeleton);
    writer.add(at(0, 0, estimate_of(skeleton, 2)));
    writer.add(at(1, 1, {}));
    // a run that is killed here runs no destructor; the lines are with the system already
    EXPECT_EQ(read_poses(folder / "poses.jsonl.partial").size(), 2u);
  }
  EXPECT_EQ(bytes_of(folder / "poses.jsonl"), "before\n");
  EXPECT_EQ(read_poses(folder / "poses.jsonl.partial").size(), 2u);

  PosesWriter writer(folder / "poses.jsonl", skeleton);
  writer.add(at(7, 0, {}));
  writer.commit();
  EXPECT_EQ(read_poses(folder / "poses.jsonl").size(), 1u);
  EXPECT_FALSE(std::filesystem::exists(folder / "poses.jsonl.partial"));
}

TEST(Poses, TwoRunsDoNotWriteIntoOneFile) {
  const ScratchFolder folder;
  const body::Skeleton skeleton = body::default_human();
  const auto begin = [&] { return PosesWriter(folder / "poses.jsonl", skeleton); };
  PosesWriter first = begin();
  try {
    begin();  // before either has a frame
    FAIL() << "both write";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("another run is writing"), std::string::npos) << error.what();
  }
  first.add(at(0, 0, {}));
  EXPECT_THROW(begin(), Error);
  first.commit();
  begin();  // the other is done
  EXPECT_EQ(folder.entries(), 1u);
  EXPECT_EQ(read_poses(folder / "poses.jsonl").size(), 1u);
}

TEST(Poses, NoEstimateWithoutNumbersIsWritten) {
  const ScratchFolder folder;
  const body::Skeleton skeleton = body::default_human();
  PosesWriter writer(folder / "p.jsonl", skeleton);
  body::Estimate estimate = estimate_of(skeleton, 2);
  estimate.joints[4].y = std::nan("");
  EXPECT_THROW(writer.add(at(0, 0, estimate)), Error);
  estimate = estimate_of(skeleton, 2);
  estimate.joints.pop_back();
  EXPECT_THROW(writer.add(at(0, 0, estimate)), Error);
  estimate = estimate_of(skeleton, 2);
  estimate.pose.angles[1] = INFINITY;
  EXPECT_THROW(writer.add(at(0, 0, estimate)), Error);
  EXPECT_THROW(writer.add(at(0, std::nan(""), estimate_of(skeleton, 2))), Error);
  EXPECT_EQ(bytes_of(folder / "p.jsonl.partial"), "");
}

TEST(Poses, CsvHasARowAFrameAndEmptyCellsForNobody) {
  const ScratchFolder folder;
  body::Skeleton skeleton;
  skeleton.joints = {{"Hips", -1, {}, {}}, {"a,b", 0, {0, 1, 0}, {}}};
  body::Estimate estimate;
  estimate.found = true;
  estimate.pose = body::rest_pose(skeleton, 2);
  estimate.joints = {{0, 0.5, 2}, {0.25, 1, 2}};
  estimate.deviation = {0.01, 0.02};
  PosesWriter writer(folder / "p.csv", skeleton);
  writer.add(at(0, 0.5, estimate));
  writer.add(at(1, 1, {}));
  writer.commit();
  EXPECT_EQ(bytes_of(folder / "p.csv"),
            "frame,time,pelvis_x,pelvis_y,pelvis_z,pelvis_std,\"a,b_x\",\"a,b_y\",\"a,b_z\",\"a,b_std\"\n"
            "0,0.5,0,0.5,2,0.01,0.25,1,2,0.02\n"
            "1,1.0,,,,,,,,\n");
  PosesWriter empty(folder / "e.csv", skeleton);
  empty.commit();
  EXPECT_EQ(bytes_of(folder / "e.csv").rfind("frame,time,pelvis_x", 0), 0u);
}

TEST(Poses, ReadsTruthAndPassesOverWhatItDoesNotKnow) {
  const ScratchFolder folder;
  const auto path =
      folder.write("truth.jsonl",
                   "{\"frame\":0,\"joints\":{\"Hips\":[1,2,3],\"LeftArm\":null},\"quality\":{\"a\":[1]}}\r\n"
                   "\n"
                   "{\"time\":0.5,\"joints\":{\"Hips\":[1,2,3]},\"std\":{\"Hips\":null}}");
  const std::vector<PoseLine> lines = read_poses(path);
  ASSERT_EQ(lines.size(), 2u);
  ASSERT_EQ(lines[0].joints.size(), 1u);
  EXPECT_EQ(lines[0].joints[0].name, "Hips");
  EXPECT_EQ(lines[0].joints[0].position.z, 3);
  EXPECT_FALSE(lines[0].time);
  EXPECT_EQ(lines[1].line, 3u);
  EXPECT_FALSE(lines[1].frame);
  EXPECT_FALSE(lines[1].joints[0].deviation);
}

TEST(Poses, RefusesBrokenLinesByTheirNumber) {
  const ScratchFolder folder;
  const std::string good = "{\"frame\":0,\"joints\":{\"pelvis\":[0,0,1]}}\n";
  const std::pair<std::string, std::string> slips[] = {
      {"{\"frame\":1,\"joints\":{\"pelvis\":[0,0", ":2: is not JSON (column"},
      {"frame,time,pelvis_x", ":2: is not JSON (column"},
      {"[]", ":2: is an array of 0; an object"},
      {"{\"joints\":null}", ":2: has neither \"frame\" nor \"time\""},
      {"{\"frame\":1}", ":2: has no \"joints\": add it"},
      {"{\"frame\":0,\"joints\":null}", ":2: /frame: is 0, as in line 1: keep one line per frame"},
      {"{\"frame\":1.5,\"joints\":null}", ":2: /frame: is the number 1.5; a whole number"},
      {"{\"frame\":1e300,\"joints\":null}", ":2: /frame: is the number 1e+300; a whole number"},
      {"{\"frame\":1,\"time\":\"0\",\"joints\":null}", ":2: /time: is text; a number"},
      {"{\"frame\":1,\"joints\":[]}", ":2: /joints: is an array of 0; an object"},
      {"{\"frame\":1,\"joints\":{\"neck\":[1,2]}}", ":2: /joints/neck: is an array of 2; three numbers"},
      {"{\"frame\":1,\"joints\":{\"neck\":[1,2,null]}}", ":2: /joints/neck/2: is null; a number"},
      {"{\"frame\":1,\"joints\":{\"neck\":[1,2,NaN]}}", ":2: is not JSON"},
      {"{\"frame\":1,\"joints\":{\"neck\":[1,2,1e999]}}", ":2: has a number that is too large"},
      {"{\"frame\":1,\"joints\":{\"neck\":[1,2,3],\"neck\":[1,2,3]}}", ":2: has \"neck\" twice in one object"},
      {"{\"frame\":1,\"joints\":{\"neck\":[1,2,3]},\"std\":{\"neck\":-1}}",
       ":2: /std/neck: is -1: give metres, not below 0"},
      {"{\"frame\":1,\"joints\":{\"neck\":[1,2,1e300]}}", ":2: /joints/neck: lies more than 1000000 metres off"},
      {"{\"frame\":1,\"time\":1e300,\"joints\":null}", ":2: /time: is out of range: give seconds"},
      {std::string("\0\0\0", 3), ":2: is not JSON"},
  };
  for (const auto& [line, says] : slips) {
    const auto path = folder.write("p.jsonl", good + line + "\n");
    try {
      read_poses(path);
      ADD_FAILURE() << "accepted: " << line;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path.string() + says, 0), 0u) << error.what() << "\nwanted " << says;
    }
  }
  EXPECT_THROW(read_poses(folder / "none.jsonl"), Error);
  EXPECT_THROW(read_poses(folder.path()), Error);
  EXPECT_TRUE(read_poses(folder.write("empty.jsonl", "")).empty());
}

}  // namespace
}  // namespace kinema::io
