// A person who hangs on the rig of a clip.
#include "synth/motion.h"

#include "core/geometry.h"
#include "kinema/error.h"
#include "synth/flesh.h"
#include "synth/turn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace kinema::synth {
namespace {

constexpr double cmu_unit = 0.0254 / 0.45;

io::Bvh walk() { return io::read_bvh(KINEMA_SAMPLES "/walk.bvh"); }

std::vector<Figure> figures_of(const Motion& motion) {
  std::vector<Figure> figures;
  for (double time = 0; time <= motion.duration(); time += 0.1) figures.push_back(motion.at(time));
  return figures;
}

// One of body::common_joints in a clip.
Vec3 joint_of(const io::Bvh& bvh, double frame, std::string_view name) {
  const auto at = std::find(body::common_joints.begin(), body::common_joints.end(), name);
  const int joint = io::bvh_common_joints(bvh)[static_cast<std::size_t>(at - body::common_joints.begin())];
  return cmu_unit * io::bvh_places(bvh, frame).positions[static_cast<std::size_t>(joint)];
}
Vec3 hips_of(const io::Bvh& bvh, double frame) {
  return 0.5 * (joint_of(bvh, frame, "left_hip") + joint_of(bvh, frame, "right_hip"));
}

constexpr std::pair<const char*, const char*> limbs[] = {
    {"left_shoulder", "left_elbow"}, {"left_elbow", "left_wrist"},      {"left_hip", "left_knee"},
    {"left_knee", "left_ankle"},     {"right_shoulder", "right_elbow"}, {"right_elbow", "right_wrist"},
    {"right_hip", "right_knee"},     {"right_knee", "right_ankle"},     {"right_hip", "left_hip"}};

TEST(Hang, LimbsPointWhereThoseOfTheClipDo) {
  const io::Bvh bvh = walk();
  for (std::uint64_t seed : {0, 3}) {
    const Motion motion(bvh, {.metres_per_unit = cmu_unit, .person = {.seed = seed}});
    for (std::size_t f = 0; f < bvh.frames; f += 5) {
      const auto frame = static_cast<double>(f);
      const Figure figure = motion.at(frame * bvh.frame_time);
      for (const auto& [from, to] : limbs) {
        const Vec3 own = unit_vector(figure.joint(to) - figure.joint(from));
        EXPECT_LT(norm(own - unit_vector(joint_of(bvh, frame, to) - joint_of(bvh, frame, from))), 1e-9) << from;
      }
    }
  }
}

TEST(Hang, OffsetsAreThoseOfTheSkeletonInEveryFrame) {
  const io::Bvh bvh = walk();
  const Motion motion(bvh, {.metres_per_unit = cmu_unit, .person = {.seed = 5}});
  const body::Skeleton& skeleton = motion.person().skeleton;
  for (const Figure& figure : figures_of(motion)) {
    for (std::size_t j = 1; j < skeleton.joints.size(); ++j) {
      const auto parent = static_cast<std::size_t>(skeleton.joints[j].parent);
      const Vec3 way = rotate(conjugate(figure.rotations[parent]), figure.positions[j] - figure.positions[parent]);
      EXPECT_LT(norm(way - skeleton.joints[j].offset), 1e-9) << skeleton.joints[j].name;
    }
    EXPECT_LT(norm(figure.joint("pelvis") - 0.5 * (figure.joint("left_hip") + figure.joint("right_hip"))), 1e-9);
  }
}

TEST(Hang, HipsGoTheWayOfTheClipInStepsOfTheLegs) {
  const io::Bvh bvh = walk();
  for (double height : {1.2, 1.9}) {
    const Motion motion(bvh, {.metres_per_unit = cmu_unit, .person = {.height = height}});
    const double leg = norm(joint_of(bvh, 0, "left_knee") - joint_of(bvh, 0, "left_hip")) +
                       norm(joint_of(bvh, 0, "left_ankle") - joint_of(bvh, 0, "left_knee"));
    const double scale = leg_of(motion.person().skeleton) / leg;
    const Vec3 own = motion.at(motion.duration()).joint("pelvis") - motion.at(0).joint("pelvis");
    const Vec3 clip = hips_of(bvh, static_cast<double>(bvh.frames)) - hips_of(bvh, 0);
    // the legs of the file differ by a few millimetres
    EXPECT_NEAR(own.x, scale * clip.x, 0.01 * norm(own));
    EXPECT_NEAR(own.z, scale * clip.z, 0.01 * norm(own));
  }
}

TEST(Hang, ThePersonStandsUprightWhereTheClipDoes) {
  io::Bvh bvh = walk();
  std::fill(bvh.values.begin(), bvh.values.end(), 0.0);
  const Motion motion(bvh, {cmu_unit});
  const Figure figure = motion.at(0), rest = rest_figure(std::make_shared<const Person>(motion.person()));
  for (const char* name : {"pelvis", "lower_back", "spine", "neck", "head"}) {
    const Vec3 own = figure.joint(name) - figure.joint("pelvis");
    // the hips of the file are not quite level
    EXPECT_LT(norm(own - (rest.joint(name) - rest.joint("pelvis"))), 0.005) << name;
  }
}

// The same motion with all frames of joints turned by a third about the diagonal, so that the rest pose lies on its side.
io::Bvh turned(const io::Bvh& bvh) {
  const auto renamed = [](io::BvhChannel channel) {
    const int c = static_cast<int>(channel);
    return static_cast<io::BvhChannel>(c / 3 * 3 + (c + 2) % 3);  // y becomes x, z becomes y
  };
  const Quaternion back{0.5, -0.5, -0.5, -0.5};
  io::Bvh result = bvh;
  for (io::BvhJoint& joint : result.joints) {
    ++joint.parent;
    joint.offset = rotate(back, joint.offset);
    for (Vec3& end : joint.end_sites) end = rotate(back, end);
    for (io::BvhChannel& channel : joint.channels) channel = renamed(channel);
  }
  io::BvhJoint root;
  root.name = "World";
  root.channels = {io::BvhChannel::z_rotation, io::BvhChannel::x_rotation};
  root.first_channel = bvh.channels;
  result.joints.insert(result.joints.begin(), root);
  result.channels += 2;
  result.values.clear();
  for (std::size_t f = 0; f < bvh.frames; ++f) {
    result.values.insert(result.values.end(), bvh.frame(f).begin(), bvh.frame(f).end());
    result.values.insert(result.values.end(), {90, 90});
  }
  return result;
}

TEST(Hang, ARigWhoseRestPoseIsNoPersonMovesThePersonAlike) {
  const io::Bvh bvh = walk(), other = turned(bvh);
  ASSERT_TRUE(rest_is_upright(bvh));
  ASSERT_FALSE(rest_is_upright(other));
  ASSERT_LT(norm(joint_of(bvh, 20, "left_wrist") - joint_of(other, 20, "left_wrist")), 1e-9);
  const Motion a(bvh, {cmu_unit}), b(other, {cmu_unit});
  for (double time = 0; time <= a.duration(); time += 0.2) {
    const Figure one = a.at(time), two = b.at(time);
    for (const auto& [from, to] : limbs) {
      EXPECT_LT(norm(one.joint(to) - one.joint(from) - (two.joint(to) - two.joint(from))), 1e-9) << from;
    }
    // upright is not the rest pose here but the vertical: the trunk of this rig leans back by 8 degrees
    for (const char* name : {"neck", "head", "left_shoulder", "right_shoulder"}) {
      EXPECT_LT(norm(one.joint(name) - one.joint("pelvis") - (two.joint(name) - two.joint("pelvis"))), 0.15) << name;
    }
    for (const char* name : {"left_ankle", "right_ankle", "left_toe", "right_toe"}) {
      const int joint = one.person->skeleton.find(name);
      const Vec3 way = one.place(joint, {0, 0, 1}) - one.place(joint, {}),
                 same = two.place(joint, {0, 0, 1}) - two.place(joint, {});
      EXPECT_GT(dot(way, same), 0.93) << name << time;  // 22 degrees: toes bend a little in every step
    }
  }
}

TEST(Person, IsAsTallAsAnAveragePersonWithTheLegsOfTheClip) {
  const Person person = make_person(leg_of(body::default_human(1.8)), {});
  EXPECT_NEAR(person.size * 1.65, 1.8, 1e-6);
  EXPECT_NEAR(leg_of(person.skeleton), leg_of(body::default_human(1.8)), 1e-6);
  for (std::size_t j = 0; j < person.skeleton.joints.size(); ++j) {
    EXPECT_LT(norm(person.skeleton.joints[j].offset - body::default_human(1.8).joints[j].offset), 1e-6);
  }
}

TEST(Person, OneSeedGivesOnePersonOfTheSameHeightAndAnotherSeedAnother) {
  const auto girth = [](const Person& person) { return person.skeleton.capsules.front().radius; };
  const auto leg = [](const Person& person) { return leg_of(person.skeleton); };
  const Person average = make_person(0.8, {}), again = make_person(0.8, {.seed = 9});
  double thinner = 0, shorter = 0, sum = 0;
  constexpr int people = 200;
  for (int i = 1; i <= people; ++i) {
    const Person person = make_person(0.8, {.seed = static_cast<std::uint64_t>(i)});
    EXPECT_EQ(person.height, average.height);
    thinner += girth(person) < girth(average) ? 1 : 0;
    shorter += leg(person) < leg(average) ? 1 : 0;
    const double log_leg = std::log(leg(person) / leg(average));
    sum += log_leg * log_leg;
    if (i == 9) {
      EXPECT_EQ(girth(person), girth(again));
    }
  }
  // half of them; five deviations of 200 tosses
  EXPECT_NEAR(thinner / people, 0.5, 0.18);
  EXPECT_NEAR(shorter / people, 0.5, 0.18);
  // legs of one stature vary by 2 to 5 %
  EXPECT_GT(std::sqrt(sum / people), 0.01);
  EXPECT_LT(std::sqrt(sum / people), 0.06);
}

TEST(Person, AThickerOneHasThickerFlesh) {
  const io::Bvh bvh = walk();
  double thin = 1, thick = 1, thin_part = 0, thick_part = 0;
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    const Motion motion(bvh, {.metres_per_unit = cmu_unit, .person = {.seed = seed}});
    const auto hip = static_cast<std::size_t>(motion.person().skeleton.find("left_hip"));
    const double scale = motion.person().flesh[hip].radius;
    double part = 0;
    for (const Part& p : flesh_of(motion.at(0))) part += p.material == Material::trousers ? p.start : 0;
    if (scale < thin) thin = scale, thin_part = part;
    if (scale > thick) thick = scale, thick_part = part;
  }
  EXPECT_GT(thick / thin, 1.2);
  EXPECT_GT(thick_part, 1.1 * thin_part);
}

}  // namespace
}  // namespace kinema::synth
