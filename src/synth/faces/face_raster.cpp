#include "synth/faces/face_raster.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kinema::synth {
namespace {

Vec3f normalised(const Vec3f& v) { return (1 / std::max(1e-12f, norm(v))) * v; }

// Calls visit(x, y, weights of the three corners) for each pixel whose centre lies in the triangle.
template <class Visit>
void cover(const Projection& a, const Projection& b, const Projection& c, int width, int height, Visit visit) {
  const float area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  if (std::abs(area) < 1e-9f) return;
  const auto low = [](float p, float q, float r) { return static_cast<int>(std::ceil(std::min({p, q, r}))); };
  const auto high = [](float p, float q, float r) { return static_cast<int>(std::floor(std::max({p, q, r}))); };
  const int left = std::max(0, low(a.x, b.x, c.x)), right = std::min(width - 1, high(a.x, b.x, c.x));
  const int top = std::max(0, low(a.y, b.y, c.y)), bottom = std::min(height - 1, high(a.y, b.y, c.y));
  for (int y = top; y <= bottom; ++y) {
    for (int x = left; x <= right; ++x) {
      const auto px = static_cast<float>(x), py = static_cast<float>(y);
      const float wa = ((b.x - px) * (c.y - py) - (b.y - py) * (c.x - px)) / area;
      const float wb = ((c.x - px) * (a.y - py) - (c.y - py) * (a.x - px)) / area;
      const float wc = 1 - wa - wb;
      // a slight overlap, so that no pixel falls between two triangles
      if (wa < -1e-4f || wb < -1e-4f || wc < -1e-4f) continue;
      visit(x, y, std::array<float, 3>{wa, wb, wc});
    }
  }
}

Vec3f blend(const std::vector<Vec3f>& values, const std::array<std::uint32_t, 3>& corners,
            const std::array<float, 3>& weights) {
  return weights[0] * values[corners[0]] + weights[1] * values[corners[1]] + weights[2] * values[corners[2]];
}

}  // namespace

FaceRaster::FaceRaster(int w, int h) : width(w), height(h) {
  const std::size_t pixels = static_cast<std::size_t>(w) * static_cast<std::size_t>(h);
  nearness.assign(pixels, empty_nearness);
  normal.resize(pixels);
  place.resize(pixels);
  position.resize(pixels);
  material.resize(pixels);
}

void draw(FaceRaster& raster, const FaceMesh& mesh, const std::vector<Projection>& projected,
          const std::vector<Vec3f>& position, const std::vector<Vec3f>& normal) {
  for (const auto& corners : mesh.triangles) {
    const Projection &a = projected[corners[0]], &b = projected[corners[1]], &c = projected[corners[2]];
    cover(a, b, c, raster.width, raster.height, [&](int x, int y, const std::array<float, 3>& weights) {
      const float near = weights[0] * a.z + weights[1] * b.z + weights[2] * c.z;
      const std::size_t pixel = raster.index(x, y);
      if (near <= raster.nearness[pixel]) return;
      raster.nearness[pixel] = near;
      raster.normal[pixel] = normalised(blend(normal, corners, weights));
      raster.place[pixel] = blend(mesh.place, corners, weights);
      raster.position[pixel] = blend(position, corners, weights);
      raster.material[pixel] = mesh.material;
    });
  }
}

ShadowMap::ShadowMap(const Vec3f& light, float radius)
    : towards_(normalised(light)), radius_(radius), nearness_(static_cast<std::size_t>(size) * size, -1e30f) {
  const Vec3f up = std::abs(towards_.y) < 0.9f ? Vec3f{0, 1, 0} : Vec3f{1, 0, 0};
  right_ = normalised(cross(up, towards_));
  down_ = cross(towards_, right_);
}

Projection ShadowMap::project(const Vec3f& p) const {
  const float scale = 0.5f * size / radius_;
  return {0.5f * size + scale * dot(p, right_), 0.5f * size + scale * dot(p, down_), dot(p, towards_)};
}

void ShadowMap::add(const FaceMesh& mesh, const std::vector<Vec3f>& position) {
  std::vector<Projection> projected;
  projected.reserve(position.size());
  for (const Vec3f& p : position) projected.push_back(project(p));
  for (const auto& corners : mesh.triangles) {
    const Projection &a = projected[corners[0]], &b = projected[corners[1]], &c = projected[corners[2]];
    cover(a, b, c, size, size, [&](int x, int y, const std::array<float, 3>& weights) {
      float& there = nearness_[static_cast<std::size_t>(y) * size + static_cast<std::size_t>(x)];
      there = std::max(there, weights[0] * a.z + weights[1] * b.z + weights[2] * c.z);
    });
  }
}

float ShadowMap::light_at(const Vec3f& position) const {
  constexpr float bias = 0.06f;  // more than the depth change of a slope over a texel
  const Projection p = project(position);
  float lit = 0;
  for (int dy = -2; dy <= 2; ++dy) {
    for (int dx = -2; dx <= 2; ++dx) {
      const int x = static_cast<int>(std::lround(p.x)) + dx, y = static_cast<int>(std::lround(p.y)) + dy;
      const bool outside = x < 0 || y < 0 || x >= size || y >= size;
      if (outside || nearness_[static_cast<std::size_t>(y) * size + static_cast<std::size_t>(x)] < p.z + bias) lit += 1;
    }
  }
  return lit / 25;
}

}  // namespace kinema::synth
