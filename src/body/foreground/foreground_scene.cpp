#include "body/foreground/foreground_scene.h"

#include "body/foreground/constants_foreground.h"
#include "body/foreground/constants_scene.h"
#include "body/foreground/foreground_seats.h"

#include "core/geometry.h"

#include <algorithm>
#include <cmath>

namespace kinema::body {
namespace {

using namespace constants::scene;

bool alike(const Plane& a, const Plane& b) {
  const double cosine = a.normal.x * b.normal.x + a.normal.y * b.normal.y + a.normal.z * b.normal.z;
  return cosine > same_plane_cosine && std::abs(a.offset - b.offset) < same_plane_offset;
}

double measured_share(const DepthBlocks& blocks) {
  const auto measured =
      std::count_if(blocks.blocks.begin(), blocks.blocks.end(), [](const Block& b) { return b.measured; });
  return static_cast<double>(measured) / static_cast<double>(std::max<std::size_t>(1, blocks.blocks.size()));
}

}  // namespace

Scene::Scene(const Camera& camera, const ForegroundSettings& settings, int threads)
    : settings_(settings), threads_(threads) {
  columns_.resize(static_cast<std::size_t>(std::max(camera.width, 0)));
  rows_.resize(static_cast<std::size_t>(std::max(camera.height, 0)));
  for (std::size_t u = 0; u < columns_.size(); ++u)
    columns_[u] = static_cast<float>((static_cast<double>(u) - camera.cx) / camera.fx);
  for (std::size_t v = 0; v < rows_.size(); ++v)
    rows_[v] = static_cast<float>((static_cast<double>(v) - camera.cy) / camera.fy);
  update_limits();
}

void Scene::set_background(ImageView<const float> depth) {
  const DepthBlocks blocks = make_blocks(depth, columns_, rows_, settings_.nearest, settings_.farthest);
  surfaces_.clear();
  noise_ = blocks.noise;
  if (settings_.planes) {
    sample(depth);
    search(blocks, all_sights());
  }

  // The nearest of each pixel and its neighbours: at an edge either side may be measured.
  const std::size_t width = columns_.size(), height = rows_.size();
  background_.assign(width * height, 0.0f);
  const auto slack = static_cast<float>(scene_deviations * noise_);
  for (std::size_t v = 0; v < height; ++v) {
    for (std::size_t u = 0; u < width; ++u) {
      float nearest = 0;  // largest inverse depth
      for (std::size_t y = v > 0 ? v - 1 : 0; y <= std::min(v + 1, height - 1); ++y) {
        for (std::size_t x = u > 0 ? u - 1 : 0; x <= std::min(u + 1, width - 1); ++x) {
          const float z = depth.at(x, y);
          if (z > 0 && std::isfinite(z)) nearest = std::max(nearest, 1 / z);
        }
      }
      if (nearest > 0) background_[v * width + u] = 1 / std::max(1 / nearest - background_margin, 1e-3f) + slack;
    }
  }
  update_limits();
}

void Scene::look(ImageView<const float> depth, bool several) {
  if (!settings_.planes || !background_.empty()) return;
  sample(depth);
  std::vector<SurfaceCount> counts(surfaces_.size());
  std::size_t samples = 0;
  for (const Part& part : parts_) {
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i].within += part.counts[i].within;
      counts[i].behind += part.counts[i].behind;
    }
    samples += part.samples.size();
  }
  if (holds(counts, samples) && --until_search_ > 0) return;
  search(make_blocks(depth, columns_, rows_, settings_.nearest, settings_.farthest), all_sights(), several);
  update_limits();
}

void Scene::look(std::span<const InverseDepthSample> samples) {
  if (!settings_.planes) return;
  std::vector<InverseDepthSample> some;
  const std::size_t step = std::max<std::size_t>(1, samples.size() / scene_samples);
  for (std::size_t i = 0; i < samples.size(); i += step) some.push_back(samples[i]);
  std::vector<SurfaceCount> counts;
  for (const Surface& surface : surfaces_) counts.push_back(count_in(surface, some));
  if (holds(counts, some.size()) && --until_search_ > 0) return;
  search(make_blocks(samples), some);
}

void Scene::sample(ImageView<const float> depth) {
  const std::size_t step = std::max<std::size_t>(8, depth.width / constants::planes::block_columns);
  const auto low = static_cast<float>(settings_.nearest), high = static_cast<float>(settings_.farthest);
  // the image is not in the cache yet: small parts let threads overlap their cache misses
  constexpr std::size_t rows_each = 2;
  parts_.resize(((depth.height + step - 1) / step + rows_each - 1) / rows_each);
  threads_.for_each(parts_.size(), [&](std::size_t i) {
    auto& [samples, counts] = parts_[i];
    samples.clear();
    for (std::size_t row = i * rows_each; row < (i + 1) * rows_each; ++row) {
      const std::size_t v = step / 2 + row * step;
      if (v >= depth.height) break;
      for (std::size_t u = step / 2; u < depth.width; u += step)
        if (const float z = depth.at(u, v); z >= low && z <= high) samples.push_back({columns_[u], rows_[v], 1 / z});
    }
    counts.clear();
    for (const Surface& surface : surfaces_) counts.push_back(count_in(surface, samples));
  });
}

std::vector<InverseDepthSample> Scene::all_sights() const {
  std::vector<InverseDepthSample> samples;
  for (const Part& part : parts_) samples.insert(samples.end(), part.samples.begin(), part.samples.end());
  return samples;
}

// A person who comes near hides a wall; after a move of the camera samples lie behind the wall, or few in it.
bool Scene::holds(std::span<const SurfaceCount> counts, std::size_t samples) const {
  for (std::size_t i = 0; i < surfaces_.size(); ++i) {
    if (!surfaces_[i].bounding) continue;
    const SurfaceShare now = share_of(counts[i], samples);
    if (now.within < still_within * surfaces_[i].share || now.behind > moved_behind * surfaces_[i].share) return false;
  }
  return true;
}

void Scene::search(const DepthBlocks& blocks, std::span<const InverseDepthSample> samples, bool several) {
  std::vector<Surface> found = find_surfaces(blocks, settings_.incomplete);
  if (several && !settings_.incomplete && measured_share(blocks) < constants::exterior::most_measured)
    std::erase_if(found, [](const Surface& s) { return -s.plane.normal.y < constants::planes::least_level; });
  const std::vector<Surface> seats = find_seats(blocks, found);
  found.insert(found.end(), seats.begin(), seats.end());
  for (Surface& surface : found) surface.share = share_of(surface, samples).within;
  // a plane that was only hidden is still valid
  for (Surface old : surfaces_) {
    if (!old.bounding) continue;
    const SurfaceShare now = share_of(old, samples);
    const bool again = std::any_of(found.begin(), found.end(), [&](const Surface& surface) {
      return surface.bounding && alike(surface.plane, old.plane);
    });
    if (again || now.within < hidden_within * old.share || now.within < hidden_share ||
        now.behind > hidden_behind * now.within)
      continue;
    old.share = now.within;
    if (std::any_of(found.begin(), found.end(), [](const Surface& s) { return s.plane.floor; }))
      old.plane.floor = false;
    found.push_back(old);
  }
  surfaces_ = std::move(found);
  noise_ = blocks.noise;
  describe();
  until_search_ = planes_.empty() ? plane_search_interval : 1 << 30;
}

void Scene::describe() {
  bounds_.clear();
  flat_.clear();
  planes_.clear();
  for (const Surface& surface : surfaces_) {
    const double margin = surface.plane.floor ? settings_.floor_margin : settings_.wall_margin;
    if (surface.bounding) {
      Surface bound = surface;
      // single patches of a matched floor are off by much more than most of it
      if (settings_.incomplete && bound.plane.floor)
        bound.noise = std::max(bound.noise, patch_noise * settings_.person_noise);
      bounds_.push_back(limit_of(bound, margin));
      planes_.push_back(surface.plane);
    } else {
      flat_.push_back(surface);
    }
  }
}

void Scene::update_limits() {
  const std::size_t width = columns_.size();
  limit_.resize(width * rows_.size());
  const auto farthest = static_cast<float>(1 / settings_.farthest);
  for (std::size_t v = 0; v < rows_.size(); ++v) {
    float* row = limit_.data() + v * width;
    std::fill(row, row + width, farthest);
    for (const InverseDepthPlane& bound : bounds_) {
      const auto a = static_cast<float>(bound.a), base = static_cast<float>(bound.b * rows_[v] + bound.c);
      for (std::size_t u = 0; u < width; ++u) row[u] = std::max(row[u], a * columns_[u] + base);
    }
    if (!background_.empty())
      for (std::size_t u = 0; u < width; ++u) row[u] = std::max(row[u], background_[v * width + u]);
    for (std::size_t u = 0; u < width; ++u) row[u] = 1 / row[u];
  }
}

float Scene::limit(float x, float y) const {
  double w = 1 / settings_.farthest;
  for (const InverseDepthPlane& bound : bounds_) w = std::max(w, bound.at(x, y));
  return static_cast<float>(1 / w);
}

bool Scene::in_flat_thing(float x, float y, float depth) const {
  const double measured = 1 / static_cast<double>(depth);
  for (const Surface& flat : flat_) {
    if (flat.covered[flat.grid.find(x, y)] == 0) continue;
    const double w = flat.inverse_depth.at(x, y);
    if (std::abs(measured - w) < flat_thing_deviations * flat.noise + settings_.wall_margin / flat.plane.offset * w)
      return true;
  }
  return false;
}

const Plane* Scene::floor() const {
  for (const Plane& plane : planes_)
    if (plane.floor) return &plane;
  return nullptr;
}

}  // namespace kinema::body
