#include "body/likelihood/point_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace kinema::body {
namespace {

struct Ray {
  Vec3 v;
  double delta;
  float scale;  // see distance_scale()
};

Ray ray_to(const float* xyz, const Vec3& camera) {
  const Vec3 to_point{xyz[0] - camera.x, xyz[1] - camera.y, xyz[2] - camera.z};
  const double delta = norm(to_point);
  return {(1 / delta) * to_point, delta, 1};
}

// The chart of directions: the stereographic projection from the point opposite the mean direction. It is conformal, so
// a bundle that is compact there is compact in space. Depth is not used: a camera sees one depth per direction, and
// where it is wrong, as with a false match, its neighbours lie on the same capsules nevertheless.
class Chart {
public:
  explicit Chart(Vec3 sum_of_directions) {
    const double length = norm(sum_of_directions);
    middle_ = length > 1e-6 ? (1 / length) * sum_of_directions : Vec3{0, 0, 1};
    const Vec3 e = std::fabs(middle_.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    x_ = cross(e, middle_);
    x_ = (1 / norm(x_)) * x_;
    y_ = cross(middle_, x_);
  }
  std::array<double, 2> operator()(Vec3 v) const {
    const double scale = 1 / std::max(1 + dot(middle_, v), 0.1);  // rays behind are compressed, not sent to infinity
    return {scale * dot(x_, v), scale * dot(y_, v)};
  }

private:
  Vec3 middle_, x_, y_;
};

// A sort item of a point: each of its chart coordinates, as an integer, above the number of the point, so that no two
// are equal.
struct SortItem {
  std::array<std::uint64_t, 2> key;

  std::uint32_t point() const { return static_cast<std::uint32_t>(key[0]); }
  std::uint64_t at(std::size_t k) const { return key[k] >> 32; }
};
constexpr unsigned coordinate_bits = 22;

// Items in two orders, one per coordinate.
struct Orders {
  std::array<SortItem*, 2> by;
  SortItem* spare;  // of the same size
  std::size_t count;

  Orders from(std::size_t first, std::size_t number) const {
    return {{by[0] + first, by[1] + first}, spare + first, number};
  }
};

// Sorts by coordinate k, ties by the number of the point, which is the input order.
void sort(SortItem* items, SortItem* spare, std::size_t count, std::size_t k) {
  constexpr unsigned digit_bits = coordinate_bits / 2;
  static_assert(coordinate_bits % 2 == 0, "an even number of passes ends where it began");
  for (unsigned pass = 0; pass < 2; ++pass) {
    const auto digit = [shift = 32 + pass * digit_bits, k](const SortItem& item) {
      return item.key[k] >> shift & ((1u << digit_bits) - 1);
    };
    std::vector<std::uint32_t> place(std::size_t{1} << digit_bits);
    for (std::size_t i = 0; i < count; ++i) ++place[digit(items[i])];
    std::exclusive_scan(place.begin(), place.end(), place.begin(), 0u);
    for (std::size_t i = 0; i < count; ++i) spare[place[digit(items[i])]++] = items[i];
    std::swap(items, spare);
  }
}

// Halves the wider side: at whole tiles, or, within a tile, at whole subtiles. Returns the size of the first half. One
// order is halved as it is; the other is partitioned by comparison with the median of the first.
std::size_t halve(const Orders& orders) {
  const auto width = [&](std::size_t k) { return orders.by[k][orders.count - 1].at(k) - orders.by[k][0].at(k); };
  const std::size_t wider = width(1) > width(0) ? 1 : 0;
  const std::size_t unit = orders.count > tile_rays ? tile_rays : subtile_rays;
  const std::size_t half = (orders.count + unit - 1) / unit / 2 * unit;
  const std::uint64_t middle = orders.by[wider][half].key[wider];

  SortItem* other = orders.by[1 - wider];
  std::size_t below = 0, above = 0;
  for (std::size_t i = 0; i < orders.count; ++i) {
    const SortItem item = other[i];
    const std::size_t is_above = item.key[wider] >= middle ? 1 : 0;
    other[below] = item;  // no branch: both places are written, and one of them advances
    orders.spare[above] = item;
    below += 1 - is_above;
    above += is_above;
  }
  std::copy_n(orders.spare, above, other + below);
  return half;
}

void arrange_piece(const Orders& orders) {
  if (orders.count <= subtile_rays) return;
  const std::size_t half = halve(orders);
  arrange_piece(orders.from(0, half));
  arrange_piece(orders.from(half, orders.count - half));
}

// The order of a k-d tree over the chart. The first levels are split sequentially, the pieces then on all threads; the
// result depends on the points alone.
void arrange(std::vector<SortItem>& items, const Threads& threads) {
  std::vector<SortItem> other = items, spares(2 * items.size());
  const Orders all{{items.data(), other.data()}, spares.data(), items.size()};
  threads.for_each(2, [&](std::size_t k) { sort(all.by[k], spares.data() + k * items.size(), items.size(), k); });

  constexpr std::size_t piece = 32 * tile_rays;
  std::vector<Orders> pieces{all};
  for (std::size_t i = 0; i < pieces.size();) {
    const Orders orders = pieces[i];
    if (orders.count <= piece) {
      ++i;
      continue;
    }
    const std::size_t half = halve(orders);
    pieces[i] = orders.from(0, half);
    pieces.push_back(orders.from(half, orders.count - half));
  }
  threads.for_each(pieces.size(), [&](std::size_t i) { arrange_piece(pieces[i]); });
}

// The points in chart coordinates.
std::vector<SortItem> place(const std::vector<std::uint32_t>& points, const std::vector<Ray>& rays) {
  Vec3 sum{0, 0, 0};
  for (const std::uint32_t point : points) sum = sum + rays[point].v;
  const Chart chart(sum);

  std::vector<std::array<double, 2>> at(points.size());
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (std::size_t i = 0; i < points.size(); ++i) {
    at[i] = chart(rays[points[i]].v);
    for (std::size_t k = 0; k < 2; ++k) {
      low[k] = std::min(low[k], at[i][k]);
      high[k] = std::max(high[k], at[i][k]);
    }
  }
  // one unit for both sides, since they are compared
  const double widest = std::max(high[0] - low[0], high[1] - low[1]);
  const double units = widest > 0 ? ((1u << coordinate_bits) - 1) / widest : 0;
  std::vector<SortItem> items(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < 2; ++k)
      items[i].key[k] = static_cast<std::uint64_t>(units * (at[i][k] - low[k])) << 32 | points[i];
  return items;
}

TileBounds bounds_of(const Ray* rays, std::size_t count, bool background, const LikelihoodSettings& settings) {
  Vec3 low = rays[0].v, high = rays[0].v;
  double near = rays[0].delta, far = rays[0].delta;
  float least_scale = rays[0].scale;
  for (std::size_t i = 1; i < count; ++i) {
    low = {std::min(low.x, rays[i].v.x), std::min(low.y, rays[i].v.y), std::min(low.z, rays[i].v.z)};
    high = {std::max(high.x, rays[i].v.x), std::max(high.y, rays[i].v.y), std::max(high.z, rays[i].v.z)};
    near = std::min(near, rays[i].delta);
    far = std::max(far, rays[i].delta);
    least_scale = std::min(least_scale, rays[i].scale);
  }
  // the mean direction; rays all around the camera have none, and any direction is valid
  Vec3 middle = low + high;
  const double length = norm(middle);
  middle = length > 1e-3 ? (1 / length) * middle : rays[0].v;

  TileBounds b;
  b.vx = static_cast<float>(middle.x);
  b.vy = static_cast<float>(middle.y);
  b.vz = static_cast<float>(middle.z);
  double spread2 = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 w = rays[i].v - Vec3{b.vx, b.vy, b.vz};
    spread2 = std::max(spread2, dot(w, w));
  }
  finish_bounds(b, std::sqrt(spread2), near, far, background, settings.association == Association::first_hit,
                settings.tau, settings.tau / least_scale);
  return b;
}

void set_bundle(BundleBounds& bundles_bounds, std::size_t i, const TileBounds& b) {
  bundles_bounds.vx[i] = b.vx;
  bundles_bounds.vy[i] = b.vy;
  bundles_bounds.vz[i] = b.vz;
  bundles_bounds.spread[i] = b.spread;
  bundles_bounds.nearest[i] = b.nearest;
  bundles_bounds.furthest[i] = b.furthest;
}

void fill_tile(RayTile& tile, const Ray* rays, const SortItem* items, std::size_t count, PointsView points,
               bool background, const LikelihoodSettings& settings) {
  tile.count = count;
  tile.bounds = bounds_of(rays, count, background, settings);
  for (std::size_t i = 0; i < tile_rays; ++i) {
    const std::size_t from = std::min(i, count - 1);
    const float* xyz = points.xyz + 3 * std::size_t{items[from].point()};
    tile.x[i] = xyz[0];
    tile.y[i] = xyz[1];
    tile.z[i] = xyz[2];
    tile.wx[i] = static_cast<float>(rays[from].v.x - tile.bounds.vx);
    tile.wy[i] = static_cast<float>(rays[from].v.y - tile.bounds.vy);
    tile.wz[i] = static_cast<float>(rays[from].v.z - tile.bounds.vz);
    tile.scale[i] = rays[from].scale;
    tile.minus_e[i] = static_cast<float>(tile.bounds.depth - rays[from].delta);
  }
  for (std::size_t s = 0; s < tile_subtiles; ++s) {
    // a subtile without rays repeats the last one
    const std::size_t first = std::min(s * subtile_rays, count - 1);
    set_bundle(tile.subtiles, s, bounds_of(rays + first, std::min(subtile_rays, count - first), background, settings));
  }
}

}  // namespace

RayTiles make_ray_tiles(PointsView points, const LikelihoodSettings& settings, const Threads& threads,
                        PointCount& count) {
  std::vector<Ray> all_rays(points.size);
  constexpr std::size_t some = 4096;
  threads.for_each((points.size + some - 1) / some, [&](std::size_t n) {
    for (std::size_t i = n * some; i < std::min((n + 1) * some, points.size); ++i) {
      all_rays[i] = ray_to(points.xyz + 3 * i, settings.camera);
      if (!points.deviation.empty())
        all_rays[i].scale = static_cast<float>(distance_scale(points.deviation[i], settings.sigma));
    }
  });

  // separates foreground and background, drops invalid points
  std::vector<std::uint32_t> parts[2];
  for (std::size_t i = 0; i < points.size; ++i) {
    if (!std::isfinite(all_rays[i].delta) || all_rays[i].delta == 0) continue;
    const bool background = settings.free_space && !points.background.empty() && points.background[i] != 0;
    parts[background].push_back(static_cast<std::uint32_t>(i));
  }
  count.used = parts[0].size() + parts[1].size();
  count.dropped = points.size - count.used;

  RayTiles out;
  for (const bool background : {false, true}) {
    if (parts[background].empty()) continue;
    std::vector<SortItem> items = place(parts[background], all_rays);
    arrange(items, threads);

    const std::size_t first_tile = out.tiles.size(), tiles_here = (items.size() + tile_rays - 1) / tile_rays;
    const std::size_t first_group = out.groups.size(), groups_here = (tiles_here + group_tiles - 1) / group_tiles;
    out.tiles.resize(first_tile + tiles_here);
    out.groups.resize(first_group + groups_here);
    threads.for_each(groups_here, [&](std::size_t g) {
      const std::size_t first_item = g * group_tiles * tile_rays;
      const std::size_t in_group = std::min(group_tiles * tile_rays, items.size() - first_item);
      std::vector<Ray> rays(in_group);
      for (std::size_t i = 0; i < in_group; ++i) rays[i] = all_rays[items[first_item + i].point()];
      RayGroup& group = out.groups[first_group + g];
      set_bundle(group.bounds, 0, bounds_of(rays.data(), in_group, background, settings));
      group.first = first_tile + g * group_tiles;
      group.count = (in_group + tile_rays - 1) / tile_rays;
      group.background = background;
      for (std::size_t t = 0; t < group_tiles; ++t) {
        // a slot without a tile repeats the last one
        const std::size_t begin = std::min(t, group.count - 1) * tile_rays;
        RayTile& tile = out.tiles[group.first + begin / tile_rays];
        if (t < group.count)
          fill_tile(tile, rays.data() + begin, items.data() + first_item + begin, std::min(tile_rays, in_group - begin),
                    points, background, settings);
        set_bundle(group.tiles, t, tile.bounds);
      }
    });
  }
  return out;
}

}  // namespace kinema::body
