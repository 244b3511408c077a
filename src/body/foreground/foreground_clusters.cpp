#include "body/foreground/foreground_clusters.h"

#include "body/foreground/constants_foreground.h"
#include "body/foreground/foreground_heads.h"
#include "body/foreground/foreground_planes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kinema::body {
namespace {

using namespace constants::clusters;

// Offsets over the cells of a grid whose border cells are never used, so that every used cell has all its neighbours.
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

bool on_edge_of(const CellGrid& grid, std::size_t cell) {
  const std::size_t x = cell % grid.nx, y = cell / grid.nx % grid.ny, z = cell / (grid.nx * grid.ny);
  return x == 0 || y == 0 || z == 0 || x + 1 == grid.nx || y + 1 == grid.ny || z + 1 == grid.nz;
}

std::size_t moved(std::size_t cell, std::ptrdiff_t step) {
  return static_cast<std::size_t>(static_cast<std::ptrdiff_t>(cell) + step);
}

// 1 from low to high, less outside, with equal values at half of low and at twice high.
double plausible(double value, double low, double high) {
  const double off = value < low ? low / std::max(value, 1e-3) : value / high;
  return off <= 1 ? 1 : 1 / (1 + likeness_falloff * (off - 1) * (off - 1));
}

double level_distance(const Vec3& a, const Vec3& b, const Vec3& up) {
  const Vec3 way{a.x - b.x, a.y - b.y, a.z - b.z};
  return norm(way - dot(way, up) * up);
}

Candidate judge(const CellGrid& grid, std::span<const std::size_t> cells, const SceneContext& scene) {
  constexpr double most = std::numeric_limits<double>::max();
  // horizontal axes: across the view, and along it
  const Vec3 up = scene.up;
  Vec3 across = cross(up, Vec3{0, 0, 1});
  across = norm(across) > 0.1 ? (1 / norm(across)) * across : Vec3{1, 0, 0};
  const Vec3 along = cross(across, up);
  std::array<double, 3> low{most, most, most}, high{-most, -most, -most};
  Vec3 sum{0, 0, 0};
  double above_floor = most;
  int at_border = 0, at_bottom = 0;
  const auto border = border_width * grid.cell;
  for (const std::size_t cell : cells) {
    const Vec3f m = middle_of(grid, cell);
    const Vec3 p{m.x, m.y, m.z};
    sum = sum + p;
    const std::array<double, 3> axes{dot(p, up), dot(p, across), dot(p, along)};
    low[0] = std::min(low[0], axes[0]);
    high[0] = std::max(high[0], axes[0]);
    double above = most;
    if (scene.floor) {
      const Vec3& n = scene.floor->normal;
      above = n.x * p.x + n.y * p.y + n.z * p.z + scene.floor->offset;
      above_floor = std::min(above_floor, above);
    }
    // the noise of the floor around its feet is not the person's
    if (!scene.incomplete || above > floor_noise) {
      for (std::size_t i = 1; i < 3; ++i) {
        low[i] = std::min(low[i], axes[i]);
        high[i] = std::max(high[i], axes[i]);
      }
    }
    if (m.x < scene.seen.x_low * m.z + border || m.x > scene.seen.x_high * m.z - border ||
        m.y < scene.seen.y_low * m.z + border || m.y > scene.seen.y_high * m.z - border)
      ++at_border;
    if (m.y > scene.seen.y_high * m.z - border) ++at_bottom;
  }
  const auto n = static_cast<double>(cells.size());
  Candidate candidate;
  candidate.centre = {sum.x / n, sum.y / n, sum.z / n};
  candidate.height = high[0] - low[0] + grid.cell;
  candidate.width = std::max(0.0, high[1] - low[1]) + grid.cell;
  candidate.depth = std::max(0.0, high[2] - low[2]) + grid.cell;
  // a surface cuts cells at any angle
  candidate.area = n * grid.cell * grid.cell / cells_per_area;
  candidate.cut_off = at_border >= border_cells;

  const bool cut = candidate.cut_off;
  double likeness = plausible(candidate.height, cut ? least_cut_height : least_height, greatest_height) *
                    plausible(candidate.width, least_width, greatest_width) *
                    plausible(candidate.depth, least_depth, greatest_depth) *
                    plausible(candidate.area, cut ? least_cut_area : least_area, greatest_area);
  likeness *= plausible(candidate.height / std::max(candidate.width, candidate.depth),
                        cut ? least_cut_aspect : least_aspect, greatest_aspect);
  // A person who is entirely in the picture stands on the floor. Where much is unknown, pictures on a wall are clusters too: then
  // it stands on the floor unless its feet are out of the picture.
  const bool feet_in_view = scene.incomplete ? at_bottom < border_cells : !cut;
  if (scene.floor && feet_in_view)
    likeness *= plausible(std::max(above_floor, usual_floor_gap), usual_floor_gap, greatest_floor_gap);
  candidate.likeness = likeness;
  return candidate;
}

// Cells with points, except those filled by isolated outliers; 0 elsewhere.
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
    if (on_edge_of(grid, cell)) continue;  // kilometres away, where a float is coarser than the padding
    std::int32_t sum = counts[cell];
    for (std::size_t i = 0; i < steps.size() && sum < solid_points; ++i) sum += counts[moved(cell, steps[i])];
    if (sum >= solid_points) solid.push_back(cell);
  }
  return counts;
}

void label_cells(const Clusters& found, std::vector<std::int32_t>& labels) {
  std::fill(labels.begin(), labels.end(), 0);
  for (std::size_t i = 0; i < found.clusters.size(); ++i)
    for (const std::size_t cell : found.clusters[i].cells) labels[cell] = static_cast<std::int32_t>(i) + 1;
}

// How far the points of each cluster lie from a plane: a cupboard is flat.
void measure_relief(Clusters& found, const std::vector<std::int32_t>& labels, std::span<const Vec3f> points,
                    const SceneContext& scene) {
  std::vector<PlaneSums> sums(found.clusters.size());
  const auto each = [&](const auto& take) {
    for (const Vec3f& p : points) {
      const std::size_t cell = found.grid.find(p.x, p.y, p.z);
      if (cell < found.grid.size() && labels[cell] > 0)
        take(static_cast<std::size_t>(labels[cell] - 1), InverseDepthSample{p.x / p.z, p.y / p.z, 1 / p.z});
    }
  };
  each([&](std::size_t cluster, const InverseDepthSample& sample) { sums[cluster].add(sample); });
  std::vector<std::optional<InverseDepthPlane>> planes;
  for (const PlaneSums& of : sums) planes.push_back(of.fit());
  std::vector<std::vector<double>> away(sums.size());
  each([&](std::size_t cluster, const InverseDepthSample& s) {
    if (planes[cluster]) away[cluster].push_back(std::abs(static_cast<double>(s.w) - planes[cluster]->at(s.x, s.y)));
  });
  for (std::size_t i = 0; i < away.size(); ++i) {
    if (away[i].empty()) continue;
    const auto middle = away[i].begin() + static_cast<std::ptrdiff_t>(away[i].size() / 2);
    std::nth_element(away[i].begin(), middle, away[i].end());
    found.clusters[i].candidate.relief = 1.4826 * *middle / scene.noise;
  }
}

// Merges small clusters within reach of the first one into it.
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
      if (on_edge_of(found.grid, cell)) continue;
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
      const double relief = body.candidate.relief;
      limb = whole.likeness > joined_likeness * body.candidate.likeness;
      if (limb) {
        body.cells = std::move(together);
        body.candidate = whole;
        body.candidate.relief = relief;
      }
    }
    if (!limb) kept.push_back(std::move(cluster));
  }
  found.clusters.resize(1);
  for (Cluster& cluster : kept) found.clusters.push_back(std::move(cluster));
}

// Of two that are alike the nearer.
double rank(const Cluster& cluster, const SceneContext& scene) {
  const Candidate& candidate = cluster.candidate;
  const double relief = scene.incomplete ? std::min(1.0, candidate.relief / least_relief) : 1;
  return relief * candidate.likeness / (1 + nearness * candidate.centre.z);
}

// Brings a cluster to the front, with what belongs to it.
void put_together(Clusters& found, std::size_t body, std::vector<std::int32_t>& labels, const SceneContext& scene) {
  const auto first = found.clusters.begin(), chosen = first + static_cast<std::ptrdiff_t>(body);
  std::rotate(first, chosen, chosen + 1);
  std::size_t before = 0;
  do {
    before = found.clusters.size();
    label_cells(found, labels);
    join_limbs(found, labels, scene);
  } while (scene.incomplete && found.clusters.size() < before);
}

// Whatever is connected, as cells; `labels` is then of the grid's size, and 0.
Clusters connected(std::span<const Vec3f> points, const SceneContext& scene, std::vector<std::int32_t>& labels) {
  Clusters found;
  if (points.empty()) return found;
  Vec3f low = points[0], high = points[0];
  for (const Vec3f& p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const auto bend = static_cast<float>(std::sqrt(static_cast<double>(cell_size) / (cell_deviations * scene.noise)));
  low.z = CellGrid::bent(low.z, bend);
  high.z = CellGrid::bent(high.z, bend);
  // two cells of padding on all sides: neighbours need no test, also where a large box made the cells larger
  const float room = std::max(2 * cell_size, 0.02f * std::max({high.x - low.x, high.y - low.y, high.z - low.z}));
  found.grid = CellGrid::around(low - Vec3f{room, room, room}, high + Vec3f{room, room, room}, cell_size, bend);

  std::vector<std::size_t> solid;
  labels = count_points(found.grid, points, solid);
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
  return found;
}

void sort_by_rank(std::vector<Cluster>& clusters, const SceneContext& scene) {
  std::stable_sort(clusters.begin(), clusters.end(),
                   [&](const Cluster& a, const Cluster& b) { return rank(a, scene) > rank(b, scene); });
}

// Those below the heads of a cluster who are like people; what is below another head belongs to the nearest of them.
std::vector<Cluster> divided(const CellGrid& grid, Cluster cluster, const SceneContext& scene) {
  std::vector<Cluster> people, rest;
  for (std::vector<std::size_t>& part : below_heads(grid, cluster.cells, scene.up)) {
    Cluster one{judge(grid, part, scene), std::move(part)};
    (one.candidate.likeness >= constants::heads::divided_likeness ? people : rest).push_back(std::move(one));
  }
  if (people.size() < 2) return {std::move(cluster)};
  for (const Cluster& part : rest) {
    const auto away = [&](const Cluster& one) {
      return level_distance(one.candidate.centre, part.candidate.centre, scene.up);
    };
    Cluster& nearest = *std::min_element(people.begin(), people.end(),
                                         [&](const Cluster& a, const Cluster& b) { return away(a) < away(b); });
    nearest.cells.insert(nearest.cells.end(), part.cells.begin(), part.cells.end());
  }
  for (Cluster& one : people) one.candidate = judge(grid, one.cells, scene);
  return people;
}

}  // namespace

Vec3f middle_of(const CellGrid& grid, std::size_t cell) {
  const auto at = [&](float low, std::size_t i) { return low + (static_cast<float>(i) + 0.5f) * grid.cell; };
  return {at(grid.low.x, cell % grid.nx), at(grid.low.y, cell / grid.nx % grid.ny),
          grid.straight(at(grid.low.z, cell / (grid.nx * grid.ny)))};
}

Clusters find_clusters(std::span<const Vec3f> points, const SceneContext& scene) {
  std::vector<std::int32_t> labels;
  Clusters found = connected(points, scene, labels);
  if (found.clusters.empty()) return found;
  if (scene.incomplete) {
    label_cells(found, labels);
    measure_relief(found, labels, points, scene);
  }

  sort_by_rank(found.clusters, scene);
  // Where much is unknown, a person lies in pieces, which look like one only together: a knee joins the trunk, a foot the knee.
  const std::size_t bodies = scene.incomplete ? std::min(joined_bodies, found.clusters.size()) : 1;
  const Clusters apart = bodies > 1 ? found : Clusters();
  for (std::size_t body = 0; body < bodies; ++body) {
    Clusters joined = body == 0 ? std::move(found) : apart;
    put_together(joined, body, labels, scene);
    if (body == 0 || rank(joined.clusters.front(), scene) > rank(found.clusters.front(), scene))
      found = std::move(joined);
  }
  std::erase_if(found.clusters, [](const Cluster& cluster) { return cluster.cells.size() < fewest_cells; });
  return found;
}

Clusters find_people(std::span<const Vec3f> points, const SceneContext& scene) {
  std::vector<std::int32_t> labels;
  Clusters rest = connected(points, scene, labels);
  std::vector<Cluster> parts;
  for (Cluster& cluster : rest.clusters)
    for (Cluster& part : divided(rest.grid, std::move(cluster), scene)) parts.push_back(std::move(part));
  rest.clusters = std::move(parts);
  if (!rest.clusters.empty()) {
    label_cells(rest, labels);
    measure_relief(rest, labels, points, scene);
    sort_by_rank(rest.clusters, scene);
  }
  Clusters people{rest.grid, {}};
  while (!rest.clusters.empty() && people.clusters.size() < most_people &&
         rest.clusters.front().candidate.likeness > least_likeness) {
    put_together(rest, 0, labels, scene);
    if (rest.clusters.front().cells.size() >= fewest_cells) people.clusters.push_back(std::move(rest.clusters.front()));
    rest.clusters.erase(rest.clusters.begin());
  }
  return people;
}

std::vector<Cluster> rivals_of(const Clusters& found, const SceneContext& scene) {
  std::vector<Cluster> rivals;
  if (found.clusters.size() < 2) return rivals;
  const double least = rival_rank * rank(found.clusters.front(), scene);
  Clusters rest{found.grid, {found.clusters.begin() + 1, found.clusters.end()}};
  std::vector<std::int32_t> labels(found.grid.size() + 1);
  // each takes its limbs along
  for (std::size_t tried = 0; tried < joined_bodies && !rest.clusters.empty(); ++tried) {
    put_together(rest, 0, labels, scene);
    if (rank(rest.clusters.front(), scene) >= least) rivals.push_back(std::move(rest.clusters.front()));
    rest.clusters.erase(rest.clusters.begin());
  }
  sort_by_rank(rivals, scene);
  if (rivals.size() > most_rivals) rivals.resize(most_rivals);
  return rivals;
}

}  // namespace kinema::body
