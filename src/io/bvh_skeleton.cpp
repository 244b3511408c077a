#include "io/bvh_skeleton.h"

#include "core/geometry.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::io {
namespace {

std::size_t common_index(std::string_view name) {
  const auto found = std::find(body::common_joints.begin(), body::common_joints.end(), name);
  return static_cast<std::size_t>(found - body::common_joints.begin());
}

// The mean over the clip of the offset from `from` to the left and right `to`, in the frame of the trunk: y from pelvis
// to neck, x to the left. Symmetric.
Vec3 carried(const Bvh& bvh, std::string_view from, const std::string& to) {
  const auto joints = bvh_common_joints(bvh);
  Vec3 sum{};
  for (std::size_t f = 0; f < bvh.frames; f += 1 + bvh.frames / 64) {
    const BvhPlaces places = bvh_places(bvh, static_cast<double>(f));
    const auto at = [&](std::string_view name) {
      return places.positions[static_cast<std::size_t>(joints[common_index(name)])];
    };
    const auto unit = [](const Vec3& v) { return norm(v) > 0 ? (1 / norm(v)) * v : v; };
    const Vec3 left = at("left_" + to) - at(from), right = at("right_" + to) - at(from), across = left - right;
    const Vec3 y = unit(at("neck") - at("pelvis")), x = unit(across - dot(across, y) * y), z = cross(x, y);
    sum = sum + Vec3{dot(x, left - right), dot(y, left + right), dot(z, left + right)};
  }
  return sum;
}

// The person of the file: positions of the common joints in metres, in the rest pose if that is upright.
class Person {
public:
  Person(const Bvh& bvh, double metres_per_unit) : upright(bvh_rest_is_upright(bvh)) {
    const auto joints = bvh_common_joints(bvh);
    const BvhPlaces places = upright ? bvh_rest(bvh) : bvh_places(bvh, static_cast<double>(bvh.frames / 2));
    for (std::size_t i = 0; i < joints.size(); ++i) {
      if (joints[i] < 0)
        throw Error(fmt::format("has no joint {}, under this or another known name", body::common_joints[i]));
      positions_[i] = metres_per_unit * places.positions[static_cast<std::size_t>(joints[i])];
    }
    if (!upright) {
      shoulder_ = carried(bvh, "neck", "shoulder");
      hip_ = carried(bvh, "pelvis", "hip");
    }
    for (std::size_t j = 0; j < bvh.joints.size(); ++j) {
      for (int side = 0; side < 2; ++side) {
        const int ankle = joints[common_index(side == 0 ? "left_ankle" : "right_ankle")];
        if (bvh.joints[j].parent == ankle) feet_[side] = metres_per_unit * bvh.joints[j].offset;
      }
    }
  }

  /// From one joint to another. Limbs are straight in any pose; the rest is only as good as the rest pose.
  Vec3 bone(const std::string& from, const std::string& to) const {
    return positions_[common_index(to)] - positions_[common_index(from)];
  }
  /// The offset from the neck to a shoulder and from the pelvis to a hip: its direction is that of the OFFSETs, or the
  /// mean over the clip or, if that is implausible, that of `own`; its length is that of the OFFSETs.
  Vec3 to_shoulder(const std::string& side, const Vec3& own) const {
    return girdle(bone("neck", side + "_shoulder"), shoulder_, own);
  }
  Vec3 to_hip(const std::string& side, const Vec3& own) const {
    return girdle(bone("pelvis", side + "_hip"), hip_, own);
  }
  Vec3 foot(const std::string& side) const { return feet_[side == "left" ? 0 : 1]; }

  const bool upright;

private:
  Vec3 girdle(const Vec3& drawn, const Vec3& left, const Vec3& own) const {
    if (upright) return drawn;
    const bool sideways = left.x > 0.5 * norm(left);
    const Vec3 way = sideways ? Vec3{std::copysign(left.x, own.x), left.y, left.z} : own;
    return norm(way) > 0 ? (norm(drawn) / norm(way)) * way : own;
  }

  std::array<Vec3, body::common_joints.size()> positions_;
  Vec3 shoulder_ = {}, hip_ = {};  // left ones, if the rest pose is not upright; directions
  Vec3 feet_[2];
};

class Fitting {
public:
  explicit Fitting(const Person& person) : person_(person), skeleton_(body::default_human()) {
    double old_size = 0, new_size = 0;
    for (const std::string side : {"left_", "right_"}) {
      for (const auto& [from, to] :
           {std::pair{"hip", "knee"}, {"knee", "ankle"}, {"shoulder", "elbow"}, {"elbow", "wrist"}}) {
        old_size += norm(joint(side + to).offset);
        new_size += norm(person.bone(side + from, side + to));
      }
    }
    overall_ = new_size / old_size;
    for (std::size_t j = 0; j < skeleton_.joints.size(); ++j) scales_.push_back({overall_, overall_, overall_});
  }

  body::Skeleton fit() {
    trunk();
    for (const std::string side : {"left", "right"}) {
      arm(side);
      leg(side);
    }
    for (body::SkinCapsule& capsule : skeleton_.capsules) {
      const Vec3& s = scales_[static_cast<std::size_t>(capsule.joint)];
      capsule.a = {s.x * capsule.a.x, s.y * capsule.a.y, s.z * capsule.a.z};
      capsule.b = {s.x * capsule.b.x, s.y * capsule.b.y, s.z * capsule.b.z};
      capsule.radius *= overall_;
      narrow_thigh(capsule);
    }
    body::check(skeleton_);
    return skeleton_;
  }

private:
  body::Joint& joint(const std::string& name) {
    return skeleton_.joints[static_cast<std::size_t>(skeleton_.find(name))];
  }
  Vec3& scale(const std::string& name) { return scales_[static_cast<std::size_t>(skeleton_.find(name))]; }

  // The bone in the file's rest pose, or the model's own direction with the file's length.
  Vec3 directed(const Vec3& own, const Vec3& found) const {
    if (person_.upright) return found;
    return norm(own) > 0 ? (norm(found) / norm(own)) * own : own;
  }
  // The model's direction is an axis of its hinges, so it is kept.
  double stretch(const std::string& name, const Vec3& found) {
    Vec3& offset = joint(name).offset;
    const double factor = norm(found) / norm(offset);
    if (!(factor > 0.2 && factor < 5)) {
      throw Error(
          fmt::format("the bone to {} is {:.3g} m long, which is no person: check the unit", name, norm(found)));
    }
    offset = factor * offset;
    return factor;
  }

  void trunk() {
    // the model bends at the lower back, at the pelvis, and at the spine half-way up
    const Vec3 old_trunk = joint("spine").offset + joint("neck").offset;
    const Vec3 new_trunk = directed(old_trunk, person_.bone("pelvis", "neck"));
    const double share = joint("spine").offset.y / old_trunk.y;
    joint("spine").offset = share * new_trunk;
    joint("neck").offset = (1 - share) * new_trunk;
    scale("lower_back").y = scale("spine").y = norm(new_trunk) / norm(old_trunk);

    const Vec3 old_neck = joint("head").offset;
    joint("head").offset = directed(old_neck, person_.bone("neck", "head"));
    scale("neck").y = norm(joint("head").offset) / norm(old_neck);

    const double hips =
        norm(person_.bone("left_hip", "right_hip")) / norm(joint("left_hip").offset - joint("right_hip").offset);
    const double shoulders = norm(person_.bone("left_shoulder", "right_shoulder")) /
                             norm(joint("left_shoulder").offset - joint("right_shoulder").offset);
    // bodies differ less in width than the hip and shoulder positions of files
    const auto width = [&](double found) { return std::clamp(found, 0.9 * overall_, 1.1 * overall_); };
    scale("pelvis").x = width(hips);
    scale("spine").x = width(shoulders);
    scale("lower_back").x = width((hips + shoulders) / 2);
  }

  void arm(const std::string& side) {
    joint(side + "_clavicle").offset = joint("neck").offset;
    Vec3& shoulder = joint(side + "_shoulder").offset;
    const Vec3 found = person_.to_shoulder(side, shoulder);
    scale(side + "_clavicle").x = found.x / shoulder.x;
    shoulder = found;
    scale(side + "_shoulder").x = stretch(side + "_elbow", person_.bone(side + "_shoulder", side + "_elbow"));
    scale(side + "_elbow").x = stretch(side + "_wrist", person_.bone(side + "_elbow", side + "_wrist"));
  }

  // Some files place the hips at the outside of the body, or beyond: thighs start nearer to its middle.
  void narrow_thigh(body::SkinCapsule& capsule) const {
    for (const int side : {0, 1}) {
      if (capsule.joint != skeleton_.find(side == 0 ? "left_hip" : "right_hip")) continue;
      const double thigh =
          skeleton_.joints[static_cast<std::size_t>(skeleton_.find(side == 0 ? "left_knee" : "right_knee"))].offset.y;
      for (Vec3* end : {&capsule.a, &capsule.b}) end->x -= outside_[side] * (1 - end->y / thigh);
    }
  }

  void leg(const std::string& side) {
    Vec3& hip = joint(side + "_hip").offset;
    hip = person_.to_hip(side, hip);
    scale(side + "_hip").y = stretch(side + "_knee", person_.bone(side + "_hip", side + "_knee"));
    outside_[side == "left" ? 0 : 1] = hip.x - std::clamp(hip.x, -widest_hip * overall_, widest_hip * overall_);
    scale(side + "_knee").y = stretch(side + "_ankle", person_.bone(side + "_knee", side + "_ankle"));
    // some files end at the ankle
    const double size = norm(joint(side + "_toe").offset);
    const Vec3 foot = person_.foot(side);
    const bool has_foot = norm(foot) > 0.3 * size * overall_;
    scale(side + "_ankle").z = stretch(side + "_toe", has_foot ? foot : Vec3{0, 0, overall_ * size});
  }

  const Person& person_;
  body::Skeleton skeleton_;
  std::vector<Vec3> scales_;    // of the skin of each joint, along its axes
  double outside_[2] = {0, 0};  // how far the left and the right hip lie beyond the flesh, along x

  static constexpr double widest_hip = 0.115;  // of a person as large as default_human(), metres from the middle
  double overall_ = 1;
};

}  // namespace

bool bvh_rest_is_upright(const Bvh& bvh) {
  const auto joints = bvh_common_joints(bvh);
  const BvhPlaces places = bvh_rest(bvh);
  Vec3 at[body::common_joints.size()];
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (joints[i] < 0) return false;
    at[i] = places.positions[static_cast<std::size_t>(joints[i])];
  }
  const auto along = [&](std::string_view from, std::string_view to) {
    const Vec3 way = at[common_index(to)] - at[common_index(from)];
    const double size = norm(way);
    return size > 0 ? (1 / size) * way : way;
  };
  return along("pelvis", "head").y > 0.9 && along("right_shoulder", "left_shoulder").x > 0.9 &&
         along("left_hip", "left_ankle").y < -0.8 && along("right_hip", "right_ankle").y < -0.8;
}

body::Skeleton bvh_skeleton(const Bvh& bvh, double metres_per_unit) {
  const Person person(bvh, metres_per_unit);
  return Fitting(person).fit();
}

}  // namespace kinema::io
