#include "io/motion/skeleton_json.h"

#include "io/files/input_file.h"
#include "io/files/json_place.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::io {
namespace {

using body::Freedom;
using body::Joint;
using body::Pose;
using body::Skeleton;
using body::SkinCapsule;

constexpr int version = 1;
constexpr std::size_t largest_skeleton = std::size_t{1} << 24;  // the largest skeleton takes a few hundred kilobytes

std::string vector_text(const Vec3& v) {
  return fmt::format("[{}, {}, {}]", exact_number(v.x), exact_number(v.y), exact_number(v.z));
}

std::string freedom_text(const Freedom& freedom) {
  return fmt::format(R"({{"axis": {}, "lower": {}, "upper": {}, "speed": {}}})", vector_text(freedom.axis),
                     exact_number(freedom.lower), exact_number(freedom.upper), exact_number(freedom.speed));
}

std::string joint_text(const Skeleton& skeleton, const Joint& joint) {
  const std::string parent =
      joint.parent < 0 ? "null" : json_text(skeleton.joints[static_cast<std::size_t>(joint.parent)].name);
  std::string text = fmt::format(R"(    {{"name": {}, "parent": {}, "offset": {}, "freedoms": [)",
                                 json_text(joint.name), parent, vector_text(joint.offset));
  for (std::size_t f = 0; f < joint.freedoms.size(); ++f) {
    text += fmt::format("{}\n      {}", f > 0 ? "," : "", freedom_text(joint.freedoms[f]));
  }
  return text + "]}";
}

std::string capsule_text(const Skeleton& skeleton, const SkinCapsule& capsule) {
  return fmt::format(R"(    {{"name": {}, "joint": {}, "a": {}, "b": {}, "radius": {}}})", json_text(capsule.name),
                     json_text(skeleton.joints[static_cast<std::size_t>(capsule.joint)].name), vector_text(capsule.a),
                     vector_text(capsule.b), exact_number(capsule.radius));
}

// An error that body::check() finds in the skeleton read so far is due to the part read last.
void check_here(const JsonPlace& place, const Skeleton& so_far) {
  try {
    body::check(so_far);
  } catch (const Error& error) {
    place.fail(printable(error.what(), 300));
  }
}

int joint_named(const JsonPlace& place, const Skeleton& skeleton) {
  const std::string name = place.text();
  const int joint = skeleton.find(name);
  if (joint < 0) place.fail(fmt::format("\"{}\" is not a joint listed before this place: name one", printable(name)));
  return joint;
}

void read_joint(const JsonPlace& place, Skeleton& skeleton) {
  place.only({"name", "parent", "offset", "freedoms", "comment"});
  Joint joint;
  joint.name = place.member("name").text();
  if (joint.name.empty()) place.member("name").fail("is empty: give the joint a name");
  if (skeleton.find(joint.name) >= 0) {
    place.member("name").fail(fmt::format("\"{}\" is the name of a joint above: give another", printable(joint.name)));
  }
  const JsonPlace parent = place.member("parent");
  if (skeleton.joints.empty()) {
    if (!parent.is_null()) parent.fail("the first joint has no parent: give null");
  } else {
    if (parent.is_null()) parent.fail("only the first joint has no parent: name a joint above");
    joint.parent = joint_named(parent, skeleton);
  }
  joint.offset = place.member("offset").vector();
  skeleton.joints.push_back(std::move(joint));
  check_here(place, skeleton);
  const auto freedoms = place.find("freedoms");
  if (!freedoms) return;
  for (const JsonPlace& entry : freedoms->elements(3)) {
    entry.only({"axis", "lower", "upper", "speed", "comment"});
    Freedom freedom;
    freedom.axis = entry.member("axis").vector();
    freedom.lower = entry.member("lower").number();
    freedom.upper = entry.member("upper").number();
    if (const auto speed = entry.find("speed")) freedom.speed = speed->number();
    skeleton.joints.back().freedoms.push_back(freedom);
    check_here(entry, skeleton);
  }
}

void read_capsule(const JsonPlace& place, Skeleton& skeleton) {
  place.only({"name", "joint", "a", "b", "radius", "comment"});
  SkinCapsule capsule;
  if (const auto name = place.find("name")) capsule.name = name->text();
  capsule.joint = joint_named(place.member("joint"), skeleton);
  capsule.a = place.member("a").vector();
  capsule.b = place.member("b").vector();
  const JsonPlace radius = place.member("radius");
  capsule.radius = radius.number();
  if (capsule.radius <= 0) radius.fail(fmt::format("is {}: a radius is above 0 metres", capsule.radius));
  skeleton.capsules.push_back(std::move(capsule));
  check_here(place, skeleton);
}

Skeleton skeleton_at(const JsonPlace& root) {
  root.only({"version", "name", "joints", "capsules", "comment", "$schema"});
  if (const auto given = root.find("version"); given && given->number() != version) {
    given->fail(fmt::format("is {}; kinema reads {}: write the file anew", given->number(), version));
  }
  Skeleton skeleton;
  if (const auto name = root.find("name")) skeleton.name = name->text();
  const JsonPlace joints = root.member("joints");
  for (const JsonPlace& joint : joints.elements(body::max_joints)) read_joint(joint, skeleton);
  if (skeleton.joints.empty()) joints.fail("is empty: a skeleton has at least one joint");
  for (const JsonPlace& capsule : root.member("capsules").elements(body::max_capsules)) {
    read_capsule(capsule, skeleton);
  }
  return skeleton;
}

Quaternion rotation_at(const JsonPlace& place) {
  const std::vector<JsonPlace> parts = place.elements(4);
  if (parts.size() != 4) place.fail("is a quaternion: four numbers [w, x, y, z] are needed");
  const double w = parts[0].number(), x = parts[1].number(), y = parts[2].number(), z = parts[3].number();
  const double length = std::sqrt(w * w + x * x + y * y + z * z);
  if (!(std::abs(length - 1) < 1e-3)) {
    place.fail(fmt::format("has the length {:.4g}: a rotation is a quaternion of length 1", length));
  }
  // rounded numbers are corrected; exact ones stay as they are
  if (std::abs(length - 1) < 1e-12) return {w, x, y, z};
  return {w / length, x / length, y / length, z / length};
}

double angle_at(const JsonPlace& place, const Joint& joint, const Freedom& freedom) {
  const double angle = place.number();
  if (angle < freedom.lower - limit_slack || angle > freedom.upper + limit_slack) {
    place.fail(fmt::format("{} is outside the limits of {}, {} to {} radians: give an angle between", angle,
                           printable(joint.name), freedom.lower, freedom.upper));
  }
  return std::clamp(angle, freedom.lower, freedom.upper);
}

void read_angles(const JsonPlace& place, const Skeleton& skeleton, std::vector<double>& angles) {
  std::size_t next = 0;  // of the joint's first freedom
  if (place.is_array()) {
    const std::vector<JsonPlace> entries = place.elements(body::max_angles);
    if (entries.size() != angles.size()) {
      place.fail(fmt::format("has {} angles where the skeleton has {}: give all in its order, or an object by joint",
                             entries.size(), angles.size()));
    }
    for (const Joint& joint : skeleton.joints) {
      for (const Freedom& freedom : joint.freedoms) {
        angles[next] = angle_at(entries[next], joint, freedom);
        ++next;
      }
    }
    return;
  }
  for (const JsonPlace::Member& member : place.members()) {
    if (skeleton.find(member.name) < 0) member.place.fail("the skeleton has no joint of this name: use one of its own");
  }
  for (const Joint& joint : skeleton.joints) {
    if (const auto given = place.find(joint.name)) {
      const std::vector<JsonPlace> entries = given->elements(3);
      if (entries.size() != joint.freedoms.size()) {
        given->fail(fmt::format("has {} angles where the joint turns in {}: give one per freedom", entries.size(),
                                joint.freedoms.size()));
      }
      for (std::size_t f = 0; f < entries.size(); ++f) {
        angles[next + f] = angle_at(entries[f], joint, joint.freedoms[f]);
      }
    }
    next += joint.freedoms.size();
  }
}

Pose pose_at(const JsonPlace& root, const Skeleton& skeleton) {
  root.only({"position", "rotation", "angles", "comment", "frame", "time", "joints", "std", "log_likelihood", "ess",
             "ms", "head", "person", "hidden"});
  Pose pose = body::rest_pose(skeleton);
  pose.position = root.member("position").vector();
  if (const auto rotation = root.find("rotation")) pose.rotation = rotation_at(*rotation);
  if (const auto angles = root.find("angles")) read_angles(*angles, skeleton, pose.angles);
  return pose;
}

template <class Read>
auto read_file(const std::filesystem::path& path, const Read& read) {
  return naming(path, [&] {
    const nlohmann::json document = parse_json(read_bytes(path, largest_skeleton));
    return read(JsonPlace(document));
  });
}

}  // namespace

std::string skeleton_json(const Skeleton& skeleton) {
  body::check(skeleton);
  std::string text =
      fmt::format("{{\n  \"version\": {},\n  \"name\": {},\n  \"joints\": [", version, json_text(skeleton.name));
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    text += (j > 0 ? ",\n" : "\n") + joint_text(skeleton, skeleton.joints[j]);
  }
  text += "\n  ],\n  \"capsules\": [";
  for (std::size_t c = 0; c < skeleton.capsules.size(); ++c) {
    text += (c > 0 ? ",\n" : "\n") + capsule_text(skeleton, skeleton.capsules[c]);
  }
  return text + "\n  ]\n}\n";
}

Skeleton read_skeleton(const std::filesystem::path& path) {
  return read_file(path, [](const JsonPlace& root) { return skeleton_at(root); });
}

std::string pose_json(const Skeleton& skeleton, const Pose& pose) {
  if (pose.angles.size() != skeleton.angle_count()) {
    throw Error(
        fmt::format("the pose has {} angles where the skeleton has {}", pose.angles.size(), skeleton.angle_count()));
  }
  const auto& [w, x, y, z] = pose.rotation;
  bool finite = true;
  for (double number : {pose.position.x, pose.position.y, pose.position.z, w, x, y, z}) {
    finite = finite && std::isfinite(number);
  }
  for (double angle : pose.angles) finite = finite && std::isfinite(angle);
  if (!finite) throw Error("the pose has a number that is not finite");
  std::string text =
      fmt::format("{{\n  \"position\": {},\n  \"rotation\": [{}, {}, {}, {}],\n  \"angles\": {{",
                  vector_text(pose.position), exact_number(w), exact_number(x), exact_number(y), exact_number(z));
  std::size_t next = 0;
  bool first = true;
  for (const Joint& joint : skeleton.joints) {
    if (joint.freedoms.empty()) continue;
    text += fmt::format("{}\n    {}: [", first ? "" : ",", json_text(joint.name));
    for (std::size_t f = 0; f < joint.freedoms.size(); ++f) {
      text += (f > 0 ? ", " : "") + exact_number(pose.angles[next++]);
    }
    text += "]";
    first = false;
  }
  return text + "\n  }\n}\n";
}

Pose read_pose(const std::filesystem::path& path, const Skeleton& skeleton) {
  return read_file(path, [&](const JsonPlace& root) { return pose_at(root, skeleton); });
}

}  // namespace kinema::io
