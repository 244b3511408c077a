#include "body/point_order.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kinema::body {
namespace {

struct Ray {
  Vector3d v;
  double delta;
};

Ray ray_to(const float* xyz, const Vec3& camera) {
  const Vector3d to_point{xyz[0] - camera.x, xyz[1] - camera.y, xyz[2] - camera.z};
  const double delta = norm(to_point);
  return {(1 / delta) * to_point, delta};
}

// A point on its way to its place: where it is for the split, and who it is.
struct Item {
  std::array<float, 4> at;  // direction, scaled to metres, and depth
  std::uint32_t point;
};

// Depth counts less than the directions: a tile that is deep by less than tau meets hardly more capsules, one that is
// wide does. Found by counting the capsules that are left.
constexpr float depth_weight = 0.3f;

// Halves the widest side: at whole tiles, or, within a tile, at whole subtiles. Returns the middle.
Item* halve(Item* begin, Item* end) {
  std::array<float, 4> low = begin->at, high = begin->at;
  for (const Item* item = begin; item != end; ++item) {
    for (std::size_t k = 0; k < 4; ++k) {
      low[k] = std::min(low[k], item->at[k]);
      high[k] = std::max(high[k], item->at[k]);
    }
  }
  std::size_t widest = 0;
  for (std::size_t k = 1; k < 4; ++k)
    if (high[k] - low[k] > high[widest] - low[widest]) widest = k;

  const auto count = static_cast<std::size_t>(end - begin);
  const std::size_t unit = count > tile_rays ? tile_rays : subtile_rays;
  Item* middle = begin + (count + unit - 1) / unit / 2 * unit;
  std::nth_element(begin, middle, end, [widest](const Item& a, const Item& b) {
    return a.at[widest] < b.at[widest] || (a.at[widest] == b.at[widest] && a.point < b.point);
  });
  return middle;
}

void arrange_piece(Item* begin, Item* end) {
  if (end - begin <= static_cast<std::ptrdiff_t>(subtile_rays)) return;
  Item* middle = halve(begin, end);
  arrange_piece(begin, middle);
  arrange_piece(middle, end);
}

// The order of a k-d tree. The first levels are split one after the other, the pieces then on all threads; the result
// depends on the points alone.
void arrange(std::vector<Item>& items, const Threads& threads) {
  constexpr std::ptrdiff_t piece = 32 * tile_rays;
  std::vector<std::pair<Item*, Item*>> pieces{{items.data(), items.data() + items.size()}};
  for (std::size_t i = 0; i < pieces.size();) {
    const auto [begin, end] = pieces[i];
    if (end - begin <= piece) {
      ++i;
      continue;
    }
    Item* middle = halve(begin, end);
    pieces[i].second = middle;
    pieces.emplace_back(middle, end);
  }
  threads.for_each(pieces.size(), [&](std::size_t i) { arrange_piece(pieces[i].first, pieces[i].second); });
}

TileBounds bounds_of(const Ray* rays, std::size_t count, bool background, const LikelihoodSettings& settings) {
  Vector3d low = rays[0].v, high = rays[0].v;
  double near = rays[0].delta, far = rays[0].delta;
  for (std::size_t i = 1; i < count; ++i) {
    low = {std::min(low.x, rays[i].v.x), std::min(low.y, rays[i].v.y), std::min(low.z, rays[i].v.z)};
    high = {std::max(high.x, rays[i].v.x), std::max(high.y, rays[i].v.y), std::max(high.z, rays[i].v.z)};
    near = std::min(near, rays[i].delta);
    far = std::max(far, rays[i].delta);
  }
  // the middle direction; rays all around the camera have none, and any will do
  Vector3d middle = low + high;
  const double length = norm(middle);
  middle = length > 1e-3 ? (1 / length) * middle : rays[0].v;

  TileBounds b;
  b.vx = static_cast<float>(middle.x);
  b.vy = static_cast<float>(middle.y);
  b.vz = static_cast<float>(middle.z);
  double spread = 0;
  for (std::size_t i = 0; i < count; ++i) spread = std::max(spread, norm(rays[i].v - Vector3d{b.vx, b.vy, b.vz}));
  finish_bounds(b, spread, near, far, background, settings.association == Association::first_hit, settings.tau);
  return b;
}

void fill_tile(RayTile& tile, const Ray* rays, const Item* items, std::size_t count, PointsView points, bool background,
               const LikelihoodSettings& settings) {
  tile.background = background;
  tile.count = count;
  tile.bounds = bounds_of(rays, count, background, settings);
  for (std::size_t i = 0; i < tile_rays; ++i) {
    const std::size_t from = std::min(i, count - 1);
    const float* xyz = points.xyz + 3 * std::size_t{items[from].point};
    tile.x[i] = xyz[0];
    tile.y[i] = xyz[1];
    tile.z[i] = xyz[2];
    tile.wx[i] = static_cast<float>(rays[from].v.x - tile.bounds.vx);
    tile.wy[i] = static_cast<float>(rays[from].v.y - tile.bounds.vy);
    tile.wz[i] = static_cast<float>(rays[from].v.z - tile.bounds.vz);
    tile.e[i] = static_cast<float>(rays[from].delta - tile.bounds.depth);
  }
  for (std::size_t s = 0; s < tile_subtiles; ++s) {
    // a subtile without rays of its own repeats the last one
    const std::size_t first = std::min(s * subtile_rays, count - 1);
    const TileBounds b = bounds_of(rays + first, std::min(subtile_rays, count - first), background, settings);
    tile.subtiles.vx[s] = b.vx;
    tile.subtiles.vy[s] = b.vy;
    tile.subtiles.vz[s] = b.vz;
    tile.subtiles.spread[s] = b.spread;
    tile.subtiles.nearest[s] = b.nearest;
    tile.subtiles.furthest[s] = b.furthest;
  }
}

}  // namespace

std::vector<RayTile> make_ray_tiles(PointsView points, const LikelihoodSettings& settings, const Threads& threads,
                                    PointCount& count) {
  // foreground and background apart, bad points nowhere
  std::vector<Item> parts[2];
  double scale = 0;
  for (std::size_t i = 0; i < points.size; ++i) {
    const Ray ray = ray_to(points.xyz + 3 * i, settings.camera);
    if (!std::isfinite(ray.delta) || ray.delta == 0) continue;
    const bool background = settings.free_space && !points.background.empty() && points.background[i] != 0;
    parts[background].push_back({{static_cast<float>(ray.v.x), static_cast<float>(ray.v.y), static_cast<float>(ray.v.z),
                                  static_cast<float>(ray.delta)},
                                 static_cast<std::uint32_t>(i)});
    scale += ray.delta;
  }
  count.used = parts[0].size() + parts[1].size();
  count.dropped = points.size - count.used;
  const auto metres = static_cast<float>(scale / static_cast<double>(std::max<std::size_t>(count.used, 1)));

  std::vector<RayTile> tiles;
  for (const bool background : {false, true}) {
    std::vector<Item>& items = parts[background];
    if (items.empty()) continue;
    for (Item& item : items) {
      for (std::size_t k = 0; k < 3; ++k) item.at[k] *= metres;
      item.at[3] *= depth_weight;
    }
    arrange(items, threads);

    const std::size_t first = tiles.size(), count_here = (items.size() + tile_rays - 1) / tile_rays;
    tiles.resize(first + count_here);
    threads.for_each((count_here + group_tiles - 1) / group_tiles, [&](std::size_t g) {
      const std::size_t first_item = g * group_tiles * tile_rays;
      const std::size_t in_group = std::min(group_tiles * tile_rays, items.size() - first_item);
      std::vector<Ray> rays(in_group);
      for (std::size_t i = 0; i < in_group; ++i)
        rays[i] = ray_to(points.xyz + 3 * std::size_t{items[first_item + i].point}, settings.camera);
      const TileBounds group_bounds = bounds_of(rays.data(), in_group, background, settings);
      for (std::size_t begin = 0; begin < in_group; begin += tile_rays) {
        RayTile& tile = tiles[first + g * group_tiles + begin / tile_rays];
        tile.group = first + g;
        tile.group_bounds = group_bounds;
        fill_tile(tile, rays.data() + begin, items.data() + first_item + begin, std::min(tile_rays, in_group - begin),
                  points, background, settings);
      }
    });
  }
  return tiles;
}

}  // namespace kinema::body
