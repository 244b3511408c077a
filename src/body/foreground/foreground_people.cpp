#include "body/foreground/foreground_people.h"

#include "body/foreground/constants_foreground.h"
#include "kinema/body.h"

#include <algorithm>
#include <cmath>

namespace kinema::body {
namespace {

using namespace constants::shared;

// Below 0 within it.
float distance_from_skin(std::span<const float> capsules, Vec3f point) {
  float nearest = 1e9f;
  for (std::size_t k = 0; k + capsule_floats <= capsules.size(); k += capsule_floats) {
    const float* c = capsules.data() + k;
    const Vec3f a{c[0], c[1], c[2]}, axis = Vec3f{c[4], c[5], c[6]} - a, from = point - a;
    const float length = dot(axis, axis);
    const float share = length > 0 ? std::clamp(dot(from, axis) / length, 0.0f, 1.0f) : 0;
    nearest = std::min(nearest, norm(from - share * axis) - c[3]);
  }
  return nearest;
}

}  // namespace

ExpectedPeople::ExpectedPeople(std::span<const ExpectedPerson> people, float reach, float touch, const Threads& threads)
    : people_(people.begin(), people.end()) {
  for (const ExpectedPerson& person : people)
    gates_.push_back(Gate::around_capsules(person.capsules, reach + static_cast<float>(person.doubt), touch, threads));
}

bool ExpectedPeople::has(int who) const {
  return std::any_of(people_.begin(), people_.end(), [&](const ExpectedPerson& person) { return person.who == who; });
}

float ExpectedPeople::distance(std::size_t person, Vec3f point) const {
  return std::abs(distance_from_skin(people_[person].capsules, point)) /
         (skin_spread + static_cast<float>(people_[person].doubt));
}

bool ExpectedPeople::others_have(std::size_t own, Vec3f point) const {
  const auto level = [&](std::size_t person) { return gates_[person].at(point.x, point.y, point.z); };
  float away = -1;  // of the own skin, where it is asked for
  for (std::size_t other = 0; other < people_.size(); ++other) {
    if (other == own || level(other) == Gate::outside) continue;
    if (away < 0) away = distance(own, point);
    const float theirs = distance(other, point);
    if (theirs < away || (theirs == away && other < own)) return true;
  }
  return false;
}

bool ExpectedPeople::explain(Vec3f point) const {
  for (std::size_t person = 0; person < people_.size(); ++person) {
    const Gate::Level level = gates_[person].at(point.x, point.y, point.z);
    if (level == Gate::touching) return true;
    if (level == Gate::inside && distance_from_skin(people_[person].capsules, point) < explained) return true;
  }
  return false;
}

}  // namespace kinema::body
