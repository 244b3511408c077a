#include "synth/figure.h"

#include "core/geometry.h"
#include "core/random.h"
#include "synth/turn.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

namespace kinema::synth {
namespace {

class Hanging {
public:
  Hanging(const body::Skeleton& skeleton, Figure& figure) : skeleton_(skeleton), figure_(figure) {}

  void trunk(const RigPose& pose) {
    const Vec3 lower = offset("lower_back"), middle = offset("spine"), upper = offset("neck");
    const Vec3 aim = leaning(pose.pelvis, lower + middle + upper, pose.trunk);
    // pelvis and chest are the rig's; the back bends between them so that the neck lies where it should
    const Quaternion half = slerp(pose.pelvis, pose.chest, 0.5);
    Quaternion bend{1, 0, 0, 0};
    for (int i = 0; i < 20; ++i) {
      const Vec3 way = rotate(pose.pelvis, lower) + rotate(bend * half, middle) + rotate(bend * pose.chest, upper);
      bend = normalised(turn_between(way, aim) * bend);
    }
    turn("pelvis") = pose.pelvis;
    turn("lower_back") = bend * half;
    const Quaternion chest = turn("spine") = bend * pose.chest;
    const Vec3 to_head = offset("head");
    turn("neck") = turn_between(rotate(chest, to_head), leaning(chest, to_head, pose.neck)) * chest;
    turn("head") = pose.head;
  }

  void arm(int side, const RigPose::Side& pose, double scale) {
    const double outwards = side == 0 ? 1 : -1;
    const Quaternion chest = turn("spine");
    // a shoulder goes no further than its girdle lets it
    const body::Joint& girdle = joint(side_name(side, "clavicle"));
    const Vec3 shoulder = offset(side_name(side, "shoulder"));
    const Vec3 swing = logarithm(turn_between(shoulder, shoulder + scale * pose.shrug));
    Vec3 within{};
    for (const body::Freedom& freedom : girdle.freedoms) {
      within = within + std::clamp(dot(swing, freedom.axis), freedom.lower, freedom.upper) * freedom.axis;
    }
    const Quaternion clavicle = turn(girdle.name) = chest * exponential(within);

    // an elbow turns the forearm to the front about -y on the left; one that is straight is twisted as at rest
    const Vec3 hinge = -outwards * cross(pose.upper_arm, pose.forearm);
    const Vec3 usual = rotate(turn_between(rotate(clavicle, {outwards, 0, 0}), pose.upper_arm) * clavicle, {0, 1, 0});
    const Vec3 up = hinge + 0.1 * usual;
    turn(side_name(side, "shoulder")) = rotation_of(axes_along(0, outwards * pose.upper_arm, up));
    turn(side_name(side, "elbow")) = rotation_of(axes_along(0, outwards * pose.forearm, up));
    turn(side_name(side, "wrist")) = pose.hand;
  }

  void leg(int side, const RigPose::Side& pose) {
    // a knee turns the shin to the back about x; that of a straight leg faces as the foot does
    const Vec3 hinge = cross(pose.thigh, pose.shin) + 0.2 * cross(rotate(pose.foot, {0, 0, 1}), pose.shin);
    turn(side_name(side, "hip")) = rotation_of(axes_of(-1.0 * pose.thigh, hinge));
    turn(side_name(side, "knee")) = rotation_of(axes_of(-1.0 * pose.shin, hinge));
    turn(side_name(side, "ankle")) = pose.foot;
    turn(side_name(side, "toe")) = pose.toes;
  }

  void place(Vec3 pelvis) {
    figure_.positions[0] = pelvis;
    for (std::size_t j = 1; j < skeleton_.joints.size(); ++j) {
      const body::Joint& joint = skeleton_.joints[j];
      figure_.positions[j] = figure_.place(joint.parent, joint.offset);
    }
  }

  // How far the sole of a foot is below its ankle.
  double sole(int side) const {
    const int ankle = skeleton_.find(side_name(side, "ankle")), toe = skeleton_.find(side_name(side, "toe"));
    double lowest = std::numeric_limits<double>::infinity();
    for (const body::SkinCapsule& capsule : skeleton_.capsules) {
      if (capsule.joint != ankle && capsule.joint != toe) continue;
      for (const Vec3& end : {capsule.a, capsule.b}) {
        lowest = std::min(lowest, figure_.place(capsule.joint, end).y - capsule.radius);
      }
    }
    return figure_.positions[static_cast<std::size_t>(ankle)].y - lowest;
  }

private:
  const body::Joint& joint(const std::string& name) const {
    return skeleton_.joints[static_cast<std::size_t>(skeleton_.find(name))];
  }
  Vec3 offset(const std::string& name) const { return joint(name).offset; }
  Quaternion& turn(const std::string& name) {
    return figure_.rotations[static_cast<std::size_t>(skeleton_.find(name))];
  }

  // A direction that leans from `own` as `way` leans from y, in the frame of a joint.
  static Vec3 leaning(const Quaternion& frame, Vec3 own, Vec3 way) {
    return rotate(frame * turn_between(sky, own) * conjugate(frame), way);
  }

  const body::Skeleton& skeleton_;
  Figure& figure_;
};

Figure empty_figure(std::shared_ptr<const Person> person) {
  Figure figure;
  figure.person = std::move(person);
  const std::size_t count = figure.person->skeleton.joints.size();
  figure.positions.assign(count, {});
  figure.rotations.assign(count, {1, 0, 0, 0});
  return figure;
}

}  // namespace

Vec3 Figure::joint(std::string_view name) const {
  return positions[static_cast<std::size_t>(person->skeleton.find(name))];
}
Vec3 Figure::side_joint(int side, std::string_view name) const { return joint(side_name(side, name)); }

Figure rest_figure(std::shared_ptr<const Person> person) {
  Figure figure = empty_figure(std::move(person));
  Hanging(figure.person->skeleton, figure).place({});
  return figure;
}

Figure hang(std::shared_ptr<const Person> person, const RigPose& pose, double scale) {
  Figure figure = empty_figure(std::move(person));
  Hanging hanging(figure.person->skeleton, figure);
  hanging.trunk(pose);
  for (int side = 0; side < 2; ++side) {
    hanging.arm(side, pose.side[side], scale);
    hanging.leg(side, pose.side[side]);
  }
  const Vec3 hips = scale * pose.hips;
  hanging.place(hips);
  double own = std::numeric_limits<double>::infinity(), rigs = own;
  for (int side = 0; side < 2; ++side) {
    const double sole = hanging.sole(side);
    own = std::min(own, figure.side_joint(side, "ankle").y - sole);
    rigs = std::min(rigs, scale * pose.side[side].ankle.y - sole);
  }
  hanging.place(hips + (rigs - own) * sky);
  return figure;
}

Vec3 front_of(const Figure& figure) {
  const Vec3 across = figure.joint("left_shoulder") - figure.joint("right_shoulder");
  const Vec3 up = figure.joint("neck") - figure.joint("pelvis");
  return unit_vector(cross(across, up));
}

namespace {

constexpr double usual_height = 1.65;  // of body::default_human()
constexpr double most_loose = 0.03;
constexpr double bald = 0.2, long_haired = 0.35;  // shares
constexpr double thinnest_hair = 0.004, thickest_hair = 0.03;

// The stature of an average person with legs of this length.
double height_of(double leg) {
  double low = 0.3, high = 3;
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    (leg_of(body::default_human(middle)) < leg ? low : high) = middle;
  }
  return low;
}

// Extents of what hangs on a joint.
struct Extents {
  double along = 0, across = 0, radius = 0;
};

Extents extents_of(const body::Skeleton& skeleton, int joint) {
  Extents sum;
  const auto add = [&](const Vec3& v) {
    sum.across += std::abs(v.x);
    sum.along += std::abs(v.y) + std::abs(v.z);
  };
  for (const body::Joint& child : skeleton.joints) {
    if (child.parent == joint) add(child.offset);
  }
  for (const body::SkinCapsule& capsule : skeleton.capsules) {
    if (capsule.joint != joint) continue;
    add(capsule.a);
    add(capsule.b);
    sum.radius += capsule.radius;
  }
  return sum;
}

FleshScale scale_of(const Extents& own, const Extents& usual, bool middle) {
  FleshScale scale;
  const auto ratio = [](double a, double b) { return b > 1e-6 ? a / b : 1; };
  scale.radius = ratio(own.radius, usual.radius);
  // arms lie along x
  scale.length = usual.along > 0.1 * usual.across ? ratio(own.along, usual.along) : ratio(own.across, usual.across);
  scale.width = middle ? ratio(own.across, usual.across) : scale.length;
  // a trunk is as broad as its capsules are apart and thick
  scale.breadth = middle ? 0.45 * scale.width + 0.55 * scale.radius : scale.radius;
  return scale;
}

}  // namespace

double leg_of(const body::Skeleton& skeleton) {
  const auto length = [&](std::string_view name) {
    return norm(skeleton.joints[static_cast<std::size_t>(skeleton.find(name))].offset);
  };
  return length("left_knee") + length("left_ankle");
}

Person make_person(double leg, const PersonSettings& settings) {
  const double height = settings.height.value_or(height_of(leg));
  const body::Skeleton usual = body::default_human(usual_height);
  Person person;
  person.height = height;
  person.size = height / usual_height;
  person.skeleton = body::random_human(height, settings.seed);
  if (settings.clothes) person.loose = most_loose;
  // every kind of number has its own counter
  const auto share = [&](std::uint32_t kind) {
    const Philox p = philox(settings.seed, kind, 0, 1, 0);
    return uniform_open(p.word[0], p.word[1]);
  };
  person.folds = philox(settings.seed, 0, 0, 1, 0).word[2];
  if (settings.seed != 0 && share(1) > bald) {
    person.hair = thinnest_hair + (thickest_hair - thinnest_hair) * share(2);
    person.long_hair = share(3) < long_haired;
  }
  for (std::size_t j = 0; j < usual.joints.size(); ++j) {
    const auto joint = static_cast<int>(j);
    const std::string_view name = usual.joints[j].name;
    const bool middle = !name.starts_with("left_") && !name.starts_with("right_");
    person.flesh.push_back(scale_of(extents_of(person.skeleton, joint), extents_of(usual, joint), middle));
  }
  return person;
}

}  // namespace kinema::synth
