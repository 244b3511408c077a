#include "kinema/foreground.h"

#include "body/foreground_clusters.h"
#include "body/foreground_gate.h"
#include "body/foreground_scene.h"
#include "body/foreground_thinning.h"
#include "kinema/body.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::body {
namespace {

constexpr float touch = 0.06f;  // within this of the expected skin, floor and foot cannot be told apart
constexpr std::size_t cell_margin = 1;
constexpr float widest_view = 3;      // tangent of the angle off the axis up to which points of a cloud are looked at
constexpr float furthest_ray = 1e4f;  // what is measured beyond is no measurement

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

// Points found so far, and the cloud of those that thinning leaves.
struct Harvest {
  std::vector<Vector3f> person, background;

  Cloud cloud(const ForegroundSettings& settings) const {
    Cloud cloud;
    append(cloud, person, person, settings.points, 0);
    // rays spread over the view, whatever they met
    std::vector<Vector3f> directions;
    if (settings.background_points != 0)
      for (const Vector3f& p : background) directions.push_back({p.x / p.z, p.y / p.z, 0});
    append(cloud, background, directions, settings.background_points, 1);
    return cloud;
  }

private:
  // Points with this mark, at most so many, whose places are evenly spread.
  static void append(Cloud& cloud, const std::vector<Vector3f>& points, std::span<const Vector3f> places,
                     std::size_t most, std::uint8_t mark) {
    const bool all = most == 0 || points.size() <= most;
    const std::vector<std::uint32_t> chosen = all ? std::vector<std::uint32_t>{} : thin_evenly(places, most);
    const std::size_t count = all ? points.size() : chosen.size();
    std::size_t at = cloud.xyz.size();
    cloud.xyz.resize(at + 3 * count);
    cloud.background.resize(cloud.background.size() + count, mark);
    for (std::size_t i = 0; i < count; ++i) {
      const Vector3f& p = points[all ? i : chosen[i]];
      cloud.xyz[at++] = p.x;
      cloud.xyz[at++] = p.y;
      cloud.xyz[at++] = p.z;
    }
  }
};

}  // namespace

struct Foreground::State {
  State(const Camera& view, const ForegroundSettings& set) : camera(view), settings(set), scene(view, set) {}

  void check_size(ImageView<const float> depth) const {
    if (camera.width <= 0 || camera.height <= 0)
      throw Error("foreground: a depth image, but the camera has no size; give the camera");
    if (depth.width != static_cast<std::size_t>(camera.width) ||
        depth.height != static_cast<std::size_t>(camera.height) || depth.stride < depth.width || !depth.data)
      throw Error(
          fmt::format("foreground: a depth image of {} x {} pixels, but the camera has {} x {}; they must be the same",
                      depth.width, depth.height, camera.width, camera.height));
  }

  // What stands before floor and walls, a point for every second pixel or so, and of it the likeliest person.
  Gate search(ImageView<const float> depth) {
    std::vector<Vector3f> points;
    Gate::View seen{1e9f, -1e9f, 1e9f, -1e9f};
    const std::size_t step = std::max<std::size_t>(1, depth.width / 320);
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

  Gate choose(std::span<const Vector3f> points, Gate::View seen) {
    Surroundings surroundings;
    surroundings.floor = scene.floor();
    surroundings.seen = seen;
    surroundings.noise = scene.noise();
    if (const Plane* floor = surroundings.floor) surroundings.up = {floor->normal.x, floor->normal.y, floor->normal.z};
    const Pieces found = find_pieces(points, surroundings);
    for (const Piece& piece : found.pieces) candidates.push_back(piece.candidate);
    if (found.pieces.empty()) return {};
    return Gate::around_cells(found.grid, found.pieces.front().cells, cell_margin);
  }

  Gate expect(std::span<const float> expected) const {
    return Gate::around_capsules(expected, static_cast<float>(settings.gate), touch);
  }

  // A measurement that no neighbour shares is a wrong one.
  bool supported(ImageView<const float> depth, std::size_t u, std::size_t v, float z) const {
    const auto noise = static_cast<float>(scene.noise());
    const float slack = 0.03f + 5 * noise * z * z;
    int support = 0;
    for (std::size_t y = v > 0 ? v - 1 : 0; y <= std::min(v + 1, depth.height - 1); ++y)
      for (std::size_t x = u > 0 ? u - 1 : 0; x <= std::min(u + 1, depth.width - 1); ++x)
        if (std::abs(depth.at(x, y) - z) < slack && ++support == 3) return true;  // itself and two
    return false;
  }

  Harvest harvest(ImageView<const float> depth, const Gate& gate) const {
    Harvest found;
    const Gate::View view = gate.view();
    const auto columns = scene.columns(), rows = scene.rows();
    const auto index = [](std::span<const float> axis, float value) {
      return static_cast<std::size_t>(std::lower_bound(axis.begin(), axis.end(), value) - axis.begin());
    };
    const std::size_t left = index(columns, view.x_low), right = index(columns, view.x_high);
    const std::size_t top = index(rows, view.y_low), bottom = index(rows, view.y_high);
    if (left >= right || top >= bottom) return found;

    // about twice as many rays as are wanted, which thinning then spreads
    std::size_t step = 1;
    if (settings.background_points != 0)
      step =
          static_cast<std::size_t>(std::max(1.0, std::sqrt(static_cast<double>((right - left) * (bottom - top)) /
                                                           (2.0 * static_cast<double>(settings.background_points)))));
    const auto low = static_cast<float>(settings.nearest);
    for (std::size_t v = top; v < bottom; ++v) {
      const float* limits = scene.limits(v);
      const float y = rows[v];
      const bool row_of_rays = settings.background && v % step == 0;
      for (std::size_t u = left; u < right; ++u) {
        const float z = depth.at(u, v), x = columns[u];
        if (!(z >= low && z < furthest_ray)) continue;
        const bool ray = row_of_rays && u % step == 0;
        const bool before = z < limits[u];
        if (!before && !ray) continue;
        const Gate::Level level = gate.at(x * z, y * z, z);
        if (before && level != Gate::outside && (level == Gate::touching || !scene.in_flat_thing(x, y, z))) {
          if (supported(depth, u, v, z)) found.person.push_back({x * z, y * z, z});
        } else if (ray && level != Gate::touching && !(before && gate.stands_before(x, y, z))) {
          found.background.push_back({x * z, y * z, z});
        }
      }
    }
    return found;
  }

  Camera camera;
  ForegroundSettings settings;
  Scene scene;
  std::vector<Candidate> candidates;
};

Foreground::Foreground(const Camera& camera, const ForegroundSettings& settings) {
  check(settings);
  check(camera);
  state_ = std::make_unique<State>(camera, settings);
}
Foreground::~Foreground() = default;
Foreground::Foreground(Foreground&&) noexcept = default;
Foreground& Foreground::operator=(Foreground&&) noexcept = default;

void Foreground::set_background(ImageView<const float> depth) {
  state_->check_size(depth);
  state_->scene.set_background(depth);
}

Cloud Foreground::cut(ImageView<const float> depth, std::span<const float> expected) {
  State& state = *state_;
  state.check_size(depth);
  check_expected(expected);
  state.scene.look(depth);
  if (expected.empty()) state.candidates.clear();
  const Gate gate = expected.empty() ? state.search(depth) : state.expect(expected);
  if (gate.empty()) return {};
  return state.harvest(depth, gate).cloud(state.settings);
}

Cloud Foreground::cut(PointsView points, std::span<const float> expected) {
  State& state = *state_;
  check_expected(expected);
  if (!points.background.empty() && points.background.size() != points.size)
    throw Error(fmt::format("foreground: {} points with {} marks of background; give one for each, or none",
                            points.size, points.background.size()));

  // points in the window, and what they are in directions
  std::vector<Vector3f> person, background;
  std::vector<Sight> sights;
  Gate::View seen{1e9f, -1e9f, 1e9f, -1e9f};
  const auto low = static_cast<float>(state.settings.nearest), high = static_cast<float>(state.settings.farthest);
  for (std::size_t i = 0; i < points.size; ++i) {
    const Vector3f p{points.xyz[3 * i], points.xyz[3 * i + 1], points.xyz[3 * i + 2]};
    if (!(p.z >= low && p.z < furthest_ray)) continue;
    const Sight s{p.x / p.z, p.y / p.z, 1 / p.z};
    if (!(std::abs(s.x) <= widest_view && std::abs(s.y) <= widest_view)) continue;
    if (p.z < high) sights.push_back(s);
    seen = {std::min(seen.x_low, s.x), std::max(seen.x_high, s.x), std::min(seen.y_low, s.y),
            std::max(seen.y_high, s.y)};
    (points.background.empty() || points.background[i] == 0 ? person : background).push_back(p);
  }
  state.scene.look(sights);
  std::erase_if(person, [&](const Vector3f& p) { return !(p.z < state.scene.limit(p.x / p.z, p.y / p.z)); });

  Gate gate;
  if (expected.empty()) {
    state.candidates.clear();
    std::vector<Vector3f> free = person;
    std::erase_if(free, [&](const Vector3f& p) { return state.scene.in_flat_thing(p.x / p.z, p.y / p.z, p.z); });
    gate = state.choose(free, seen);
  } else {
    gate = state.expect(expected);
  }
  if (gate.empty()) return {};

  Harvest found;
  for (const Vector3f& p : person) {
    const Gate::Level level = gate.at(p.x, p.y, p.z);
    if (level == Gate::touching || (level == Gate::inside && !state.scene.in_flat_thing(p.x / p.z, p.y / p.z, p.z)))
      found.person.push_back(p);
  }
  const Gate::View view = gate.view();
  for (const Vector3f& p : background) {
    const float x = p.x / p.z, y = p.y / p.z;
    const bool near = x >= view.x_low && x <= view.x_high && y >= view.y_low && y <= view.y_high;
    if (state.settings.background && near && gate.at(p.x, p.y, p.z) != Gate::touching) found.background.push_back(p);
  }
  return found.cloud(state.settings);
}

std::span<const Plane> Foreground::planes() const { return state_->scene.planes(); }

std::span<const Candidate> Foreground::candidates() const { return state_->candidates; }

}  // namespace kinema::body
