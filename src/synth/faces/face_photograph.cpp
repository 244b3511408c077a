#include "synth/faces/face_photograph.h"

#include "core/random.h"
#include "synth/faces/face_raster.h"
#include "synth/faces/face_skin.h"
#include "synth/faces/face_surface.h"
#include "synth/texture.h"
#include "synth/turn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numbers>
#include <numeric>
#include <utility>
#include <vector>

namespace kinema::synth {
namespace {

class FaceBackdrop {
public:
  /// A different backdrop for each number.
  explicit FaceBackdrop(std::uint32_t number);

  /// The colour at a position in the picture, whose longer side is 1.
  Colour at(double x, double y) const;

private:
  enum class Kind : std::uint8_t { wall, clouds, shelf, lights, room, check };
  struct Disc {
    double x, y, radius;
    Colour colour;
  };

  Kind kind_;
  std::uint32_t number_;
  std::array<Colour, 4> colours_;
  double angle_, size_;
  std::vector<Disc> discs_;
};

Colour mix(const Colour& a, const Colour& b, double share) {
  const auto t = static_cast<float>(std::clamp(share, 0.0, 1.0));
  return {a.blue + t * (b.blue - a.blue), a.green + t * (b.green - a.green), a.red + t * (b.red - a.red)};
}

double smooth_step(double low, double high, double value) {
  const double t = std::clamp((value - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

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

constexpr Vec3 pivot{0, 0.35, 0.1};  // the head turns about a point behind the nose

// The head in front of the camera, and the camera.
class Stand {
public:
  explicit Stand(const FaceScene& scene) : scene_(scene) {
    const double sy = std::sin(scene.yaw), cy = std::cos(scene.yaw), sp = std::sin(scene.pitch),
                 cp = std::cos(scene.pitch);
    const double sr = std::sin(scene.roll), cr = std::cos(scene.roll);
    // yaw first, then pitch, then roll
    const Vec3 x{cy, 0, sy}, y{sp * sy, cp, -sp * cy}, z{-cp * sy, sp, cp * cy};
    rows_[0] = {cr * x.x - sr * y.x, cr * x.y - sr * y.y, cr * x.z - sr * y.z};
    rows_[1] = {sr * x.x + cr * y.x, sr * x.y + cr * y.y, sr * x.z + cr * y.z};
    rows_[2] = z;
  }

  Vec3 turn(const Vec3& p) const { return {dot(rows_[0], p), dot(rows_[1], p), dot(rows_[2], p)}; }
  Vec3 place(const Vec3& p) const { return turn(p - pivot); }

  Vec3 project(const Vec3& placed) const {
    // nothing is nearer than half the distance
    const double factor = scene_.distance / std::max(0.5 * scene_.distance, scene_.distance - placed.z);
    return {scene_.x + scene_.scale * factor * (placed.x + scene_.aside_x),
            scene_.y + scene_.scale * factor * (placed.y + scene_.aside_y), placed.z};
  }

  /// Across the face, to the right of an upright viewer.
  double across(const Vec3& p) const {
    const Vec3 placed = place(p);
    const double factor = scene_.distance / (scene_.distance - placed.z);
    return factor *
           (std::cos(scene_.roll) * (placed.x + scene_.aside_x) + std::sin(scene_.roll) * (placed.y + scene_.aside_y));
  }

private:
  FaceScene scene_;
  Vec3 rows_[3];
};

Vec3 wide(const Vec3f& v) { return {v.x, v.y, v.z}; }

// On a turned face the hidden points of the jaw are set on its contour, as annotators do.
Vec3 visible_contour(const FaceSurface& surface, const Stand& stand, Point2 p, double side) {
  Vec3 best = surface.on_surface(p);
  double furthest = side * stand.across(best);
  for (double angle = 0.5 * std::numbers::pi; angle > 0.6; angle -= 0.03) {
    const Vec3 candidate = surface.at(p.y, side * angle);
    if (const double reach = side * stand.across(candidate); reach > furthest) {
      furthest = reach;
      best = candidate;
    }
  }
  return best;
}

std::vector<float> landmarks_of(const FacePlan& plan, const FaceSurface& surface, const Stand& stand) {
  std::vector<float> landmarks;
  for (std::size_t i = 0; i < face_landmarks; ++i) {
    const bool contour = i < 7 || (i > 9 && i < 17);
    const Vec3 p = contour ? visible_contour(surface, stand, plan[i], i < 8 ? -1 : 1) : surface.on_surface(plan[i]);
    const Vec3 seen = stand.project(stand.place(p));
    landmarks.push_back(static_cast<float>(seen.x));
    landmarks.push_back(static_cast<float>(seen.y));
  }
  return landmarks;
}

struct Lamp {
  Vec3f towards, second_towards;
  float key, fill, second;
  Colour tint;
};

Vec3f direction(double azimuth, double elevation) {
  return {static_cast<float>(std::sin(azimuth) * std::cos(elevation)), static_cast<float>(-std::sin(elevation)),
          static_cast<float>(std::cos(azimuth) * std::cos(elevation))};
}

// Light is summed linearly, so colours are squared before and rooted after (a gamma of 2).
Colour shade(const FacePaint& paint, const Vec3f& normal, float shadow, const Lamp& lamp) {
  const float facing = dot(normal, lamp.towards);
  const float direct = lamp.key * shadow * std::max(0.0f, (facing + 0.12f) / 1.12f);
  // more from the sky than from the floor
  const float around = lamp.fill * (0.72f - 0.28f * normal.y) * (0.75f + 0.25f * std::max(0.0f, normal.z));
  const Vec3f half = lamp.towards + Vec3f{0, 0, 1};
  const float mirror = std::pow(std::max(0.0f, dot(normal, half) / std::max(1e-6f, norm(half))), 24.0f);
  const float gloss = 0.35f * paint.gloss * mirror * lamp.key * shadow;
  const float other = lamp.second * std::max(0.0f, (dot(normal, lamp.second_towards) + 0.2f) / 1.2f);
  const auto channel = [&](float albedo, float tint) {
    return albedo * albedo * (direct * tint + around + other) * 1.25f + gloss * tint;
  };
  return {channel(paint.colour.blue, lamp.tint.blue), channel(paint.colour.green, lamp.tint.green),
          channel(paint.colour.red, lamp.tint.red)};
}

// A separable Gaussian, borders repeated.
void blur(std::vector<Colour>& image, int width, int height, double deviation) {
  const int reach = static_cast<int>(std::ceil(2.5 * deviation));
  if (reach < 1) return;
  std::vector<float> kernel;
  float sum = 0;
  for (int i = -reach; i <= reach; ++i) {
    kernel.push_back(static_cast<float>(std::exp(-0.5 * i * i / (deviation * deviation))));
    sum += kernel.back();
  }
  std::vector<Colour> other(image.size());
  const auto pass = [&](const std::vector<Colour>& from, std::vector<Colour>& to, int dx, int dy) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        Colour total;
        for (std::size_t k = 0; k < kernel.size(); ++k) {
          const int i = static_cast<int>(k) - reach;
          const int sx = std::clamp(x + i * dx, 0, width - 1), sy = std::clamp(y + i * dy, 0, height - 1);
          const Colour& c =
              from[static_cast<std::size_t>(sy) * static_cast<std::size_t>(width) + static_cast<std::size_t>(sx)];
          const float w = kernel[k] / sum;
          total = {total.blue + w * c.blue, total.green + w * c.green, total.red + w * c.red};
        }
        to[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)] = total;
      }
    }
  };
  pass(image, other, 1, 0);
  pass(other, image, 0, 1);
}

// The sum of four bytes is approximately normal, of standard deviation 1 after this.
float noise_of(std::uint32_t word) {
  const std::uint32_t sum = (word & 255u) + (word >> 8 & 255u) + (word >> 16 & 255u) + (word >> 24);
  return (static_cast<float>(sum) - 510.0f) / 147.8f;
}

io::Picture expose(const std::vector<Colour>& image, const FaceScene& scene) {
  io::Picture picture{scene.width, scene.height, {}};
  picture.bgr.reserve(3 * image.size());
  const auto noise = static_cast<float>(scene.noise);
  for (std::size_t i = 0; i < image.size(); ++i) {
    const Philox bits = philox(scene.seed, static_cast<std::uint32_t>(i), 0xFACEu, 0, 0);
    const float light[3] = {image[i].blue, image[i].green, image[i].red};
    for (int c = 0; c < 3; ++c) {
      const float exposed = static_cast<float>(scene.exposure) * std::sqrt(std::max(0.0f, light[c]));
      const float level = 255 * std::pow(exposed, static_cast<float>(scene.contrast)) + noise * noise_of(bits.word[c]);
      picture.bgr.push_back(static_cast<std::uint8_t>(std::clamp(level + 0.5f, 0.0f, 255.0f)));
    }
  }
  return picture;
}

FaceRaster rasterised(const std::vector<FaceMesh>& meshes, const Stand& stand, const FaceScene& scene,
                      ShadowMap& shadows) {
  FaceRaster raster(scene.width, scene.height);
  for (const FaceMesh& mesh : meshes) {
    std::vector<Vec3f> position, normal;
    std::vector<Projection> projected;
    for (std::size_t i = 0; i < mesh.position.size(); ++i) {
      // the body stays in place while the head turns
      const bool body = mesh.material == FaceMaterial::cloth;
      const Vec3 p = wide(mesh.position[i]);
      const Vec3 placed = body ? p - pivot : stand.place(p);
      position.push_back(single(placed));
      normal.push_back(body ? mesh.normal[i] : single(stand.turn(wide(mesh.normal[i]))));
      projected.push_back(single(stand.project(placed)));
    }
    draw(raster, mesh, projected, position, normal);
    shadows.add(mesh, position);
  }
  return raster;
}

}  // namespace

// The surface's frame has y down and z towards the camera: both frames are mirrored in y, the camera's also in z.
Quaternion true_rotation(const FaceScene& scene) {
  const Stand stand(scene);
  const auto axis = [&](const Vec3& direction) {
    const Vec3 turned = stand.turn(direction);
    return Vec3{turned.x, turned.y, -turned.z};
  };
  return rotation_of({axis({1, 0, 0}), axis({0, -1, 0}), axis({0, 0, 1})});
}

Vec3 true_place(const FaceScene& scene, const Vec3& point) {
  const Vec3 placed = Stand(scene).place(point);
  return {placed.x + scene.aside_x, placed.y + scene.aside_y, scene.distance - placed.z};
}

std::vector<float> true_landmarks(const FaceIdentity& identity, const FaceExpression& expression,
                                  const FaceScene& scene) {
  const FacePlan plan = frontal_plan(identity, expression);
  return landmarks_of(plan, FaceSurface(plan, identity), Stand(scene));
}

namespace {

// One of the people before the camera, as it is drawn.
struct Sitter {
  FacePlan plan;
  FaceSurface surface;
  Stand stand;
  FaceSkin skin;
  ShadowMap shadows;
  FaceRaster raster;

  Sitter(const FaceActor& actor, const Lamp& lamp)
      : plan(frontal_plan(actor.identity, actor.expression)),
        surface(plan, actor.identity),
        stand(actor.scene),
        skin(plan, actor.identity, actor.expression, static_cast<float>(0.7 / actor.scene.scale)),
        shadows(lamp.towards, 2.2f),
        raster(rasterised(surface.meshes(), stand, actor.scene, shadows)) {}
};

}  // namespace

FaceShots photograph_faces(std::span<const FaceActor> actors) {
  const FaceScene& scene = actors.front().scene;
  const FaceBackdrop backdrop(scene.backdrop), cover(scene.backdrop ^ 0x5555u);
  const Lamp lamp{direction(scene.light_azimuth, scene.light_elevation),
                  direction(scene.second_azimuth, scene.second_elevation),
                  static_cast<float>(scene.key),
                  static_cast<float>(scene.fill),
                  static_cast<float>(scene.second),
                  scene.tint};

  std::vector<std::size_t> nearest_first(actors.size());
  std::iota(nearest_first.begin(), nearest_first.end(), std::size_t{0});
  std::stable_sort(nearest_first.begin(), nearest_first.end(),
                   [&](std::size_t a, std::size_t b) { return actors[a].scene.scale > actors[b].scene.scale; });
  std::vector<std::unique_ptr<const Sitter>> sitters;
  for (const std::size_t i : nearest_first) sitters.push_back(std::make_unique<const Sitter>(actors[i], lamp));

  std::vector<Colour> image;
  image.reserve(static_cast<std::size_t>(scene.width) * static_cast<std::size_t>(scene.height));
  const double longer = std::max(scene.width, scene.height);
  for (int y = 0; y < scene.height; ++y) {
    for (int x = 0; x < scene.width; ++x) {
      if (scene.cover > 0) {
        const double u = (x - scene.x) / scene.scale - scene.aside_x - scene.cover_x;
        const double v = (y - scene.y) / scene.scale - scene.aside_y - scene.cover_y;
        const double wave = 0.12 * static_cast<double>(value_noise({2 * u, 2 * v, 7}, scene.backdrop));
        if (std::hypot(u, 0.7 * v) < scene.cover * (1 + wave)) {
          const Colour c = cover.at(0.5 + 0.2 * u, 0.5 + 0.2 * v);
          const float lit = 0.5f + 0.5f * static_cast<float>(std::clamp(1 - std::hypot(u, v) / scene.cover, 0.0, 1.0));
          image.push_back({lit * c.blue * c.blue, lit * c.green * c.green, lit * c.red * c.red});
          continue;
        }
      }
      const auto seen = std::find_if(sitters.begin(), sitters.end(), [&](const auto& sitter) {
        return sitter->raster.nearness[sitter->raster.index(x, y)] != FaceRaster::empty_nearness;
      });
      if (seen == sitters.end()) {
        const Colour c = backdrop.at(x / longer, y / longer);
        image.push_back({c.blue * c.blue, c.green * c.green, c.red * c.red});
        continue;
      }
      const FaceRaster& raster = (*seen)->raster;
      const std::size_t pixel = raster.index(x, y);
      const FacePaint paint = (*seen)->skin.at(raster.material[pixel], raster.place[pixel]);
      image.push_back(shade(paint, raster.normal[pixel], (*seen)->shadows.light_at(raster.position[pixel]), lamp));
    }
  }
  blur(image, scene.width, scene.height, scene.blur);
  FaceShots shots{expose(image, scene), std::vector<std::vector<float>>(actors.size())};
  for (std::size_t i = 0; i < sitters.size(); ++i)
    shots.landmarks[nearest_first[i]] = landmarks_of(sitters[i]->plan, sitters[i]->surface, sitters[i]->stand);
  return shots;
}

FaceShot photograph_face(const FaceIdentity& identity, const FaceExpression& expression, const FaceScene& scene) {
  const FaceActor actor{identity, expression, scene};
  FaceShots shots = photograph_faces({&actor, 1});
  return {std::move(shots.picture), std::move(shots.landmarks.front())};
}

}  // namespace kinema::synth
