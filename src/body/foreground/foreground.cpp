#include "kinema/foreground.h"

#include "body/constants_mechanisms.h"
#include "body/foreground/constants_foreground.h"
#include "body/foreground/foreground_cloud.h"
#include "body/foreground/foreground_clusters.h"
#include "body/foreground/foreground_exterior.h"
#include "body/foreground/foreground_furniture.h"
#include "body/foreground/foreground_gate.h"
#include "body/foreground/foreground_people.h"
#include "body/foreground/foreground_scene.h"
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
constexpr Gate::View nothing_seen{1e9f, -1e9f, 1e9f, -1e9f};

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

  // What stands before floor and walls and nobody explains, about one point per two pixels.
  std::vector<Vec3f> standing(ImageView<const float> depth, const ExpectedPeople& explained) {
    std::vector<Vec3f> points;
    seen = nothing_seen;
    const std::size_t step = std::max<std::size_t>(1, depth.width / searched_columns);
    const auto low = static_cast<float>(settings.nearest);
    for (std::size_t v = step / 2; v < depth.height; v += step) {
      const float* limits = scene.limits(v);
      const float y = scene.rows()[v];
      for (std::size_t u = step / 2; u < depth.width; u += step) {
        const float z = depth.at(u, v), x = scene.columns()[u];
        if (!(z >= low && z < furthest_ray)) continue;
        seen = {std::min(seen.x_low, x), std::max(seen.x_high, x), std::min(seen.y_low, y), std::max(seen.y_high, y)};
        if (z < limits[u] && !scene.in_flat_thing(x, y, z) && !explained.explain({x * z, y * z, z}))
          points.push_back({x * z, y * z, z});
      }
    }
    return points;
  }

  SceneContext context() const {
    SceneContext context;
    context.floor = scene.floor();
    context.seen = seen;
    context.noise = std::max(scene.noise(), settings.person_noise);
    context.incomplete = settings.incomplete;
    if (const Plane* floor = context.floor) context.up = {floor->normal.x, floor->normal.y, floor->normal.z};
    return context;
  }

  // The likeliest person.
  Gate choose(std::span<const Vec3f> points) {
    const SceneContext scene_now = context();
    const Clusters found = find_clusters(points, scene_now);
    for (const Cluster& cluster : found.clusters) candidates.push_back(cluster.candidate);
    if (found.clusters.empty()) return {};
    if (settings.incomplete) {
      grid = found.grid;
      rivals = rivals_of(found, scene_now);
    }
    return Gate::around_cells(found.grid, found.clusters.front().cells, gate_margin);
  }

  // Everybody besides those who are followed.
  void choose_others(std::span<const Vec3f> points) {
    const Clusters found = find_people(points, context());
    candidates.clear();
    others.clear();
    for (const Cluster& cluster : found.clusters) {
      candidates.push_back(cluster.candidate);
      others.push_back(Gate::around_cells(found.grid, cluster.cells, gate_margin));
    }
  }

  void expect(std::span<const ExpectedPerson> expected) {
    for (const ExpectedPerson& person : expected) check_expected(person.capsules);
    people = ExpectedPeople(expected, static_cast<float>(settings.gate), touch, threads);
    others.clear();
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

  // Whose points are collected: those in the gate that are no one else's.
  struct Division {
    const Gate& gate;
    bool tracking;
    const ExpectedPeople* people = nullptr;  // all who are followed; null: nobody else is
    std::optional<std::size_t> self = {};    // among them

    bool others_have(Vec3f p) const {
      return people != nullptr && (self ? people->others_have(*self, p) : people->explain(p));
    }
  };

  void collect(ImageView<const float> depth, const Division& part, PointCloud& cloud) {
    const Gate& gate = part.gate;
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
    RayLattice lattice{1, 1};
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
        harvest_row(depth, v, left, right, lattice, part, bands[band]);
    });
    if (settings.background && cut_out(depth, part)) {
      const auto far = static_cast<float>(settings.farthest);
      exterior.find(depth, static_cast<float>(settings.nearest));
      exterior.for_each(left, right, top, bottom, [&](std::size_t u, std::size_t v) {
        parts.back().background.push_back({columns[u] * far, rows[v] * far, far});
      });
    }
    if (settings.background)
      look_beyond_border(camera, columns, rows, static_cast<float>(settings.farthest), lattice, parts);
    if (settings.incomplete) {
      const float end = gate.end() + ray_end;
      for (GatedPoints& of_part : parts)
        for (Vec3f& p : of_part.background) p = std::min(1.0f, end / p.z) * p;
    }
    builder.fill(cloud, settings, threads);
  }

  bool cut_out(ImageView<const float> depth, const Division& part) const {
    if (settings.cut_out != CutOut::automatic) return settings.cut_out == CutOut::yes;
    if (!scene.planes().empty()) return false;
    const auto of_people = [&](Vec3f p) {
      const auto has = [&](const Gate& gate) { return gate.at(p.x, p.y, p.z) != Gate::outside; };
      return has(part.gate) ||
             (part.people != nullptr && (std::any_of(others.begin(), others.end(), has) ||
                                         std::any_of(part.people->gates().begin(), part.people->gates().end(), has)));
    };
    return Exterior::people_alone(depth, static_cast<float>(settings.nearest), of_people, scene.columns(),
                                  scene.rows());
  }

  void harvest_row(ImageView<const float> depth, std::size_t v, std::size_t left, std::size_t right, RayLattice lattice,
                   const Division& part, GatedPoints& found) {
    const Gate& gate = part.gate;
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
      person = person && !part.others_have({x * z, y * z, z});
      const bool stays = mechanisms::furniture && person && part.tracking &&
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

  // The points of a cloud in the window, and their extent in directions.
  void take(PointsView points) {
    if (!points.background.empty() && points.background.size() != points.size)
      throw Error(fmt::format("foreground: {} points with {} marks of background; give one for each, or none",
                              points.size, points.background.size()));
    person_points.clear();
    background_points.clear();
    std::vector<InverseDepthSample> samples;
    seen = nothing_seen;
    const auto low = static_cast<float>(settings.nearest), high = static_cast<float>(settings.farthest);
    for (std::size_t i = 0; i < points.size; ++i) {
      const Vec3f p{points.xyz[3 * i], points.xyz[3 * i + 1], points.xyz[3 * i + 2]};
      if (!(p.z >= low && p.z < furthest_ray)) continue;
      const InverseDepthSample s{p.x / p.z, p.y / p.z, 1 / p.z};
      if (!(std::abs(s.x) <= widest_view && std::abs(s.y) <= widest_view)) continue;
      if (p.z < high) samples.push_back(s);
      seen = {std::min(seen.x_low, s.x), std::max(seen.x_high, s.x), std::min(seen.y_low, s.y),
              std::max(seen.y_high, s.y)};
      (points.background.empty() || points.background[i] == 0 ? person_points : background_points).push_back(p);
    }
    scene.look(samples);
    std::erase_if(person_points, [&](const Vec3f& p) { return !(p.z < scene.limit(p.x / p.z, p.y / p.z)); });
  }

  std::vector<Vec3f> standing(const ExpectedPeople& explained) const {
    std::vector<Vec3f> free = person_points;
    std::erase_if(
        free, [&](const Vec3f& p) { return scene.in_flat_thing(p.x / p.z, p.y / p.z, p.z) || explained.explain(p); });
    return free;
  }

  // Of the points of a cloud.
  void collect(const Division& part, PointCloud& cloud) {
    const Gate& gate = part.gate;
    GatedPoints& found = builder.parts(1).front();
    const Gate::View view = gate.view();
    const auto see_past = [&](const Vec3f& p) {
      const float x = p.x / p.z, y = p.y / p.z;
      const bool near = x >= view.x_low && x <= view.x_high && y >= view.y_low && y <= view.y_high;
      if (settings.background && near && gate.at(p.x, p.y, p.z) != Gate::touching) found.background.push_back(p);
    };
    for (const Vec3f& p : person_points) {
      const Gate::Level level = gate.at(p.x, p.y, p.z);
      const bool inside =
          level == Gate::touching || (level == Gate::inside && !scene.in_flat_thing(p.x / p.z, p.y / p.z, p.z));
      if (inside && !part.others_have(p))
        found.person.push_back(p);
      else if (inside)
        see_past(p);
    }
    for (const Vec3f& p : background_points) see_past(p);
    builder.fill(cloud, settings, threads);
  }

  Camera camera;
  ForegroundSettings settings;
  Scene scene;
  Furniture furniture;
  std::vector<Candidate> candidates;
  CellGrid grid;
  std::vector<Cluster> rivals;                          // on it
  ExpectedPeople people;                                // of the last frame, where several are followed
  std::vector<Gate> others;                             // who were found besides them
  std::vector<Vec3f> person_points, background_points;  // of the last cloud
  Gate::View seen = nothing_seen;                       // by it
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
  Gate gate;
  if (expected.empty()) {
    gate = state.choose(state.standing(depth, {}));
  } else {
    gate = state.expect(expected);
  }
  if (gate.empty()) {
    cloud = {};
  } else {
    state.collect(depth, {gate, !expected.empty()}, cloud);
  }
}

void Foreground::cut(ImageView<const float> depth, std::span<const ExpectedPerson> people,
                     std::vector<PointCloud>& clouds) {
  State& state = *state_;
  state.check_size(depth);
  state.scene.look(depth, true);
  // somebody new may have stood there for long
  if (people.size() > state.people.gates().size() ||
      !std::all_of(people.begin(), people.end(), [&](const auto& person) { return state.people.has(person.who); }))
    state.furniture.forget();
  state.furniture.prepare(depth.width * depth.height);
  state.expect(people);
  clouds.resize(people.size());
  for (std::size_t i = 0; i < people.size(); ++i)
    state.collect(depth, {state.people.gates()[i], true, &state.people, i}, clouds[i]);
}

void Foreground::find_others(ImageView<const float> depth) {
  State& state = *state_;
  state.check_size(depth);
  state.choose_others(state.standing(depth, state.people));
}

void Foreground::cut_other(ImageView<const float> depth, std::size_t candidate, PointCloud& cloud) {
  State& state = *state_;
  state.check_size(depth);
  state.collect(depth, {state.others.at(candidate), false, &state.people}, cloud);
}

void Foreground::cut_rival(ImageView<const float> depth, std::size_t rival, PointCloud& cloud) {
  State& state = *state_;
  state.check_size(depth);
  state.collect(depth, {Gate::around_cells(state.grid, state.rivals.at(rival).cells, gate_margin), false}, cloud);
}

PointCloud Foreground::cut(PointsView points, std::span<const float> expected) {
  PointCloud cloud;
  cut(points, expected, cloud);
  return cloud;
}

void Foreground::cut(PointsView points, std::span<const float> expected, PointCloud& cloud) {
  State& state = *state_;
  check_expected(expected);
  state.take(points);
  Gate gate;
  if (expected.empty()) {
    state.candidates.clear();
    state.rivals.clear();
    gate = state.choose(state.standing({}));
  } else {
    gate = state.expect(expected);
  }
  if (gate.empty()) {
    cloud = {};
  } else {
    state.collect({gate, !expected.empty()}, cloud);
  }
}

void Foreground::cut(PointsView points, std::span<const ExpectedPerson> people, std::vector<PointCloud>& clouds) {
  State& state = *state_;
  state.take(points);
  state.expect(people);
  clouds.resize(people.size());
  for (std::size_t i = 0; i < people.size(); ++i)
    state.collect({state.people.gates()[i], true, &state.people, i}, clouds[i]);
}

void Foreground::find_others(PointsView) { state_->choose_others(state_->standing(state_->people)); }

void Foreground::cut_other(PointsView, std::size_t candidate, PointCloud& cloud) {
  state_->collect({state_->others.at(candidate), false, &state_->people}, cloud);
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
