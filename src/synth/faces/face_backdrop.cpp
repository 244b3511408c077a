#include "synth/faces/face_backdrop.h"

#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinema::synth {
namespace {

Colour mix(const Colour& a, const Colour& b, double share) {
  const auto t = static_cast<float>(std::clamp(share, 0.0, 1.0));
  return {a.blue + t * (b.blue - a.blue), a.green + t * (b.green - a.green), a.red + t * (b.red - a.red)};
}

double smooth_step(double low, double high, double value) {
  const double t = std::clamp((value - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

}  // namespace

FaceBackdrop::FaceBackdrop(std::uint32_t number) : number_(number) {
  const Random random{number, 0xBAC4u, 0};
  std::uint32_t dimension = 0;
  const auto next = [&] { return random.uniform(dimension++); };
  kind_ = static_cast<Kind>(static_cast<int>(next() * 6));
  for (Colour& colour : colours_) {
    // muted: a grey with some hue
    const double grey = 0.1 + 0.75 * next();
    colour = {static_cast<float>(grey * (0.75 + 0.5 * next())), static_cast<float>(grey * (0.8 + 0.4 * next())),
              static_cast<float>(grey * (0.75 + 0.5 * next()))};
  }
  angle_ = std::numbers::pi * next();
  size_ = 0.05 + 0.15 * next();
  if (kind_ == Kind::lights) {
    for (int i = 0; i < 22; ++i) {
      discs_.push_back(
          {next() * 1.2 - 0.1, next() * 1.2 - 0.1, 0.02 + 0.07 * next(), mix(colours_[1], {1, 1, 1}, next())});
    }
  }
}

Colour FaceBackdrop::at(double x, double y) const {
  const double u = x * std::cos(angle_) + y * std::sin(angle_), v = y * std::cos(angle_) - x * std::sin(angle_);
  switch (kind_) {
    case Kind::wall:
      break;
    case Kind::clouds: {
      const double coarse = static_cast<double>(value_noise({x / size_, y / size_, 0}, number_));
      const double fine = static_cast<double>(value_noise({4 * x / size_, 4 * y / size_, 1}, number_));
      return mix(colours_[0], colours_[1], 0.7 * coarse + 0.45 * fine);
    }
    case Kind::shelf: {
      // upright spines of books between shelves
      const double row = y / (2.2 * size_), height = row - std::floor(row);
      if (height > 0.9) return mix(colours_[3], {0, 0, 0}, 0.5);
      const double book = std::floor(x / (0.25 * size_) + 3 * std::floor(row));
      const double tone = static_cast<double>(value_noise({book * 1.7, std::floor(row), 2}, number_));
      const double hue = static_cast<double>(value_noise({book * 2.3, std::floor(row), 5}, number_));
      return mix(mix(colours_[0], colours_[1], hue), mix(colours_[2], {0, 0, 0}, 0.6), tone);
    }
    case Kind::lights: {
      Colour colour = mix(mix(colours_[0], {0, 0, 0}, 0.6), mix(colours_[2], {0, 0, 0}, 0.6), y);
      for (const Disc& disc : discs_) {
        const double d = std::hypot(x - disc.x, y - disc.y) / disc.radius;
        colour = mix(colour, disc.colour, 0.55 * (1 - smooth_step(0.85, 1, d)));
      }
      return colour;
    }
    case Kind::room: {
      // a wall, a window or picture on it, and a floor
      if (y > 0.78) return mix(colours_[3], {0, 0, 0}, 0.3);
      const double dx = std::abs(x - (angle_ < 1.57 ? 0.15 : 0.85)), dy = std::abs(y - 0.3);
      const double inside = std::max(dx - 0.16, dy - 0.2);
      if (inside < -0.015) return mix(colours_[1], {1, 1, 1}, 0.5 * (1 - y));
      if (inside < 0) return mix(colours_[2], {0, 0, 0}, 0.5);
      break;
    }
    case Kind::check: {
      const double edge = 0.05;
      const auto square = [&](double t) {
        const double s = std::sin(std::numbers::pi * t / size_);
        return smooth_step(-edge, edge, s);
      };
      const double a = square(u), b = square(v);
      return mix(colours_[0], colours_[1], a * (1 - b) + b * (1 - a));
    }
  }
  const double grain = static_cast<double>(value_noise({x * 90, y * 90, 0}, number_)) - 0.5;
  return mix(mix(colours_[0], colours_[1], 0.5 + 0.6 * (u - 0.5)), {1, 1, 1}, 0.04 + 0.06 * grain);
}

}  // namespace kinema::synth
