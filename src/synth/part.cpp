#include "synth/part.h"

#include "synth/texture.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kinema::synth {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

}  // namespace

Part inflated(const Part& part, double metres) {
  const Vec3& s = part.stretch;
  const double per_radius = part.height > 0 ? (s.x + s.z) / 2 : (s.x + s.y + s.z) / 3;
  Part result = part;
  result.start += metres / per_radius;
  result.end += metres / per_radius;
  return result;
}

double standing_off(const Part& part, Vec3 place) {
  const Vec3 way = place - part.origin;
  Vec3 rest = part.rest_origin;
  for (std::size_t i = 0; i < 3; ++i) rest = rest + dot(part.axes[i], way) * part.rest_axes[i];
  constexpr double wide = 0.13, narrow = 0.05;  // folds, metres
  const float noise = 0.7f * value_noise((1 / wide) * rest, part.folds) +
                      0.3f * value_noise((1 / narrow) * rest, part.folds ^ 0x5bd1e995u);
  return part.loose * static_cast<double>(noise);
}

// The side touches both balls. With s = (start - end) / height its normal in the (radius, y) plane is (c, s), so it
// touches them at y = start s and y = height + end s, and radius = (start - y s) / c in between.
SeenPart::SeenPart(const Part& part, Vec3 eye) : part_(part), eye_(part.to_own(eye - part.origin)) {
  if (part.height > std::abs(part.start - part.end)) {
    sine_ = (part.start - part.end) / part.height;
    cosine_ = std::sqrt(1 - sine_ * sine_);
    low_ = part.start * sine_;
    high_ = part.height + part.end * sine_;
  } else {
    // one ball contains the other: only it remains
    if (part.end > part.start) {
      part_.origin = part.origin + (part.height * part.stretch.y) * part.axes[1];
      eye_.y -= part.height;
      part_.start = part.end;
    }
    part_.height = 0;
    low_ = never;
    high_ = never;
  }
}

std::optional<Hit> SeenPart::hit(Vec3 direction) const {
  const Vec3 d = part_.to_own(direction);
  const double dd = dot(d, d);
  double best = never;

  // a ball counts where the side does not cover it
  const auto ball = [&](double centre, double radius, auto outside) {
    const Vec3 o{eye_.x, eye_.y - centre, eye_.z};
    const double b = dot(o, d), c = dot(o, o) - radius * radius;
    const double root = b * b - dd * c;
    if (root < 0) return;
    const double w = std::sqrt(root);
    for (double t : {(-b - w) / dd, (-b + w) / dd}) {
      if (t > 0 && t < best && outside(eye_.y + t * d.y)) best = t;
    }
  };
  ball(0, part_.start, [&](double y) { return y <= low_; });
  if (part_.height > 0) {
    ball(part_.height, part_.end, [&](double y) { return y >= high_; });

    // c^2 (x^2 + z^2) = (start - y s)^2
    const double c2 = cosine_ * cosine_, m = part_.start - eye_.y * sine_, n = d.y * sine_;
    const double a = c2 * (d.x * d.x + d.z * d.z) - n * n;
    const double b = c2 * (eye_.x * d.x + eye_.z * d.z) + m * n;
    const double c = c2 * (eye_.x * eye_.x + eye_.z * eye_.z) - m * m;
    const double root = b * b - a * c;
    if (root >= 0 && a != 0) {
      const double w = std::sqrt(root);
      for (double t : {(-b - w) / a, (-b + w) / a}) {
        const double y = eye_.y + t * d.y;
        if (t > 0 && t < best && y > low_ && y < high_) best = t;
      }
    }
  }
  if (best == never) return std::nullopt;

  const Vec3 own = eye_ + best * d;
  Vec3 n = own;
  if (own.y >= high_) {
    n.y -= part_.height;
  } else if (own.y > low_) {
    const double radius = std::max(std::hypot(own.x, own.z), 1e-12);
    n = {own.x / radius * cosine_, sine_, own.z / radius * cosine_};
  }
  // a normal is stretched inversely
  const Vec3& s = part_.stretch;
  const Vec3 normal = (n.x / s.x) * part_.axes[0] + (n.y / s.y) * part_.axes[1] + (n.z / s.z) * part_.axes[2];
  return Hit{best, own, (1 / norm(normal)) * normal};
}

// The cloth is nearly as far off where the ray meets the part inflated by that much: a few steps find the place.
std::optional<Hit> SeenPart::hit_cloth(Vec3 direction, const Part& bare, Vec3 eye) const {
  std::optional<Hit> found = hit(direction);
  for (int step = 0; found && step < 3; ++step) {
    const double off = standing_off(bare, eye + found->t * direction);
    found = SeenPart(inflated(bare, off), eye).hit(direction);
  }
  return found;
}

}  // namespace kinema::synth
