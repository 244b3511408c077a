// Skeletons and poses as JSON: exact there and back, refused with their place.
#include "io/motion/skeleton_json.h"

#include "kinema/error.h"
#include "refusal.h"
#include "scratch_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <random>

namespace kinema::io {
namespace {

using body::Pose;
using body::Skeleton;
using nlohmann::json;

constexpr std::string_view one_arm = R"({
  "version": 1, "name": "one arm",
  "joints": [
    {"name": "pelvis", "parent": null, "offset": [0, 0, 0]},
    {"name": "left_shoulder", "parent": "pelvis", "offset": [0.18, 0.4, 0], "freedoms": [
      {"axis": [0, -1, 0], "lower": -0.9, "upper": 2.4, "speed": 4},
      {"axis": [0, 0, 1], "lower": -1.7, "upper": 1.7}]},
    {"name": "left_elbow", "parent": "left_shoulder", "offset": [0.28, 0, 0], "freedoms": [
      {"axis": [0, -1, 0], "lower": 0, "upper": 2.6, "speed": 5}], "comment": "a hinge"}
  ],
  "capsules": [{"joint": "left_elbow", "a": [0, 0, 0], "b": [0.23, 0, 0], "radius": 0.035}]
})";

// Equal bits, so that -0 is not taken for 0.
void expect_same(double a, double b) { EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)); }
void expect_same(const Vec3& a, const Vec3& b) {
  expect_same(a.x, b.x);
  expect_same(a.y, b.y);
  expect_same(a.z, b.z);
}

void expect_same(const Skeleton& a, const Skeleton& b) {
  EXPECT_EQ(a.name, b.name);
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (std::size_t j = 0; j < a.joints.size(); ++j) {
    EXPECT_EQ(a.joints[j].name, b.joints[j].name);
    EXPECT_EQ(a.joints[j].parent, b.joints[j].parent);
    expect_same(a.joints[j].offset, b.joints[j].offset);
    ASSERT_EQ(a.joints[j].freedoms.size(), b.joints[j].freedoms.size());
    for (std::size_t f = 0; f < a.joints[j].freedoms.size(); ++f) {
      expect_same(a.joints[j].freedoms[f].axis, b.joints[j].freedoms[f].axis);
      expect_same(a.joints[j].freedoms[f].lower, b.joints[j].freedoms[f].lower);
      expect_same(a.joints[j].freedoms[f].upper, b.joints[j].freedoms[f].upper);
      expect_same(a.joints[j].freedoms[f].speed, b.joints[j].freedoms[f].speed);
    }
  }
  ASSERT_EQ(a.capsules.size(), b.capsules.size());
  for (std::size_t c = 0; c < a.capsules.size(); ++c) {
    EXPECT_EQ(a.capsules[c].name, b.capsules[c].name);
    EXPECT_EQ(a.capsules[c].joint, b.capsules[c].joint);
    expect_same(a.capsules[c].a, b.capsules[c].a);
    expect_same(a.capsules[c].b, b.capsules[c].b);
    expect_same(a.capsules[c].radius, b.capsules[c].radius);
  }
}

TEST(SkeletonJson, ComesBackAsTheSameBits) {
  const ScratchFolder folder;
  Skeleton skeleton = body::default_human(1.7320508);
  skeleton.name = "a \"human\"\n\xc3\xa9";
  expect_same(read_skeleton(folder.write("s.json", skeleton_json(skeleton))), skeleton);
}

TEST(SkeletonJson, ReadsWhatAPersonWrote) {
  const ScratchFolder folder;
  const Skeleton skeleton = read_skeleton(folder.write("s.json", std::string(one_arm)));
  EXPECT_EQ(skeleton.name, "one arm");
  ASSERT_EQ(skeleton.joints.size(), 3u);
  EXPECT_EQ(skeleton.joints[2].parent, 1);
  EXPECT_EQ(skeleton.joints[1].freedoms[1].speed, 1);  // its default
  ASSERT_EQ(skeleton.capsules.size(), 1u);
  EXPECT_EQ(skeleton.capsules[0].joint, 2);
}

TEST(SkeletonJson, WritesNoSkeletonThatMakesNoSense) {
  Skeleton skeleton = body::default_human();
  skeleton.capsules[3].radius = std::nan("");
  EXPECT_THROW(skeleton_json(skeleton), Error);
  skeleton = body::default_human();
  skeleton.joints[2].name = "\xff\xfe";
  EXPECT_THROW(skeleton_json(skeleton), Error);
}

// The part of JSON schema that docs/skeleton.schema.json uses.
bool fits(const json& value, const json& schema, const json& root) {
  if (schema.contains("$ref") &&
      !fits(value, root.at(json::json_pointer(schema["$ref"].get<std::string>().substr(1))), root)) {
    return false;
  }
  if (schema.contains("const") && value != schema["const"]) return false;
  if (schema.contains("type")) {
    const json types = schema["type"].is_array() ? schema["type"] : json::array({schema["type"]});
    const std::string type = value.is_number() ? "number" : value.type_name();
    if (std::find(types.begin(), types.end(), type) == types.end()) return false;
  }
  for (const json& name : schema.value("required", json::array())) {
    if (!value.contains(name.get<std::string>())) return false;
  }
  if (value.is_object() && schema.contains("properties")) {
    for (const auto& [name, member] : value.items()) {
      if (!schema["properties"].contains(name) || !fits(member, schema["properties"][name], root)) return false;
    }
  }
  if (!value.is_array()) return true;
  if (value.size() < schema.value("minItems", std::size_t{0})) return false;
  if (value.size() > schema.value("maxItems", value.size())) return false;
  for (const json& element : value) {
    if (schema.contains("items") && !fits(element, schema["items"], root)) return false;
  }
  return true;
}

TEST(SkeletonJson, DefaultHumanFitsTheSchema) {
  const json schema = json::parse(bytes_of(std::filesystem::path(KINEMA_ROOT) / "docs/skeleton.schema.json"));
  EXPECT_TRUE(fits(json::parse(skeleton_json(body::default_human())), schema, schema));
  EXPECT_TRUE(fits(json::parse(one_arm), schema, schema));
  json wrong = json::parse(one_arm);
  wrong["joints"][1]["freedoms"][0].erase("axis");
  EXPECT_FALSE(fits(wrong, schema, schema));
}

struct Slip {
  const char* pointer;  // where the file is changed
  const char* value;    // to this; "" removes it
  const char* says;     // what the refusal holds
};

TEST(SkeletonJson, RefusesWithFilePlaceAndMend) {
  const ScratchFolder folder;
  const Slip slips[] = {
      {"/joints/1/parent", "\"spin\"", "/joints/1/parent: \"spin\" is not a joint listed before this place: name one"},
      {"/joints/1/parent", "\"left_elbow\"", "/joints/1/parent: \"left_elbow\" is not a joint listed before"},
      {"/joints/1/parent", "0", "/joints/1/parent: is the number 0; text in quotes is needed"},
      {"/joints/1/parent", "null", "/joints/1/parent: only the first joint has no parent"},
      {"/joints/0/parent", "\"pelvis\"", "/joints/0/parent: the first joint has no parent: give null"},
      {"/joints/1/parent", "", "/joints/1: has no \"parent\": add it"},
      {"/joints/1/name", "\"pelvis\"", "/joints/1/name: \"pelvis\" is the name of a joint above"},
      {"/joints/1/name", "\"\"", "/joints/1/name: is empty"},
      {"/joints/1/offset", "[1, 2]", "/joints/1/offset: is an array of 2; three numbers"},
      {"/joints/1/offset/2", "\"0\"", "/joints/1/offset/2: is text; a number is needed"},
      {"/joints/1/freedom", "[]", "/joints/1/freedom: is not a name known here: use one of name, parent"},
      {"/joints/1/freedoms/0/axis/1", "-0.5", "/joints/1/freedoms/0: joint left_shoulder has an axis of length 0.5"},
      {"/joints/1/freedoms/1/axis", "[0, 1, 0]", "/joints/1/freedoms/1: joint left_shoulder: its first two axes"},
      {"/joints/1/freedoms/0/lower", "3", "/joints/1/freedoms/0: joint left_shoulder has the limits 3 to 2.4"},
      {"/joints/1/freedoms/1/speed", "-1", "/joints/1/freedoms/1: joint left_shoulder has the speed -1"},
      {"/joints/0/freedoms", R"([{"axis": [1, 0, 0], "lower": 0, "upper": 1}])",
       "/joints/0/freedoms/0: joint pelvis is"},
      {"/joints", "[]", "/joints: is empty"},
      {"/joints", "{}", "/joints: is an object; an array"},
      {"/capsules/0/joint", "\"hand\"", "/capsules/0/joint: \"hand\" is not a joint"},
      {"/capsules/0/radius", "0", "/capsules/0/radius: is 0: a radius is above 0 metres"},
      {"/capsules", "", "has no \"capsules\": add it"},
      {"/version", "2", "/version: is 2; kinema reads 1"},
      {"/name", "7", "/name: is the number 7"},
  };
  for (const Slip& slip : slips) {
    json document = json::parse(one_arm);
    const json::json_pointer place(slip.pointer);
    if (*slip.value != '\0')
      document[place] = json::parse(slip.value);
    else
      document[place.parent_pointer()].erase(place.back());
    const auto path = folder.write("s.json", document.dump());
    try {
      read_skeleton(path);
      FAIL() << "accepted: " << slip.pointer << " = " << slip.value;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path.string() + ": " + slip.says, 0), 0u)
          << error.what() << "\nwanted: " << slip.says;
      EXPECT_EQ(error.cause(), Error::Cause::input);
    }
  }
}

TEST(SkeletonJson, RefusesWhatIsNoJson) {
  const ScratchFolder folder;
  const auto refused = [](const std::filesystem::path& path, const std::string& says) {
    try {
      read_skeleton(path);
      ADD_FAILURE() << "accepted: " << says;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
  };
  refused(folder / "none.json", "none.json: there is no such file");
  refused(folder.path(), "is a folder");
  refused(folder.write("a.json", ""), "a.json: is empty");
  refused(folder.write("b.json", "{\n  \"joints\": [,]}"), "is not JSON (line 2, column 14: something does not belong");
  refused(folder.write("c.json", "{\"joints\": ["), "it ends too early");
  refused(folder.write("d.json", "{\"joints\": [], \"joints\": []}"), "has \"joints\" twice in one object: keep one");
  refused(folder.write("e.json", "{\"name\": 1e999}"), "too large for a double");
  refused(folder.write("f.json", std::string(100000, '[')), "nested more than 32 deep");
  refused(folder.write("g.json", "{\"name\": \"\xff\"}"), "is not JSON");
  refused(folder.write("h.json", "[]"), "is an array of 0; an object");
  std::string many = "{\"joints\": [";
  for (int i = 0; i < 65; ++i) many += i > 0 ? ",0" : "0";
  refused(folder.write("i.json", many + "], \"capsules\": []}"), "/joints: has 65 elements: at most 64");
}

// Whatever a file holds: a skeleton that check() accepts, or an Error of one line that starts with the file's name.
TEST(SkeletonJson, MutatedFilesAreReadOrRefused) {
  const ScratchFolder folder;
  std::mt19937 random(4711);
  const auto any = [&](std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random); };
  const std::string pieces[] = {"{",    "}", "[",     "]", ",",    ":",       "\"",
                                "null", "-", "1e300", "0", "true", "\\u0000", "\xff"};
  std::size_t read = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes(one_arm);
    for (std::size_t mutation = 0, count = 1 + any(3); mutation < count; ++mutation) {
      const std::size_t at = any(bytes.size());
      if (any(2) == 0)
        bytes[at] = static_cast<char>(32 + any(95));
      else
        bytes.insert(at, pieces[any(std::size(pieces))]);
    }
    const auto path = folder.write("m.json", bytes);
    try {
      const Skeleton skeleton = read_skeleton(path);
      EXPECT_NO_THROW(body::check(skeleton));
      ++read;
    } catch (const Error& error) {
      expect_line_about(path, error.what());
      ++refused;
    }
  }
  // both ends of it were reached
  EXPECT_GT(read, 20u);
  EXPECT_GT(refused, 1000u);
}

TEST(PoseJson, ComesBackAsTheSameBits) {
  const ScratchFolder folder;
  const Skeleton skeleton = body::default_human();
  Pose pose = body::rest_pose(skeleton, 2.3456789);
  pose.rotation = {0.5, -0.5, 0.5, 0.5};
  std::mt19937 random(3);
  std::size_t next = 0;
  for (const body::Joint& joint : skeleton.joints) {
    for (const body::Freedom& freedom : joint.freedoms) {
      pose.angles[next++] = std::uniform_real_distribution<double>(freedom.lower, freedom.upper)(random);
    }
  }
  const Pose read = read_pose(folder.write("p.json", pose_json(skeleton, pose)), skeleton);
  expect_same(read.position, pose.position);
  expect_same(read.rotation.w, pose.rotation.w);
  expect_same(read.rotation.z, pose.rotation.z);
  ASSERT_EQ(read.angles.size(), pose.angles.size());
  for (std::size_t i = 0; i < pose.angles.size(); ++i) expect_same(read.angles[i], pose.angles[i]);
}

TEST(PoseJson, WhatIsLeftOutIsAtRest) {
  const ScratchFolder folder;
  const Skeleton skeleton = body::default_human();
  const Pose rest = body::rest_pose(skeleton);
  const Pose pose =
      read_pose(folder.write("p.json", R"({"position": [0, 0, 3], "angles": {"left_elbow": [1.5]}})"), skeleton);
  EXPECT_EQ(pose.position.z, 3);
  EXPECT_EQ(pose.rotation.x, rest.rotation.x);
  std::size_t turned = 0;
  for (std::size_t i = 0; i < pose.angles.size(); ++i) turned += pose.angles[i] != rest.angles[i] ? 1 : 0;
  EXPECT_EQ(turned, 1u);
}

TEST(PoseJson, RefusesWithPlaceAndMend) {
  const ScratchFolder folder;
  const Skeleton skeleton = read_skeleton(folder.write("s.json", std::string(one_arm)));
  const std::pair<const char*, const char*> slips[] = {
      {R"({"angles": [0, 0, 0]})", "has no \"position\": add it"},
      {R"({"position": [0, 0, 2], "angles": [0, 0]})", "/angles: has 2 angles where the skeleton has 3"},
      {R"({"position": [0, 0, 2], "angles": {"elbow": [0]}})", "/angles/elbow: the skeleton has no joint of this name"},
      {R"({"position": [0, 0, 2], "angles": {"left_elbow": [0, 1]}})",
       "/angles/left_elbow: has 2 angles where the joint turns in 1"},
      {R"({"position": [0, 0, 2], "angles": {"left_elbow": [3]}})",
       "/angles/left_elbow/0: 3 is outside the limits of left_elbow, 0 to 2.6"},
      {R"({"position": [0, 0, 2], "angles": [0, 9, 0]})", "/angles/1: 9 is outside the limits"},
      {R"({"position": [0, 0, 2], "rotation": [1, 1, 0, 0]})", "/rotation: has the length 1.414"},
      {R"({"position": [0, 0, 2], "rotation": [1, 0, 0]})", "/rotation: is a quaternion"},
      {R"({"position": [0, 0, 2], "angle": []})", "/angle: is not a name known here"},
  };
  for (const auto& [text, says] : slips) {
    const auto path = folder.write("p.json", text);
    try {
      read_pose(path, skeleton);
      FAIL() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).rfind(path.string() + ": " + says, 0), 0u) << error.what();
    }
  }
  // a mean pose may lie a little beyond a limit
  const auto path = folder.write("p.json", R"({"position": [0, 0, 2], "angles": {"left_elbow": [-0.04]}})");
  EXPECT_EQ(read_pose(path, skeleton).angles.back(), 0);
}

}  // namespace
}  // namespace kinema::io
