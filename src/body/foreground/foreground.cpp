#include "kinema/foreground.h"

#include "body/constants_mechanisms.h"
#include "body/foreground/constants_foreground.h"
#include "body/foreground/foreground_clusters.h"
#include "body/foreground/foreground_exterior.h"
#include "body/foreground/foreground_furniture.h"
#include "body/foreground/foreground_gate.h"
#include "body/foreground/foreground_scene.h"
#include "body/foreground/foreground_thinning.h"
#include "kinema/body.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::body {
namespace {

using namespace constants::gate;
using namespace constants::exterior;

constexpr std::size_t band_rows = 8;  // of the image, in one task
constexpr float furthest_ray = 1e4f;  // measurements beyond are invalid

void check(const ForegroundSettings& s) {
  if (!(s.nearest > 0) || !(s.farthest > s.nearest) || !(s.farthest <= 1000))
    throw Error(fmt::format("foreground: the depth window is {} to {} m; give 0 < nearest < farthest <= 1000",
                            s.nearest, s.farthest));
  if (!(s.gate > 0) || !(s.gate <= 5))
    throw Error(fmt::format("foreground: the gate is {} m; give more than 0 and at most 5", s.gate));
  if (!(s.floor_margin >= 0) || !(s.wall_margin >= 0) || !(s.floor_margin <= 1) || !(s.wall_margin <= 1))
    throw Error(fmt::format("foreground: the margins of floor and wall are {} and {} m; give 0 to 1", s.floor_margin,
                            s.wall_margin));
}

void check(const Camera& camera) {
  if (camera.width == 0 && camera.height == 0) return;  // clouds only
  if (camera.width < 0 || camera.height < 0 || !(camera.fx > 0) || !(camera.fy > 0) || !std::isfinite(camera.fx) ||
      !std::isfinite(camera.fy) || !std::isfinite(camera.cx) || !std::isfinite(camera.cy))
    throw Error(
        fmt::format("foreground: a camera of {} x {} pixels with fx {}, fy {}, cx {}, cy {}; sizes and focal "
                    "lengths must be positive, and all finite",
                    camera.width, camera.height, camera.fx, camera.fy, camera.cx, camera.cy));
}

void check_expected(std::span<const float> expected) {
  if (expected.size() % capsule_floats != 0)
    throw Error(
        fmt::format("foreground: {} floats of expected capsules; give {} for each", expected.size(), capsule_floats));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const bool radius = i % capsule_floats == 3;
    if (!std::isfinite(expected[i]) || (radius && !(expected[i] > 0)))
      throw Error(fmt::format("foreground: expected capsule {} has {} {}; give finite numbers and positive radii",
                              i / capsule_floats, radius ? "the radius" : "the coordinate", expected[i]));
  }
}

// Whether so many points are thinned evenly in space, which takes time. Of the many pixels of a matched pair, whose neighbours
// share their errors, every second does as well.
bool too_many(std::size_t count, std::size_t most, const ForegroundSettings& settings) {
  if (!mechanisms::even_thinning || (settings.incomplete && most >= plenty_of_points)) return false;
  return most != 0 && static_cast<double>(count) > thinning_ratio * static_cast<double>(most);
}

// The points found in one part of the frame. Aligned to cache lines, so that threads that fill two parts do not share
// lines (false sharing).
struct alignas(128) GatedPoints {
  std::vector<Vec3f> person, background;

  void clear() {
    person.clear();
    background.clear();
  }
};

// Joins the points of all parts of a frame; its memory is reused from frame to frame.
class CloudBuilder {
public:
  std::span<GatedPoints> parts(std::size_t count) {
    if (parts_.size() < count) parts_.resize(count);
    used_ = count;
    for (std::size_t i = 0; i < count; ++i) parts_[i].clear();
    return std::span(parts_).first(count);
  }

  // The cloud after thinning.
  void fill(PointCloud& cloud, const ForegroundSettings& settings, const Threads& threads) {
    std::size_t at = 0;
    for (const std::uint8_t mark : {0, 1}) {
      const auto kind = mark == 0 ? &GatedPoints::person : &GatedPoints::background;
      const std::size_t most = mark == 0 ? settings.points : settings.background_points;
      at = put(cloud, at, kind, most, mark, settings, threads);
    }
    cloud.xyz.resize(3 * at);
    cloud.background.resize(at);
  }

private:
  static void grow(PointCloud& cloud, std::size_t count) {
    if (cloud.background.size() >= count) return;
    cloud.xyz.resize(3 * count);
    cloud.background.resize(count);
  }

  // Points with this mark from `at` on, at most `most`, evenly spaced; returns their end.
  std::size_t put(PointCloud& cloud, std::size_t at, std::vector<Vec3f> GatedPoints::*kind, std::size_t most,
                  std::uint8_t mark, const ForegroundSettings& settings, const Threads& threads) {
    first_.assign(1, 0);
    for (std::size_t i = 0; i < used_; ++i) first_.push_back(first_.back() + (parts_[i].*kind).size());
    const std::size_t all = first_.back();
    if (all == 0) return at;
    const auto write = [&](std::size_t i, const Vec3f& p) {
      float* out = cloud.xyz.data() + 3 * (at + i);
      out[0] = p.x, out[1] = p.y, out[2] = p.z;
      cloud.background[at + i] = mark;
    };
    if (too_many(all, most, settings)) {
      const std::vector<Vec3f> points = thinned(kind, most, mark);
      grow(cloud, at + points.size());
      for (std::size_t i = 0; i < points.size(); ++i) write(i, points[i]);
      return at + points.size();
    }
    const std::size_t count = most == 0 ? all : std::min(most, all);
    grow(cloud, at + count);
    threads.for_each(used_, [&](std::size_t part) {
      const std::vector<Vec3f>& points = parts_[part].*kind;
      // the i-th kept point is number i all / count, computed without a division per point
      std::size_t i = (first_[part] * count + all - 1) / all;
      std::size_t number = i * all / count, rest = i * all % count;
      for (; i < count && number < first_[part + 1]; ++i) {
        write(i, points[number - first_[part]]);
        number += 1, rest += all - count;
        if (rest >= count) ++number, rest -= count;
      }
    });
    return at + count;
  }

  std::vector<Vec3f> thinned(std::vector<Vec3f> GatedPoints::*kind, std::size_t most, std::uint8_t mark) const {
    std::vector<Vec3f> points, chosen;
    for (std::size_t i = 0; i < used_; ++i)
      points.insert(points.end(), (parts_[i].*kind).begin(), (parts_[i].*kind).end());
    std::vector<Vec3f> places = points;
    // rays spread evenly over the view, whatever they hit
    if (mark != 0)
      for (Vec3f& p : places) p = {p.x / p.z, p.y / p.z, 0};
    for (const std::uint32_t i : thin_evenly(places, most)) chosen.push_back(points[i]);
    return chosen;
  }

  std::vector<GatedPoints> parts_;
  std::size_t used_ = 0;
  std::vector<std::size_t> first_;  // index of each part's first point
};

}  // namespace

struct Foreground::State {
  State(const Camera& view, const ForegroundSettings& set, int thread_count)
      : camera(view), settings(set), scene(view, set, thread_count), threads(thread_count) {}

  void check_size(ImageView<const float> depth) const {
    if (camera.width <= 0 || camera.height <= 0)
      throw Error("foreground: a depth image, but the camera has no size; give the camera");
    if (depth.width != static_cast<std::size_t>(camera.width) ||
        depth.height != static_cast<std::size_t>(camera.height) || depth.stride < depth.width || !depth.data)
      throw Error(
          fmt::format("foreground: a depth image of {} x {} pixels, but the camera has {} x {}; they must be the same",
                      depth.width, depth.height, camera.width, camera.height));
  }

  // What stands before floor and walls, about one point per two pixels, and of it the likeliest person.
  Gate search(ImageView<const float> depth) {
    std::vector<Vec3f> points;
    Gate::View seen{1e9f, -1e9f, 1e9f, -1e9f};
    const std::size_t step = std::max<std::size_t>(1, depth.width / searched_columns);
    const auto low = static_cast<float>(settings.nearest);
    for (std::size_t v = step / 2; v < depth.height; v += step) {
      const float* limits = scene.limits(v);
      const float y = scene.rows()[v];
      for (std::size_t u = step / 2; u < depth.width; u += step) {
        const float z = depth.at(u, v), x = scene.columns()[u];
        if (!(z >= low && z < furthest_ray)) continue;
        seen = {std::min(seen.x_low, x), std::max(seen.x_high, x), std::min(seen.y_low, y), std::max(seen.y_high, y)};
        if (z < limits[u] && !scene.in_flat_thing(x, y, z)) points.push_back({x * z, y * z, z});
      }
    }
    return choose(points, seen);
  }

  Gate choose(std::span<const Vec3f> points, Gate::View seen) {
    SceneContext context;
    context.floor = scene.floor();
    context.seen = seen;
    context.noise = std::max(scene.noise(), settings.person_noise);
    context.incomplete = settings.incomplete;
    if (const Plane* floor = context.floor) context.up = {floor->normal.x, floor->normal.y, floor->normal.z};
    const Clusters found = find_clusters(points, context);
    for (const Cluster& cluster : found.clusters) candidates.push_back(cluster.candidate);
    if (found.clusters.empty()) return {};
    if (settings.incomplete) {
      grid = found.grid;
      rivals = rivals_of(found, context);
    }
    return Gate::around_cells(found.grid, found.clusters.front().cells, gate_margin);
  }

  Gate expect(std::span<const float> expected) const {
    return Gate::around_capsules(expected, static_cast<float>(settings.gate), touch, threads);
  }

  // Depths that differ by less measure the same thing.
  float depth_slack(float z) const {
    return support_slack +
           support_deviations * static_cast<float>(std::max(scene.noise(), settings.person_noise)) * z * z;
  }

  // A measurement that no neighbour confirms is an outlier.
  bool supported(ImageView<const float> depth, std::size_t u, std::size_t v, float z) const {
    const float slack = depth_slack(z);
    // the horizontal neighbours usually do
    const float* row = &depth.at(0, v);
    if (u > 0 && u + 1 < depth.width && std::abs(row[u - 1] - z) < slack && std::abs(row[u + 1] - z) < slack)
      return true;
    int support = 0;
    for (std::size_t y = v > 0 ? v - 1 : 0; y <= std::min(v + 1, depth.height - 1); ++y)
      for (std::size_t x = u > 0 ? u - 1 : 0; x <= std::min(u + 1, depth.width - 1); ++x)
        if (std::abs(depth.at(x, y) - z) < slack && ++support == support_count) return true;
    return false;
  }

  // Pixels between two sampled rays.
  struct Lattice {
    std::size_t across, down;
  };

  void collect(ImageView<const float> depth, const Gate& gate, bool tracking, PointCloud& cloud) {
    const Gate::View view = gate.view();
    const auto columns = scene.columns(), rows = scene.rows();
    const auto index = [](std::span<const float> axis, float value) {
      return static_cast<std::size_t>(std::lower_bound(axis.begin(), axis.end(), value) - axis.begin());
    };
    const std::size_t left = index(columns, view.x_low), right = index(columns, view.x_high);
    const std::size_t top = index(rows, view.y_low), bottom = index(rows, view.y_high);
    if (left >= right || top >= bottom) {
      cloud = {};
      return;
    }

    // rays on a lattice, 1.5 times as many as wanted, since the person hides some of them
    Lattice lattice{1, 1};
    if (settings.background_points != 0) {
      const double cell = static_cast<double>((right - left) * (bottom - top)) /
                          (thinning_ratio * static_cast<double>(settings.background_points));
      lattice.down = static_cast<std::size_t>(std::max(1.0, std::sqrt(cell)));
      lattice.across = static_cast<std::size_t>(std::max(1.0, std::ceil(cell / static_cast<double>(lattice.down))));
    }
    // in bands, which keep the order of the image
    const std::size_t count = (bottom - top + band_rows - 1) / band_rows;
    const std::span<GatedPoints> parts = builder.parts(count + 1), bands = parts.first(count);
    threads.for_each(bands.size(), [&](std::size_t band) {
      const std::size_t first = top + band * band_rows;
      for (std::size_t v = first; v < std::min(first + band_rows, bottom); ++v)
        harvest_row(depth, gate, v, left, right, lattice, tracking, bands[band]);
    });
    if (settings.background && cut_out(depth, gate)) {
      const auto far = static_cast<float>(settings.farthest);
      exterior.find(depth, static_cast<float>(settings.nearest));
      exterior.for_each(left, right, top, bottom, [&](std::size_t u, std::size_t v) {
        parts.back().background.push_back({columns[u] * far, rows[v] * far, far});
      });
    }
    if (settings.background) look_beyond_border(lattice, parts);
    builder.fill(cloud, settings, threads);
  }

  // A body is connected: one that does not reach a border of the image is not beyond it either. Adds rays past the
  // person there.
  void look_beyond_border(Lattice lattice, std::span<GatedPoints> parts) const {
    const bool rays =
        std::any_of(parts.begin(), parts.end(), [](const GatedPoints& p) { return !p.background.empty(); });
    if (!rays) return;
    const float pixel_across = 1 / static_cast<float>(camera.fx), pixel_down = 1 / static_cast<float>(camera.fy);
    const float margin = border_margin * pixel_across;
    const float x_low = scene.columns().front(), x_high = scene.columns().back();
    const float y_low = scene.rows().front(), y_high = scene.rows().back();
    Gate::View person{x_high, x_low, y_high, y_low};
    for (const GatedPoints& part : parts) {
      for (const Vec3f& p : part.person) {
        const float x = p.x / p.z, y = p.y / p.z;
        person = {std::min(person.x_low, x), std::max(person.x_high, x), std::min(person.y_low, y),
                  std::max(person.y_high, y)};
      }
    }
    if (person.x_low > person.x_high) return;
    const float extent = beyond_border * (person.y_high - person.y_low);
    const float across = static_cast<float>(lattice.across) * pixel_across;
    const float down = static_cast<float>(lattice.down) * pixel_down;
    const auto far = static_cast<float>(settings.farthest);
    const auto add = [&](float x0, float x1, float y0, float y1) {
      const auto steps = [](float length, float step) {
        const float count = length / step;
        return count > 0 && count < 1e4f ? static_cast<std::size_t>(count) + 1 : 0;
      };
      for (std::size_t j = 0; j < steps(y1 - y0, down); ++j) {
        const float y = y0 + static_cast<float>(j) * down;
        for (std::size_t i = 0; i < steps(x1 - x0, across); ++i) {
          const float x = x0 + static_cast<float>(i) * across;
          parts.back().background.push_back({x * far, y * far, far});
        }
      }
    };
    const float x0 = person.x_low - extent, x1 = person.x_high + extent;
    if (person.y_high < y_high - margin && person.y_high > y_high - extent) add(x0, x1, y_high + down, y_high + extent);
    if (person.y_low > y_low + margin && person.y_low < y_low + extent) add(x0, x1, y_low - extent, y_low);
    const float y0 = std::max(person.y_low - extent, y_low), y1 = std::min(person.y_high + extent, y_high);
    if (person.x_high < x_high - margin && person.x_high > x_high - extent)
      add(x_high + across, x_high + extent, y0, y1);
    if (person.x_low > x_low + margin && person.x_low < x_low + extent) add(x_low - extent, x_low, y0, y1);
  }

  bool cut_out(ImageView<const float> depth, const Gate& gate) const {
    if (settings.cut_out != CutOut::automatic) return settings.cut_out == CutOut::yes;
    return scene.planes().empty() &&
           Exterior::person_alone(depth, static_cast<float>(settings.nearest), gate, scene.columns(), scene.rows());
  }

  void harvest_row(ImageView<const float> depth, const Gate& gate, std::size_t v, std::size_t left, std::size_t right,
                   Lattice lattice, bool tracking, GatedPoints& found) {
    const auto low = static_cast<float>(settings.nearest);
    const float* limits = scene.limits(v);
    const float y = scene.rows()[v];
    const auto columns = scene.columns();
    const bool row_of_rays = settings.background && v % lattice.down == 0;
    for (std::size_t u = left; u < right; ++u) {
      const float z = depth.at(u, v), x = columns[u];
      if (!(z >= low && z < furthest_ray)) continue;
      const bool ray = row_of_rays && u % lattice.across == 0;
      const bool before = z < limits[u];
      if (!before && !ray) continue;
      const Gate::Level level = gate.at(x * z, y * z, z);
      bool person = before && level != Gate::outside && (level == Gate::touching || !scene.in_flat_thing(x, y, z));
      const bool stays = mechanisms::furniture && person && tracking &&
                         furniture.look(v * depth.width + u, z, depth_slack(z), level == Gate::touching);
      person = person && !stays;
      if (person) {
        if (supported(depth, u, v, z)) found.person.push_back({x * z, y * z, z});
      } else if (ray && (stays || (level != Gate::touching &&
                                   !(mechanisms::hidden_rays && before && gate.stands_before(x, y, z))))) {
        found.background.push_back({x * z, y * z, z});
      }
    }
  }

  Camera camera;
  ForegroundSettings settings;
  Scene scene;
  Furniture furniture;
  std::vector<Candidate> candidates;
  CellGrid grid;
  std::vector<Cluster> rivals;  // on it
  Threads threads;
  CloudBuilder builder;
  Exterior exterior;
};

Foreground::Foreground(const Camera& camera, const ForegroundSettings& settings, const Compute& compute) {
  check(settings);
  check(camera);
  state_ = std::make_unique<State>(camera, settings, compute.threads);
}
Foreground::~Foreground() = default;
Foreground::Foreground(Foreground&&) noexcept = default;
Foreground& Foreground::operator=(Foreground&&) noexcept = default;

void Foreground::set_points(std::size_t points, std::size_t background_points) {
  state_->settings.points = points;
  state_->settings.background_points = background_points;
}

void Foreground::set_background(ImageView<const float> depth) {
  state_->check_size(depth);
  state_->scene.set_background(depth);
}

PointCloud Foreground::cut(ImageView<const float> depth, std::span<const float> expected) {
  PointCloud cloud;
  cut(depth, expected, cloud);
  return cloud;
}

void Foreground::cut(ImageView<const float> depth, std::span<const float> expected, PointCloud& cloud) {
  State& state = *state_;
  state.check_size(depth);
  check_expected(expected);
  state.scene.look(depth);
  if (expected.empty()) {
    state.candidates.clear();
    state.rivals.clear();
    state.furniture.forget();
  } else {
    state.furniture.prepare(depth.width * depth.height);
  }
  const Gate gate = expected.empty() ? state.search(depth) : state.expect(expected);
  if (gate.empty()) {
    cloud = {};
  } else {
    state.collect(depth, gate, !expected.empty(), cloud);
  }
}

void Foreground::cut_rival(ImageView<const float> depth, std::size_t rival, PointCloud& cloud) {
  State& state = *state_;
  state.check_size(depth);
  state.collect(depth, Gate::around_cells(state.grid, state.rivals.at(rival).cells, gate_margin), false, cloud);
}

PointCloud Foreground::cut(PointsView points, std::span<const float> expected) {
  PointCloud cloud;
  cut(points, expected, cloud);
  return cloud;
}

void Foreground::cut(PointsView points, std::span<const float> expected, PointCloud& cloud) {
  State& state = *state_;
  check_expected(expected);
  if (!points.background.empty() && points.background.size() != points.size)
    throw Error(fmt::format("foreground: {} points with {} marks of background; give one for each, or none",
                            points.size, points.background.size()));

  // points in the window, and their extent in directions
  std::vector<Vec3f> person, background;
  std::vector<InverseDepthSample> samples;
  Gate::View seen{1e9f, -1e9f, 1e9f, -1e9f};
  const auto low = static_cast<float>(state.settings.nearest), high = static_cast<float>(state.settings.farthest);
  for (std::size_t i = 0; i < points.size; ++i) {
    const Vec3f p{points.xyz[3 * i], points.xyz[3 * i + 1], points.xyz[3 * i + 2]};
    if (!(p.z >= low && p.z < furthest_ray)) continue;
    const InverseDepthSample s{p.x / p.z, p.y / p.z, 1 / p.z};
    if (!(std::abs(s.x) <= widest_view && std::abs(s.y) <= widest_view)) continue;
    if (p.z < high) samples.push_back(s);
    seen = {std::min(seen.x_low, s.x), std::max(seen.x_high, s.x), std::min(seen.y_low, s.y),
            std::max(seen.y_high, s.y)};
    (points.background.empty() || points.background[i] == 0 ? person : background).push_back(p);
  }
  state.scene.look(samples);
  std::erase_if(person, [&](const Vec3f& p) { return !(p.z < state.scene.limit(p.x / p.z, p.y / p.z)); });

  Gate gate;
  if (expected.empty()) {
    state.candidates.clear();
    state.rivals.clear();
    std::vector<Vec3f> free = person;
    std::erase_if(free, [&](const Vec3f& p) { return state.scene.in_flat_thing(p.x / p.z, p.y / p.z, p.z); });
    gate = state.choose(free, seen);
  } else {
    gate = state.expect(expected);
  }
  if (gate.empty()) {
    cloud = {};
    return;
  }

  GatedPoints& found = state.builder.parts(1).front();
  for (const Vec3f& p : person) {
    const Gate::Level level = gate.at(p.x, p.y, p.z);
    if (level == Gate::touching || (level == Gate::inside && !state.scene.in_flat_thing(p.x / p.z, p.y / p.z, p.z)))
      found.person.push_back(p);
  }
  const Gate::View view = gate.view();
  for (const Vec3f& p : background) {
    const float x = p.x / p.z, y = p.y / p.z;
    const bool near = x >= view.x_low && x <= view.x_high && y >= view.y_low && y <= view.y_high;
    if (state.settings.background && near && gate.at(p.x, p.y, p.z) != Gate::touching) found.background.push_back(p);
  }
  state.builder.fill(cloud, state.settings, state.threads);
}

std::span<const Plane> Foreground::planes() const { return state_->scene.planes(); }

std::optional<Plane> Foreground::floor() const {
  const Plane* floor = state_->scene.floor();
  return floor ? std::optional(*floor) : std::nullopt;
}

std::span<const Candidate> Foreground::candidates() const { return state_->candidates; }

std::vector<Candidate> Foreground::rivals() const {
  std::vector<Candidate> rivals;
  for (const Cluster& rival : state_->rivals) rivals.push_back(rival.candidate);
  return rivals;
}

}  // namespace kinema::body
