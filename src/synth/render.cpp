#include "synth/render.h"

#include "synth/texture.h"

#include <algorithm>
#include <cmath>

namespace kinema::synth {
namespace {

constexpr double farthest = 12;  // metres to which a floor without a wall is visible

// Pixels that a part can cover: columns and rows from first to last.
struct Window {
  int left = 0, right = 0, top = 0, bottom = 0;
};

Window window_of(const Part& part, Vec3 eye, const Camera& camera) {
  const double most = std::max({part.stretch.x, part.stretch.y, part.stretch.z});
  double left = camera.width, right = -1, top = camera.height, bottom = -1;
  const Vec3 end = part.origin + (part.height * part.stretch.y) * part.axes[1];
  for (const auto& [centre, radius] : {std::pair{part.origin - eye, part.start * most}, {end - eye, part.end * most}}) {
    if (centre.z - radius < 0.05) return {0, camera.width - 1, 0, camera.height - 1};
    // the box around the ball, whose corners lie outside its outline
    for (double z : {centre.z - radius, centre.z + radius}) {
      left = std::min(left, camera.fx * (centre.x - radius) / z + camera.cx);
      right = std::max(right, camera.fx * (centre.x + radius) / z + camera.cx);
      top = std::min(top, camera.fy * (centre.y - radius) / z + camera.cy);
      bottom = std::max(bottom, camera.fy * (centre.y + radius) / z + camera.cy);
    }
  }
  const auto pixel = [](double value, int size) { return static_cast<int>(std::clamp(value, -1.0, size + 0.0)); };
  return {std::max(0, pixel(std::floor(left), camera.width)),
          std::min(camera.width - 1, pixel(std::ceil(right), camera.width)),
          std::max(0, pixel(std::floor(top), camera.height)),
          std::min(camera.height - 1, pixel(std::ceil(bottom), camera.height))};
}

Colour colour_of(const Part& part, const Hit& hit, std::uint32_t seed) {
  // metres along the part's axes, so that a cloth is as fine on a trunk as on an arm
  const Vec3 place{hit.own.x * part.stretch.x, hit.own.y * part.stretch.y, hit.own.z * part.stretch.z};
  switch (part.material) {
    case Material::skin:
      return weave(place, 0.03, 0.011, 0.22f, seed) * Colour{0.52f, 0.64f, 0.86f};
    case Material::head: {
      // hair above and behind, a face before it
      const bool hair = hit.own.y > 0.62 || hit.own.z < 0.15;
      return hair ? weave(place, 0.02, 0.009, 0.5f, seed) * Colour{0.13f, 0.2f, 0.3f}
                  : weave(place, 0.03, 0.011, 0.22f, seed) * Colour{0.52f, 0.64f, 0.86f};
    }
    case Material::hair:
      return weave(place, 0.02, 0.009, 0.5f, seed) * Colour{0.13f, 0.2f, 0.3f};
    case Material::shirt:
      return weave(place, 0.045, 0.014, 0.65f, seed) * Colour{0.3f, 0.42f, 0.7f};
    case Material::trousers:
      return weave(place, 0.05, 0.014, 0.6f, seed) * Colour{0.5f, 0.4f, 0.3f};
    case Material::shoe:
      return weave(place, 0.03, 0.011, 0.5f, seed) * Colour{0.2f, 0.22f, 0.25f};
  }
  return {};
}

struct Surface {
  double t = 0;
  double cosine = 0;
  Colour colour;
  bool person = false;
};

class Renderer {
public:
  Renderer(const Stage& stage, const Camera& camera, const std::vector<Part>& parts, const View& view)
      : stage_(stage), camera_(camera), view_(view), bare_(parts) {
    // from above, beside the camera
    const Vec3 light = 0.75 * stage.up + 0.35 * Vec3{-1, 0, 0} + (-0.55) * stage.level;
    light_ = (1 / norm(light)) * light;
    for (const Part& part : parts) {
      const Part outside = part.loose > 0 ? inflated(part, part.loose) : part;
      parts_.emplace_back(outside, view.eye);
      windows_.push_back(window_of(outside, view.eye, camera));
    }
  }

  void row(int v, std::vector<Surface>& surfaces) const {
    std::vector<std::size_t> here;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (windows_[i].top <= v && v <= windows_[i].bottom) here.push_back(i);
    }
    for (int u = 0; u < camera_.width; ++u) {
      const Vec3 direction{(u - camera_.cx) / camera_.fx, (v - camera_.cy) / camera_.fy, 1};
      Hit nearest;
      const SeenPart* seen = nullptr;
      std::size_t number = 0;
      for (std::size_t i : here) {
        if (u < windows_[i].left || u > windows_[i].right) continue;
        const auto hit =
            bare_[i].loose > 0 ? parts_[i].hit_cloth(direction, bare_[i], view_.eye) : parts_[i].hit(direction);
        if (!hit || (seen != nullptr && hit->t >= nearest.t)) continue;
        nearest = *hit;
        seen = &parts_[i];
        number = i;
      }
      Surface& surface = surfaces[static_cast<std::size_t>(u)];
      surface = view_.background ? room(direction) : Surface{};
      if (seen != nullptr && (surface.t == 0 || nearest.t < surface.t)) {
        const Colour cloth =
            colour_of(seen->part(), nearest, view_.texture + 0x1000193u * static_cast<unsigned>(number));
        surface = lit(nearest.t, direction, nearest.normal, cloth);
        surface.person = true;
      }
    }
  }

private:
  Surface lit(double t, Vec3 direction, Vec3 normal, const Colour& cloth) const {
    const auto light = static_cast<float>(0.4 + 0.6 * std::max(0.0, dot(normal, light_)));
    return {t, std::abs(dot(normal, direction)) / norm(direction), light * cloth, false};
  }

  // The nearer of floor and wall.
  Surface room(Vec3 direction) const {
    const double down = dot(stage_.up, direction), ahead = dot(stage_.level, direction);
    const double to_floor = (stage_.floor - dot(stage_.up, view_.eye)) / down;
    const double to_wall = (stage_.wall - dot(stage_.level, view_.eye)) / ahead;
    const bool floor = down < 0 && to_floor > 0 && (ahead <= 0 || to_floor < to_wall);
    const double t = floor ? to_floor : to_wall;
    if (!(t > 0) || (!floor && ahead <= 0) || t > farthest) return {};
    const Vec3 place = view_.eye + t * direction;
    const Vec3 level{place.x, dot(stage_.up, place), dot(stage_.level, place)};
    if (floor) {
      const auto tile = static_cast<long long>(std::floor(level.x / 0.4) + std::floor(level.z / 0.4));
      const float shade = tile % 2 == 0 ? 1.0f : 0.82f;
      return lit(t, direction, stage_.up,
                 shade * weave(level, 0.12, 0.03, 0.45f, view_.texture + 1) * Colour{0.42f, 0.5f, 0.58f});
    }
    return lit(t, direction, (-1.0) * stage_.level,
               weave(level, 0.15, 0.03, 0.4f, view_.texture + 2) * Colour{0.66f, 0.68f, 0.66f});
  }

  const Stage& stage_;
  const Camera camera_;
  const View& view_;
  Vec3 light_;
  const std::vector<Part>& bare_;
  std::vector<SeenPart> parts_;  // with all that their cloth stands off
  std::vector<Window> windows_;
};

std::uint8_t byte(float value) { return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * 255)); }

}  // namespace

Rendering render(const Stage& stage, const std::vector<Part>& parts, const View& view) {
  const int n = view.oversampling;
  // rays at the centres of the n x n squares of each pixel
  Camera fine = stage.camera;
  fine.width *= n;
  fine.height *= n;
  fine.fx *= n;
  fine.fy *= n;
  fine.cx = n * (fine.cx + 0.5) - 0.5;
  fine.cy = n * (fine.cy + 0.5) - 0.5;
  const Renderer renderer(stage, fine, parts, view);

  Rendering result;
  result.width = stage.camera.width;
  result.height = stage.camera.height;
  const auto width = static_cast<std::size_t>(result.width), pixels = width * static_cast<std::size_t>(result.height);
  result.depth.resize(pixels);
  result.cosine.resize(pixels);
  result.person.resize(pixels);
  result.colour.width = result.width;
  result.colour.height = result.height;
  result.colour.bgr.resize(3 * pixels);
  std::vector<Surface> surfaces(static_cast<std::size_t>(fine.width));
  std::vector<Colour> sums(width);
  const auto across = static_cast<std::size_t>(n);
  const float share = 1.0f / static_cast<float>(n * n);
  for (int v = 0; v < result.height; ++v) {
    std::fill(sums.begin(), sums.end(), Colour{});
    const std::size_t begin = static_cast<std::size_t>(v) * width;
    for (int part = 0; part < n; ++part) {
      renderer.row(v * n + part, surfaces);
      for (std::size_t i = 0; i < surfaces.size(); ++i) {
        Colour& sum = sums[i / across];
        sum.blue += share * surfaces[i].colour.blue;
        sum.green += share * surfaces[i].colour.green;
        sum.red += share * surfaces[i].colour.red;
      }
      // depths are not averaged: between two surfaces there is none
      if (part != n / 2) continue;
      for (std::size_t u = 0; u < width; ++u) {
        const Surface& surface = surfaces[u * across + across / 2];
        result.depth[begin + u] = static_cast<float>(surface.t);
        result.cosine[begin + u] = static_cast<float>(surface.cosine);
        result.person[begin + u] = surface.person ? 1 : 0;
      }
    }
    for (std::size_t u = 0; u < width; ++u) {
      std::uint8_t* pixel = result.colour.bgr.data() + 3 * (begin + u);
      pixel[0] = byte(sums[u].blue);
      pixel[1] = byte(sums[u].green);
      pixel[2] = byte(sums[u].red);
    }
  }
  return result;
}

}  // namespace kinema::synth
