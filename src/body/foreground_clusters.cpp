#include "body/foreground_clusters.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kinema::body {
namespace {

constexpr float cell_size = 0.06f;
constexpr std::size_t fewest_cells = 12;  // less is no person
constexpr std::size_t speck_cells = 2;    // more may be a foot
constexpr double joining_gap = 0.25;      // an arm that noise cut off, and the body
constexpr double largest_limb = 0.2;      // square metres; larger clusters are things of their own,
constexpr double stacked = 0.3;           // unless they stand above each other, as trunk and legs do

// Steps over the cells of a grid whose border cells are never used, so that every used cell has all its neighbours.
std::array<std::ptrdiff_t, 26> neighbours(const CellGrid& grid) {
  std::array<std::ptrdiff_t, 26> steps{};
  std::size_t n = 0;
  const auto row = static_cast<std::ptrdiff_t>(grid.nx), layer = static_cast<std::ptrdiff_t>(grid.nx * grid.ny);
  for (std::ptrdiff_t z = -1; z <= 1; ++z)
    for (std::ptrdiff_t y = -1; y <= 1; ++y)
      for (std::ptrdiff_t x = -1; x <= 1; ++x)
        if (x != 0 || y != 0 || z != 0) steps[n++] = z * layer + y * row + x;
  return steps;
}

std::size_t moved(std::size_t cell, std::ptrdiff_t step) {
  return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + step);
}

Vec3f middle_of(const CellGrid& grid, std::size_t cell) {
  const auto at = [&](float low, std::size_t i) { return low + (static_cast<float>(i) + 0.5f) * grid.cell; };
  return {at(grid.low.x, cell % grid.nx), at(grid.low.y, cell / grid.nx % grid.ny),
          grid.straight(at(grid.low.z, cell / (grid.nx * grid.ny)))};
}

// 1 from low to high, and less outside: half at half of low, half at twice high, and so on.
double plausible(double value, double low, double high) {
  const double off = value < low ? low / std::max(value, 1e-3) : value / high;
  return off <= 1 ? 1 : 1 / (1 + 2 * (off - 1) * (off - 1));
}

double level_distance(const Vec3& a, const Vec3& b, const Vec3& up) {
  const Vec3 way{a.x - b.x, a.y - b.y, a.z - b.z};
  return norm(way - dot(way, up) * up);
}

Candidate judge(const CellGrid& grid, std::span<const std::size_t> cells, const SceneContext& scene) {
  constexpr double most = std::numeric_limits<double>::max();
  // level axes: across the view, and along it
  const Vec3 up = scene.up;
  Vec3 across = cross(up, Vec3{0, 0, 1});
  across = norm(across) > 0.1 ? (1 / norm(across)) * across : Vec3{1, 0, 0};
  const Vec3 along = cross(across, up);
  std::array<double, 3> low{most, most, most}, high{-most, -most, -most};
  Vec3 sum{0, 0, 0};
  double above_floor = most;
  std::size_t at_border = 0;
  const auto border = 0.6f * grid.cell;
  for (const std::size_t cell : cells) {
    const Vec3f m = middle_of(grid, cell);
    const Vec3 p{m.x, m.y, m.z};
    sum = sum + p;
    const std::array<double, 3> axes{dot(p, up), dot(p, across), dot(p, along)};
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], axes[i]);
      high[i] = std::max(high[i], axes[i]);
    }
    if (scene.floor) {
      const Vec3& n = scene.floor->normal;
      above_floor = std::min(above_floor, n.x * p.x + n.y * p.y + n.z * p.z + scene.floor->offset);
    }
    if (m.x < scene.seen.x_low * m.z + border || m.x > scene.seen.x_high * m.z - border ||
        m.y < scene.seen.y_low * m.z + border || m.y > scene.seen.y_high * m.z - border)
      ++at_border;
  }
  const auto n = static_cast<double>(cells.size());
  Candidate candidate;
  candidate.centre = {sum.x / n, sum.y / n, sum.z / n};
  candidate.height = high[0] - low[0] + grid.cell;
  candidate.width = high[1] - low[1] + grid.cell;
  candidate.depth = high[2] - low[2] + grid.cell;
  // a surface that cuts cells at any angle touches some 1.6 for each cell's worth of area
  candidate.area = n * grid.cell * grid.cell / 1.6;
  candidate.cut_off = at_border >= 3;

  const double whole = candidate.cut_off ? 0.5 : 1.2;
  double likeness = plausible(candidate.height, whole, 2.1) * plausible(candidate.width, 0.3, 1.3) *
                    plausible(candidate.depth, 0.1, 1.2) *
                    plausible(candidate.area, candidate.cut_off ? 0.2 : 0.3, 1.2);
  likeness *=
      plausible(candidate.height / std::max(candidate.width, candidate.depth), candidate.cut_off ? 0.7 : 1.2, 10);
  // who is all in the picture stands on the floor
  if (scene.floor && !candidate.cut_off) likeness *= plausible(std::max(above_floor, 0.1), 0.1, 0.3);
  candidate.likeness = likeness;
  return candidate;
}

// Cells with points, less those that single wrong depths fill; 0 elsewhere.
std::vector<std::int32_t> count_points(const CellGrid& grid, std::span<const Vec3f> points,
                                       std::vector<std::size_t>& solid) {
  std::vector<std::int32_t> counts(grid.size() + 1);
  std::vector<std::size_t> used;
  for (const Vec3f& p : points) {
    const std::size_t cell = grid.find(p.x, p.y, p.z);
    if (cell < grid.size() && counts[cell]++ == 0) used.push_back(cell);
  }
  std::sort(used.begin(), used.end());
  const auto steps = neighbours(grid);
  for (const std::size_t cell : used) {
    std::int32_t sum = counts[cell];
    for (std::size_t i = 0; i < steps.size() && sum < 4; ++i) sum += counts[moved(cell, steps[i])];
    if (sum >= 4) solid.push_back(cell);
  }
  return counts;
}

// Small clusters within reach of the likeliest become part of it.
void join_limbs(Clusters& found, std::vector<std::int32_t>& labels, const SceneContext& scene) {
  const auto steps = neighbours(found.grid);
  const auto reach = static_cast<int>(joining_gap / static_cast<double>(found.grid.cell));
  Cluster& body = found.clusters.front();
  constexpr std::int32_t seen = -1;
  std::vector<std::uint8_t> joins(found.clusters.size());
  std::vector<std::size_t> edge = body.cells, next;
  for (const std::size_t cell : edge) labels[cell] = seen;
  for (int ring = 0; ring < reach; ++ring) {
    next.clear();
    for (const std::size_t cell : edge) {
      const std::size_t x = cell % found.grid.nx, y = cell / found.grid.nx % found.grid.ny,
                        z = cell / (found.grid.nx * found.grid.ny);
      if (x == 0 || y == 0 || z == 0 || x + 1 == found.grid.nx || y + 1 == found.grid.ny || z + 1 == found.grid.nz)
        continue;
      for (const std::ptrdiff_t step : steps) {
        std::int32_t& label = labels[moved(cell, step)];
        if (label == seen) continue;
        if (label > 0) joins[static_cast<std::size_t>(label - 1)] = 1;
        label = seen;
        next.push_back(moved(cell, step));
      }
    }
    edge.swap(next);
  }
  std::vector<Cluster> kept;
  for (std::size_t i = 1; i < found.clusters.size(); ++i) {
    Cluster& cluster = found.clusters[i];
    bool limb = joins[i] != 0 && cluster.candidate.area < body.candidate.area &&
                (cluster.candidate.area < largest_limb ||
                 level_distance(cluster.candidate.centre, body.candidate.centre, scene.up) < stacked);
    if (limb) {
      std::vector<std::size_t> together = body.cells;
      together.insert(together.end(), cluster.cells.begin(), cluster.cells.end());
      const Candidate whole = judge(found.grid, together, scene);
      limb = whole.likeness > 0.8 * body.candidate.likeness;
      if (limb) {
        body.cells = std::move(together);
        body.candidate = whole;
      }
    }
    if (!limb) kept.push_back(std::move(cluster));
  }
  found.clusters.resize(1);
  for (Cluster& cluster : kept) found.clusters.push_back(std::move(cluster));
}

}  // namespace

Clusters find_clusters(std::span<const Vec3f> points, const SceneContext& scene) {
  Clusters found;
  if (points.empty()) return found;
  Vec3f low = points[0], high = points[0];
  for (const Vec3f& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const auto bend = static_cast<float>(std::sqrt(static_cast<double>(cell_size) / (3 * scene.noise)));
  low.z = CellGrid::bent(low.z, bend);
  high.z = CellGrid::bent(high.z, bend);
  // two cells of room on all sides: neighbours need no test, also where a large box made the cells larger
  const float room = std::max(2 * cell_size, 0.02f * std::max({high.x - low.x, high.y - low.y, high.z - low.z}));
  found.grid = CellGrid::around(low - Vec3f{room, room, room}, high + Vec3f{room, room, room}, cell_size, bend);

  std::vector<std::size_t> solid;
  std::vector<std::int32_t> labels = count_points(found.grid, points, solid);
  std::fill(labels.begin(), labels.end(), 0);
  for (const std::size_t cell : solid) labels[cell] = -2;  // not yet in a cluster
  const auto steps = neighbours(found.grid);
  std::vector<std::size_t> cells;
  for (const std::size_t first : solid) {
    if (labels[first] != -2) continue;
    cells.assign(1, first);
    labels[first] = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t cell = cells[i];
      for (const std::ptrdiff_t step : steps) {
        std::int32_t& label = labels[moved(cell, step)];
        if (label != -2) continue;
        label = 0;
        cells.push_back(moved(cell, step));
      }
    }
    if (cells.size() > speck_cells) found.clusters.push_back({judge(found.grid, cells, scene), cells});
  }
  if (found.clusters.empty()) return found;

  // of two alike the nearer
  const auto rank = [](const Cluster& cluster) {
    return cluster.candidate.likeness / (1 + 0.1 * cluster.candidate.centre.z);
  };
  std::stable_sort(found.clusters.begin(), found.clusters.end(),
                   [&](const Cluster& a, const Cluster& b) { return rank(a) > rank(b); });
  for (std::size_t i = 0; i < found.clusters.size(); ++i)
    for (const std::size_t cell : found.clusters[i].cells) labels[cell] = static_cast<std::int32_t>(i) + 1;
  join_limbs(found, labels, scene);
  std::erase_if(found.clusters, [](const Cluster& cluster) { return cluster.cells.size() < fewest_cells; });
  return found;
}

}  // namespace kinema::body
