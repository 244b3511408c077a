#include "body/foreground/foreground_planes.h"

#include "body/foreground/constants_scene.h"

#include "core/geometry.h"
#include "core/random.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kinema::body {
namespace {

using namespace constants::planes;

constexpr std::uint64_t seed = 0x666c6f6f72;

Vec3 direction(const InverseDepthPlane& plane) {
  const Vec3 n{plane.a, plane.b, plane.c};
  return (1 / norm(n)) * n;
}

// The residual up to which a sample is an inlier of the plane: the noise, and the unevenness along the ray.
double tolerance(const InverseDepthPlane& plane, double w, double noise) {
  return plane_deviations * noise + unevenness * norm(Vec3{plane.a, plane.b, plane.c}) * w;
}

// Fits a block's plane and returns whether it is flat; the noise of the flat ones is estimated from `deviation`.
void close_block(Block& block, std::vector<InverseDepthSample>& samples, std::vector<double>& deviations) {
  if (samples.size() < fewest_block_samples) return;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end(),
                   [](const InverseDepthSample& a, const InverseDepthSample& b) { return a.w < b.w; });
  const float median = middle->w;
  // the range of a block of a tilted plane, and no more: outliers must not tilt it
  const float reach = block_reach + block_reach_share * median;
  for (const InverseDepthSample& sample : samples)
    if (std::abs(sample.w - median) < reach) block.sums.add(sample);
  const double n = block.sums.n;
  block.measured = true;
  block.middle = {static_cast<float>(block.sums.x / n), static_cast<float>(block.sums.y / n), median};
  if (n < block_inliers * static_cast<double>(samples.size())) return;
  const auto plane = block.sums.fit();
  if (!plane) return;
  const PlaneSums& s = block.sums;
  const double rest = s.ww - plane->a * s.xw - plane->b * s.yw - plane->c * s.w;
  const double deviation = std::sqrt(std::max(rest, 0.0) / std::max(n - 3, 1.0));
  block.plane = *plane;
  block.flat = deviation < flat_deviation + flat_deviation_share * median;
  if (block.flat) deviations.push_back(deviation);
}

void learn_noise(DepthBlocks& blocks, std::vector<double>& deviations) {
  if (deviations.size() < fewest_flat_blocks) return;
  const auto middle = deviations.begin() + static_cast<std::ptrdiff_t>(deviations.size() / 2);
  std::nth_element(deviations.begin(), middle, deviations.end());
  blocks.noise = std::clamp(*middle, least_noise, greatest_noise);
}

// Whether a flat block lies in the plane and has its slope.
bool lies_in(const Block& block, const InverseDepthPlane& plane, const Vec3& normal, double noise) {
  const double w = plane.at(block.middle.x, block.middle.y);
  if (!(w > 0) || std::abs(block.middle.w - w) > tolerance(plane, w, noise)) return false;
  return dot(direction(block.plane), normal) > tilt;
}

std::vector<std::size_t> members_of(const DepthBlocks& all, std::span<const std::size_t> free,
                                    const InverseDepthPlane& plane) {
  std::vector<std::size_t> members;
  const Vec3 normal = direction(plane);
  for (const std::size_t i : free)
    if (lies_in(all.blocks[i], plane, normal, all.noise)) members.push_back(i);
  return members;
}

std::optional<InverseDepthPlane> through(const InverseDepthSample& p, const InverseDepthSample& q,
                                         const InverseDepthSample& r) {
  const double ux = q.x - p.x, uy = q.y - p.y, uw = q.w - p.w, vx = r.x - p.x, vy = r.y - p.y, vw = r.w - p.w;
  const double det = ux * vy - uy * vx;
  if (std::abs(det) < 1e-4) return std::nullopt;  // almost collinear
  const double a = (uw * vy - uy * vw) / det, b = (ux * vw - uw * vx) / det;
  return InverseDepthPlane{a, b, p.w - a * p.x - b * p.y};
}

// The plane with the most blocks, of those through three blocks that are not far apart: distant ones seldom lie in the
// same plane. Then fitted to all its inliers.
std::optional<PlaneOfBlocks> search(const DepthBlocks& all, std::span<const std::size_t> free, std::uint32_t round) {
  const auto columns = static_cast<int>(all.grid.columns), rows = static_cast<int>(all.grid.rows);
  std::vector<std::uint8_t> is_free(all.blocks.size());
  for (const std::size_t i : free) is_free[i] = 1;
  const auto sample = [&](std::size_t i) {
    const Block& block = all.blocks[i];
    return InverseDepthSample{block.middle.x, block.middle.y,
                              static_cast<float>(block.plane.at(block.middle.x, block.middle.y))};
  };
  struct Facing {
    InverseDepthSample sample;
    Vec3f normal;
  };
  std::vector<Facing> some;  // blocks by which a plane is scored
  const std::size_t step = std::max<std::size_t>(1, free.size() / judging_blocks);
  for (std::size_t i = 0; i < free.size(); i += step) {
    const Vec3 n = direction(all.blocks[free[i]].plane);
    some.push_back({sample(free[i]), {static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z)}});
  }

  std::size_t most = 0;
  InverseDepthPlane best;
  for (int trial = 0; trial < trials; ++trial) {
    const Philox p = philox(seed, static_cast<std::uint32_t>(trial), round, 0, 0);
    const Philox q = philox(seed, static_cast<std::uint32_t>(trial), round, 1, 0);
    const std::size_t first = free[p.word[0] % free.size()];
    const int reach = least_block_distance + static_cast<int>(p.word[1] % static_cast<unsigned>(block_distance_range));
    const auto near = [&](std::uint32_t dx, std::uint32_t dy) -> std::size_t {
      const auto span = static_cast<std::uint32_t>(2 * reach + 1);
      const int column = static_cast<int>(first % all.grid.columns) + static_cast<int>(dx % span) - reach;
      const int row = static_cast<int>(first / all.grid.columns) + static_cast<int>(dy % span) - reach;
      if (column < 0 || row < 0 || column >= columns || row >= rows) return first;
      const std::size_t i = static_cast<std::size_t>(row) * all.grid.columns + static_cast<std::size_t>(column);
      return is_free[i] ? i : first;
    };
    const std::size_t second = near(p.word[2], p.word[3]), third = near(q.word[0], q.word[1]);
    if (second == first || third == first || second == third) continue;
    const auto plane = through(sample(first), sample(second), sample(third));
    if (!plane || !lies_in(all.blocks[first], *plane, direction(*plane), all.noise)) continue;
    std::size_t count = 0;
    const auto a = static_cast<float>(plane->a), b = static_cast<float>(plane->b), c = static_cast<float>(plane->c);
    const auto slack = static_cast<float>(plane_deviations * all.noise);
    const auto steep = static_cast<float>(unevenness * std::sqrt(a * a + b * b + c * c));
    const float size = std::sqrt(a * a + b * b + c * c);
    for (const auto& [s, n] : some) {
      const float w = a * s.x + b * s.y + c;
      const bool close = std::abs(s.w - w) < slack + steep * w;
      const bool facing = a * n.x + b * n.y + c * n.z > tilt * size;
      count += close && facing ? 1 : 0;
    }
    if (count > most) {
      most = count;
      best = *plane;
    }
  }
  if (most == 0) return std::nullopt;

  PlaneOfBlocks found{best, members_of(all, free, best)};
  for (int i = 0; i < plane_fits; ++i) {
    PlaneSums sums;
    for (const std::size_t m : found.members) sums.add(all.blocks[m].sums);
    const auto plane = sums.fit();
    if (!plane) return std::nullopt;
    found = {*plane, members_of(all, free, *plane)};
  }
  return found;
}

}  // namespace

void PlaneSums::add(const InverseDepthSample& sample) {
  const double sx = sample.x, sy = sample.y, sw = sample.w;
  n += 1;
  x += sx;
  y += sy;
  w += sw;
  xx += sx * sx;
  xy += sx * sy;
  yy += sy * sy;
  xw += sx * sw;
  yw += sy * sw;
  ww += sw * sw;
}

void PlaneSums::add(const PlaneSums& other) {
  n += other.n;
  x += other.x;
  y += other.y;
  w += other.w;
  xx += other.xx;
  xy += other.xy;
  yy += other.yy;
  xw += other.xw;
  yw += other.yw;
  ww += other.ww;
}

std::optional<InverseDepthPlane> PlaneSums::fit() const {
  if (n < 3) return std::nullopt;
  // about the mean, where the normal equations are well conditioned
  const double cxx = xx - x * x / n, cxy = xy - x * y / n, cyy = yy - y * y / n;
  const double cxw = xw - x * w / n, cyw = yw - y * w / n;
  const double det = cxx * cyy - cxy * cxy;
  if (!(det > 1e-6 * cxx * cyy) || !(cxx > 0) || !(cyy > 0)) return std::nullopt;
  const double a = (cxw * cyy - cyw * cxy) / det, b = (cyw * cxx - cxw * cxy) / det;
  return InverseDepthPlane{a, b, (w - a * x - b * y) / n};
}

DepthBlocks make_blocks(ImageView<const float> depth, std::span<const float> x, std::span<const float> y,
                        double nearest, double farthest) {
  DepthBlocks all;
  const std::size_t side = std::max<std::size_t>(8, depth.width / block_columns), step = side / 8;
  all.grid.columns = depth.width / side;
  all.grid.rows = depth.height / side;
  all.blocks.resize(all.grid.columns * all.grid.rows);
  if (all.blocks.empty()) return all;
  all.grid.x_low = x[0] - 0.5f * (x[1] - x[0]);
  all.grid.y_low = y[0] - 0.5f * (y[1] - y[0]);
  all.grid.x_scale = 1 / (static_cast<float>(side) * (x[1] - x[0]));
  all.grid.y_scale = 1 / (static_cast<float>(side) * (y[1] - y[0]));
  std::vector<InverseDepthSample> samples;
  std::vector<double> deviations;
  const auto low = static_cast<float>(nearest), high = static_cast<float>(farthest);
  for (std::size_t row = 0; row < all.grid.rows; ++row) {
    for (std::size_t column = 0; column < all.grid.columns; ++column) {
      samples.clear();
      for (std::size_t v = row * side; v < (row + 1) * side; v += step) {
        for (std::size_t u = column * side; u < (column + 1) * side; u += step) {
          const float z = depth.at(u, v);
          if (z >= low && z <= high) samples.push_back({x[u], y[v], 1 / z});
        }
      }
      Block& block = all.blocks[row * all.grid.columns + column];
      const auto pixels = static_cast<float>(side * side);
      block.area = pixels * (x[column * side + 1] - x[column * side]) * (y[row * side + 1] - y[row * side]);
      if (2 * samples.size() > side * side / (step * step)) close_block(block, samples, deviations);
    }
  }
  learn_noise(all, deviations);
  return all;
}

DepthBlocks make_blocks(std::span<const InverseDepthSample> samples) {
  DepthBlocks all;
  if (samples.size() < fewest_cloud_samples) return all;
  // as many blocks as give each some samples, over the part of the view that contains all but a few samples
  const float widest = widest_cloud;
  std::array<float, 4> range{widest, -widest, widest, -widest};
  for (const InverseDepthSample& s : samples) {
    range[0] = std::min(range[0], std::max(s.x, -widest));
    range[1] = std::max(range[1], std::min(s.x, widest));
    range[2] = std::min(range[2], std::max(s.y, -widest));
    range[3] = std::max(range[3], std::min(s.y, widest));
  }
  const float width = range[1] - range[0], height = range[3] - range[2];
  if (!(width > 0.01f) || !(height > 0.01f)) return all;
  const auto wanted = static_cast<float>(std::clamp(samples.size() / samples_per_block, fewest_blocks, most_blocks));
  const float side = std::sqrt(width * height / wanted);
  all.grid.columns = std::min<std::size_t>(400, static_cast<std::size_t>(width / side) + 1);
  all.grid.rows = std::min<std::size_t>(400, static_cast<std::size_t>(height / side) + 1);
  all.grid.x_low = range[0];
  all.grid.y_low = range[2];
  all.grid.x_scale = all.grid.y_scale = 1 / side;
  all.blocks.resize(all.grid.columns * all.grid.rows);
  std::vector<std::vector<InverseDepthSample>> content(all.blocks.size());
  for (const InverseDepthSample& s : samples) {
    if (std::abs(s.x) > widest || std::abs(s.y) > widest) continue;
    const std::size_t column = std::min(all.grid.columns - 1, static_cast<std::size_t>((s.x - range[0]) / side));
    const std::size_t row = std::min(all.grid.rows - 1, static_cast<std::size_t>((s.y - range[2]) / side));
    content[row * all.grid.columns + column].push_back(s);
  }
  std::vector<double> deviations;
  for (std::size_t i = 0; i < content.size(); ++i) {
    all.blocks[i].area = side * side;
    close_block(all.blocks[i], content[i], deviations);
  }
  learn_noise(all, deviations);
  return all;
}

Surface describe(const DepthBlocks& all, const PlaneOfBlocks& found) {
  Surface surface;
  surface.inverse_depth = found.plane;
  const Vec3 away{found.plane.a, found.plane.b, found.plane.c};
  const Vec3 normal = (-1 / norm(away)) * away;
  surface.plane = {normal, 1 / norm(away), false};

  // unevenness of the blocks adds to the noise within a block
  double uneven = 0;
  for (const std::size_t m : found.members) {
    const Block& block = all.blocks[m];
    const double rest = block.plane.at(block.middle.x, block.middle.y) - found.plane.at(block.middle.x, block.middle.y);
    uneven += rest * rest;
  }
  uneven /= static_cast<double>(std::max<std::size_t>(found.members.size(), 1));
  surface.noise = std::sqrt(all.noise * all.noise + uneven);

  surface.grid = all.grid;
  surface.covered.assign(all.blocks.size() + 1, 0);
  for (const std::size_t m : found.members) {
    const std::size_t column = m % all.grid.columns, row = m / all.grid.columns;
    for (std::size_t r = row > 0 ? row - 1 : 0; r <= std::min(row + 1, all.grid.rows - 1); ++r)
      for (std::size_t c = column > 0 ? column - 1 : 0; c <= std::min(column + 1, all.grid.columns - 1); ++c)
        surface.covered[r * all.grid.columns + c] = 1;
  }
  return surface;
}

double area_of(const DepthBlocks& all, const PlaneOfBlocks& found) {
  double area = 0;
  const double distance = 1 / norm(Vec3{found.plane.a, found.plane.b, found.plane.c});
  for (const std::size_t m : found.members) {
    const Block& block = all.blocks[m];
    // of the plane behind a block of the view: z^2 over the cosine of view and normal
    const double w = found.plane.at(block.middle.x, block.middle.y);
    area += block.area / (w * w * w * distance);
  }
  return area;
}

std::vector<Surface> find_surfaces(const DepthBlocks& all, bool incomplete) {
  std::vector<std::size_t> free;
  std::size_t measured = 0;
  for (std::size_t i = 0; i < all.blocks.size(); ++i) {
    measured += all.blocks[i].measured ? 1 : 0;
    if (all.blocks[i].flat) free.push_back(i);
  }
  const auto fewest =
      static_cast<std::size_t>(smallest_plane_share * static_cast<double>(incomplete ? all.blocks.size() : measured)) +
      3;
  std::vector<Surface> surfaces;
  for (std::uint32_t round = 0; round < static_cast<std::uint32_t>(most_searches) && free.size() >= fewest; ++round) {
    const auto found = search(all, free, round);
    if (!found || found->members.size() < fewest) continue;  // another round draws other blocks
    Surface surface = describe(all, *found);
    std::vector<std::uint8_t> taken(all.blocks.size());
    for (const std::size_t m : found->members) taken[m] = 1;
    std::size_t behind = 0;
    for (const Block& block : all.blocks) {
      if (!block.measured) continue;
      const double w = found->plane.at(block.middle.x, block.middle.y);
      if (w > 0 && block.middle.w < w - 2 * tolerance(found->plane, w, surface.noise)) ++behind;
    }
    surface.bounding = static_cast<double>(behind) < behind_share * static_cast<double>(found->members.size());
    if (area_of(all, *found) > smallest_plane_area) surfaces.push_back(surface);
    std::erase_if(free, [&](std::size_t i) { return taken[i] != 0; });
  }

  // the floor is the most level bounding plane below the camera
  double level = least_level;
  Surface* floor = nullptr;
  for (Surface& surface : surfaces) {
    if (!surface.bounding || -surface.plane.normal.y < level) continue;
    level = -surface.plane.normal.y;
    floor = &surface;
  }
  if (floor) floor->plane.floor = true;
  std::stable_sort(surfaces.begin(), surfaces.end(),
                   [](const Surface& a, const Surface& b) { return a.bounding > b.bounding; });
  return surfaces;
}

SurfaceCount count_in(const Surface& surface, std::span<const InverseDepthSample> samples) {
  std::size_t within = 0, behind = 0;
  const auto a = static_cast<float>(surface.inverse_depth.a), b = static_cast<float>(surface.inverse_depth.b);
  const auto c = static_cast<float>(surface.inverse_depth.c),
             slack = static_cast<float>(constants::scene::scene_deviations * surface.noise);
  for (const InverseDepthSample& s : samples) {
    const float w = a * s.x + b * s.y + c;
    const float rest = s.w - w;
    within += std::abs(rest) < slack ? 1 : 0;
    behind += w > 0 && rest < -2 * slack ? 1 : 0;
  }
  return {within, behind};
}

SurfaceShare share_of(const SurfaceCount& count, std::size_t samples) {
  const auto n = static_cast<double>(std::max<std::size_t>(samples, 1));
  return {static_cast<double>(count.within) / n, static_cast<double>(count.behind) / n};
}

SurfaceShare share_of(const Surface& surface, std::span<const InverseDepthSample> samples) {
  return share_of(count_in(surface, samples), samples.size());
}

}  // namespace kinema::body
