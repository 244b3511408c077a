#include "synth/person.h"

#include "core/geometry.h"
#include "core/random.h"

#include <cmath>
#include <string_view>

namespace kinema::synth {
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
