#include "synth/head_clip.h"

#include "core/geometry.h"
#include "core/random.h"
#include "synth/texture.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace kinema::synth {
namespace {

// Half the width and height of the head, metres.
constexpr double head_width = 0.075, head_height = 0.105;

constexpr int fine = 3;  // samples along each side of a pixel, where the person is

Colour shade(const Colour& colour, double light) { return static_cast<float>(light) * colour; }

std::uint8_t level(double value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255)); }

// An object on the wall, in shares of the frame.
struct Thing {
  double left, top, right, bottom;
  Colour colour;  // blue green red
  double grain;   // of its texture
};

// Books, a plant, a window; and of nearly skin's colours: cardboard, a wooden cupboard, a brick-coloured lamp.
constexpr Thing things[] = {
    {0.02, 0.08, 0.10, 0.40, {0.55f, 0.32f, 0.16f}, 0.10}, {0.10, 0.12, 0.15, 0.40, {0.22f, 0.45f, 0.20f}, 0.10},
    {0.15, 0.05, 0.21, 0.40, {0.20f, 0.20f, 0.50f}, 0.10}, {0.21, 0.16, 0.26, 0.40, {0.62f, 0.60f, 0.58f}, 0.05},
    {0.00, 0.40, 0.30, 0.44, {0.16f, 0.22f, 0.30f}, 0.20}, {0.72, 0.04, 0.97, 0.42, {0.86f, 0.82f, 0.74f}, 0.03},
    {0.83, 0.04, 0.85, 0.42, {0.40f, 0.40f, 0.40f}, 0.02}, {0.80, 0.55, 1.00, 1.00, {0.30f, 0.42f, 0.55f}, 0.18},
    {0.02, 0.62, 0.16, 0.86, {0.42f, 0.56f, 0.70f}, 0.10}, {0.40, 0.02, 0.50, 0.14, {0.36f, 0.46f, 0.66f}, 0.06},
    {0.55, 0.06, 0.66, 0.20, {0.30f, 0.55f, 0.30f}, 0.25},
};

Colour wall_at(double u, double v, bool room, std::uint32_t seed) {
  const Vec3 place{8 * u, 6 * v, 0};
  const double light = 0.80 + 0.25 * u - 0.15 * v;
  Colour colour{0.60f, 0.62f, 0.60f};
  double grain = 0.04;
  if (room) {
    for (const Thing& thing : things) {
      if (u < thing.left || u >= thing.right || v < thing.top || v >= thing.bottom) continue;
      colour = thing.colour;
      grain = thing.grain;
    }
  }
  const double texture = static_cast<double>(weave(place, 0.7, 0.12, static_cast<float>(grain), seed));
  return shade(colour, light * texture);
}

// The point of the unit sphere at a position within the outline (x right, y down), if any.
std::optional<Vec3> on_head(double x, double y) {
  const double r2 = x * x + y * y;
  if (r2 >= 1) return std::nullopt;
  return Vec3{x, y, -std::sqrt(1 - r2)};
}

bool within(double x, double y, double cx, double cy, double rx, double ry) {
  const double h = (x - cx) / rx, v = (y - cy) / ry;
  return h * h + v * v < 1;
}

// The head's colour at a position within its outline: lit from above and the left, with uneven skin colour.
Colour head_colour(const Vec3& p, std::uint32_t seed) {
  constexpr Colour skin{0.42f, 0.53f, 0.78f}, hair{0.08f, 0.10f, 0.14f}, white{0.80f, 0.82f, 0.84f},
      dark{0.06f, 0.07f, 0.10f}, lips{0.32f, 0.33f, 0.66f};
  const double light = 0.42 + 0.62 * std::max(0.0, -0.45 * p.x - 0.5 * p.y - 0.74 * p.z);
  const double texture = static_cast<double>(weave(p, 0.5, 0.09, 0.06f, seed));
  // hair above a line that hangs lower at the sides
  const double hairline = -0.62 + 0.5 * p.x * p.x;
  if (p.y < hairline) return shade(hair, light * static_cast<double>(weave(p, 0.2, 0.04, 0.4f, seed + 1)));
  for (const double side : {-0.36, 0.36}) {
    if (within(p.x, p.y, side, -0.10, 0.07, 0.055)) return shade(dark, light);
    if (within(p.x, p.y, side, -0.10, 0.15, 0.065)) return shade(white, light);
    if (within(p.x, p.y, side, -0.28, 0.20, 0.035)) return shade(hair, light);
  }
  if (within(p.x, p.y, 0, 0.52, 0.30, 0.07)) return shade(lips, light);
  const double nose = within(p.x, p.y, 0.06, 0.12, 0.08, 0.16) ? 0.9 : 1;
  return shade(skin, light * texture * nose);
}

// The person's colour at a position in radii about the head's centre, if any.
std::optional<Colour> person_at(double x, double y, std::uint32_t seed) {
  if (const auto p = on_head(x, y)) return head_colour(*p, seed);
  // shoulders, and a neck down to the collar
  const double shoulder = 1.72 + 0.24 * x * x / 4;
  if (y > shoulder && std::abs(x) < 3.4) {
    const double folds = static_cast<double>(weave({x, y, 0}, 0.8, 0.2, 0.25f, seed + 2));
    return shade({0.52f, 0.36f, 0.22f}, 0.8 * folds);
  }
  if (std::abs(x) < 0.52 && y > 0 && y <= shoulder) {
    const double light = 0.45 + 0.3 * (0.5 - x), texture = static_cast<double>(weave({x, y, 3}, 0.5, 0.1, 0.05f, seed));
    return shade({0.42f, 0.53f, 0.78f}, light * texture);
  }
  return std::nullopt;
}

}  // namespace

double CameraTurn::share(double time) const {
  const double t = std::fmod(time, period) - rest;
  const auto rise = [this](double since) {
    return 0.5 - 0.5 * std::cos(std::numbers::pi * std::clamp(since / seconds, 0.0, 1.0));
  };
  return rise(t) - rise(t - seconds - hold);
}

HeadClip::HeadClip(const HeadClipSettings& settings)
    : settings_(settings), focal_(settings.width / 2.0 / std::tan(settings.field_of_view / 2)) {
  room_ = room(0);
}

// Of the camera, from where it rests.
Quaternion HeadClip::turned(double time) const {
  return settings_.turn ? exponential(settings_.turn->share(time) * settings_.turn->rotation) : Quaternion{1, 0, 0, 0};
}

// The wall, which is so far away that it only turns.
io::Picture HeadClip::room(double time) const {
  io::Picture picture{settings_.width, settings_.height, {}};
  picture.bgr.reserve(static_cast<std::size_t>(settings_.width) * static_cast<std::size_t>(settings_.height) * 3);
  const auto seed = static_cast<std::uint32_t>(settings_.seed);
  const Quaternion turn = turned(time);
  const double middle_x = settings_.width / 2.0, middle_y = settings_.height / 2.0;
  for (int y = 0; y < settings_.height; ++y) {
    for (int x = 0; x < settings_.width; ++x) {
      double column = x + 0.5, row = y + 0.5;
      if (settings_.turn) {
        const Vec3 ray = rotate(turn, Vec3{(column - middle_x) / focal_, (row - middle_y) / focal_, 1});
        column = focal_ * ray.x / ray.z + middle_x;
        row = focal_ * ray.y / ray.z + middle_y;
      }
      const Colour colour = wall_at(column / settings_.width, row / settings_.height, settings_.room, seed + 7);
      for (float channel : {colour.blue, colour.green, colour.red})
        picture.bgr.push_back(level(static_cast<double>(channel)));
    }
  }
  return picture;
}

// The head's centre in the camera's frame.
Vec3 HeadClip::place(double time) const {
  // across the room, nearer and further, never repeating
  const double t = settings_.moves && !settings_.turn ? time : 0, turn = 2 * std::numbers::pi;
  const Vec3 place{0.10 * std::sin(turn * 0.31 * t) + 0.03 * std::sin(turn * 0.83 * t),
                   0.025 * std::sin(turn * 0.23 * t) + 0.01,
                   settings_.distance * (1 + 0.12 * std::sin(turn * 0.17 * t))};
  if (!settings_.turn) return place;
  const Vec3 pivot = settings_.turn->pivot;
  return rotate(conjugate(turned(time)), place - pivot) + pivot;
}

HeadTruth HeadClip::truth(std::size_t frame) const {
  const Vec3 head = place(static_cast<double>(frame) / settings_.fps);
  HeadTruth truth;
  truth.distance = head.z;
  truth.x = focal_ * head.x / head.z + (settings_.width - 1) / 2.0;
  truth.y = focal_ * head.y / head.z + (settings_.height - 1) / 2.0;
  truth.rx = focal_ * head_width / head.z;
  truth.ry = focal_ * head_height / head.z;
  if (settings_.turn) {  // a lens draws what is far from its axis longer, away from the axis
    truth.rx *= std::hypot(1, head.x / head.z);
    truth.ry *= std::hypot(1, head.y / head.z);
  }
  return truth;
}

io::Picture HeadClip::picture(std::size_t frame) const {
  const HeadTruth head = truth(frame);
  const auto seed = static_cast<std::uint32_t>(settings_.seed) + 100;
  io::Picture picture = settings_.turn ? room(static_cast<double>(frame) / settings_.fps) : room_;
  const int left = std::max(0, static_cast<int>(head.x - 3.5 * head.rx));
  const int right = std::min(settings_.width, static_cast<int>(head.x + 3.5 * head.rx) + 1);
  const int top = std::max(0, static_cast<int>(head.y - head.ry) - 1);
  for (int y = top; y < settings_.height; ++y) {
    for (int x = left; x < right; ++x) {
      double sum[3] = {0, 0, 0};
      int seen = 0;
      for (int i = 0; i < fine * fine; ++i) {
        const int column = i % fine, row = i / fine;
        const double u = x + (column + 0.5) / fine - 0.5, v = y + (row + 0.5) / fine - 0.5;
        const auto colour = person_at((u - head.x) / head.rx, (v - head.y) / head.ry, seed);
        if (!colour) continue;
        ++seen;
        sum[0] += static_cast<double>(colour->blue);
        sum[1] += static_cast<double>(colour->green);
        sum[2] += static_cast<double>(colour->red);
      }
      if (seen == 0) continue;
      std::uint8_t* pixel = &picture.bgr[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(settings_.width) +
                                              static_cast<std::size_t>(x))];
      for (int c = 0; c < 3; ++c) {
        const double behind = pixel[c] / 255.0;
        pixel[c] = level((sum[c] + (fine * fine - seen) * behind) / (fine * fine));
      }
    }
  }
  return with_noise(std::move(picture), static_cast<std::uint32_t>(frame));
}

io::Picture HeadClip::empty_room() const { return with_noise(room_, 0xffffffffu); }

io::Picture HeadClip::with_noise(io::Picture picture, std::uint32_t frame) const {
  const double seconds = static_cast<double>(frame) / settings_.fps;
  const double gain = frame == 0xffffffffu ? 1 : 1 + settings_.light * std::sin(2 * std::numbers::pi * seconds / 10);
  // the sum of four bytes is approximately normal, of this deviation
  const double scale = settings_.noise / std::sqrt(4 * (256.0 * 256 - 1) / 12);
  for (std::size_t i = 0; i < picture.bgr.size() / 3; ++i) {
    const Philox random = philox(settings_.seed, static_cast<std::uint32_t>(i), frame, 0x4ead, 0);
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t word = random.word[c];
      const double sum = static_cast<double>((word & 255) + ((word >> 8) & 255) + ((word >> 16) & 255) + (word >> 24));
      std::uint8_t& value = picture.bgr[3 * i + c];
      value = static_cast<std::uint8_t>(std::lround(std::clamp(gain * value + scale * (sum - 510), 0.0, 255.0)));
    }
  }
  return picture;
}

}  // namespace kinema::synth
