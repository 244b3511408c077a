#include "bench/body/tracker_bench.h"

#include "bench/bench_run.h"
#include "bench/body/pair_problem.h"
#include "kinema/body_filter.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

namespace kinema::bench {
namespace {

constexpr double longest_ms = 8e3;

// The measurements of each backend: the paper's filter and the default one at the paper's number of points, the filter alone
// on points of the person, then with rival hypotheses, then with all that `kinema body track` does between a depth image, or
// a stereo pair, and the pose.
struct Variant {
  body::Association association;
  bool rivals;
  std::string_view input;  // "points", "depth" or "pair"
  std::size_t size = 0;    // an index of the sequence's cameras
  bool paper = false;
};
constexpr std::size_t paper_camera = 2;
constexpr Variant variants[] = {{body::Association::nearest, false, "points", paper_camera, true},
                                {body::Association::first_hit, true, "points", paper_camera},
                                {body::Association::nearest, false, "points"},
                                {body::Association::first_hit, false, "points"},
                                {body::Association::first_hit, true, "points"},
                                {body::Association::first_hit, true, "depth"},
                                {body::Association::first_hit, true, "pair", 0},
                                {body::Association::first_hit, true, "pair", 1}};

// A sequence of frames, in all forms.
struct FrameSequence {
  std::vector<body::Pose> poses;
  std::vector<SeenPerson> points[3];  // of the first and the last camera
  std::vector<DepthImage> images;     // of the first one
  std::vector<PairImages> pairs[2];   // of which each is shown again and again
  Camera cameras[3];
};

// One of the two: the filter on points of the person, or the whole tracker on pictures.
class TimedTracker {
public:
  TimedTracker(const body::TrackerSettings& settings, const Compute& compute, const Variant& variant,
               const FrameSequence& sequence)
      : sequence_(sequence), variant_(variant) {
    if (variant.input != "points") {
      tracker_.emplace(settings, compute);
      tracker_->start(sequence.poses[0]);
    } else {
      filter_ = body::make_filter(settings, compute);
      filter_->start(sequence.poses[0]);
    }
  }

  body::Estimate track(std::size_t frame) {
    const double time = frame_seconds * static_cast<double>(frame);
    if (filter_) return filter_->track({time, sequence_.points[variant_.size][frame].view()});
    const Camera& camera = sequence_.cameras[variant_.size];
    const auto width = static_cast<std::size_t>(camera.width), height = static_cast<std::size_t>(camera.height);
    if (variant_.input == "pair") {
      const std::vector<PairImages>& walk = sequence_.pairs[variant_.size];
      const auto view = [&](const std::vector<std::uint8_t>& picture) {
        return ImageView<const std::uint8_t>{picture.data(), width, height, width};
      };
      const PairImages& pair = walk[frame % walk.size()];
      return tracker_->track(view(pair.left), view(pair.right), time);
    }
    return tracker_->track(ImageView<const float>{sequence_.images[frame].data(), width, height, width}, time);
  }

  /// The points of the last frame.
  PointsView points(std::size_t frame) const {
    return filter_ ? sequence_.points[variant_.size][frame].view() : tracker_->points().view();
  }

private:
  const FrameSequence& sequence_;
  const Variant& variant_;
  std::unique_ptr<body::Filter> filter_;
  std::optional<body::Tracker> tracker_;
};

// Figure 1: at most so many points of the person, in colours of their depth, and the capsules as two circles each.
report::Scenes::Scene scene_of(PointsView points, const std::vector<float>& capsules, const Camera& camera) {
  constexpr std::size_t most = 2500;
  constexpr double nearest = 2, farthest = 3, border = 12;
  report::Scenes::Scene scene;
  scene.title = "Figure 1: a frame of a stereo pair, its points and the skin that was found";
  scene.alternative = "the points of a person in colours of their depth, and the outlines of capsules around them";
  scene.ramp = "depth";
  scene.low = fmt::format("{} m", nearest), scene.high = fmt::format("{} m", farthest);
  double low[2] = {1e9, 1e9}, high[2] = {0, 0};
  const auto seen = [&](double x, double y, double z) {
    const std::array<double, 2> at = {camera.fx * x / z + camera.cx, camera.fy * y / z + camera.cy};
    for (std::size_t i = 0; i < 2; ++i) low[i] = std::min(low[i], at[i]), high[i] = std::max(high[i], at[i]);
    return at;
  };
  std::size_t person = 0;
  for (std::size_t i = 0; i < points.size; ++i)
    person += points.background.empty() || points.background[i] == 0 ? 1 : 0;
  const std::size_t step = std::max<std::size_t>(1, person / most);
  for (std::size_t i = 0, number = 0; i < points.size; ++i) {
    const float* p = points.xyz + 3 * i;
    if ((!points.background.empty() && points.background[i] != 0) || number++ % step != 0) continue;
    const auto at = seen(p[0], p[1], p[2]);
    const double share = std::clamp((p[2] - nearest) / (farthest - nearest), 0.0, 1.0);
    scene.points[static_cast<std::size_t>(std::lround(share * (report::Scenes::levels - 1)))].emplace_back(at[0],
                                                                                                           at[1]);
  }
  for (std::size_t k = 0; k + body::capsule_floats <= capsules.size(); k += body::capsule_floats) {
    const float* c = capsules.data() + k;
    const auto a = seen(c[0], c[1], c[2]), b = seen(c[4], c[5], c[6]);
    scene.outlines.push_back({a[0], a[1], camera.fx * c[3] / c[2], b[0], b[1], camera.fx * c[3] / c[6]});
  }
  scene.left = low[0] - border, scene.top = low[1] - border;
  scene.width = high[0] - low[0] + 2 * border, scene.height = high[1] - low[1] + 2 * border;
  scene.text = fmt::format("{} of the {} points of the person, and {} capsules.", (person + step - 1) / step, person,
                           scene.outlines.size());
  return scene;
}

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

body::TrackerSettings settings_for(const Variant& variant) {
  body::TrackerSettings settings = variant.paper ? body::paper_settings() : body::TrackerSettings();
  settings.fit_shape = false;
  settings.likelihood.association = variant.association;
  if (!variant.rivals) settings.rivals = 0;
  return settings;
}

TrackerRow track(Backend backend, const Variant& variant, int threads, std::uint64_t seed,
                 const FrameSequence& sequence, const body::Skeleton& skeleton) {
  body::TrackerSettings settings = settings_for(variant);
  body::fill_in(settings, backend);
  settings.seed = seed;
  settings.skeleton = skeleton;
  settings.camera = sequence.cameras[variant.size];
  if (variant.input == "pair") settings.baseline = pair_baseline;
  settings.lag = 0;
  TimedTracker contestant(settings, {backend, threads}, variant, sequence);

  TrackerRow row;
  row.backend = std::string(name(backend));
  if (variant.paper) row.filter = "paper";
  row.association = variant.association;
  row.particles = settings.particles;
  row.layers = settings.layers;
  row.refined = settings.refined;
  row.refine_steps = settings.refine_steps;
  row.rivals = settings.rivals;
  row.input = variant.input;
  if (row.input != "points") row.width = settings.camera.width, row.height = settings.camera.height;
  const bool shown = row.input == "pair" && variant.size == 0;
  std::vector<double> wall, person, background;
  std::map<std::string, std::vector<double>> stages;
  std::vector<std::string> order;
  double total = 0, error = 0;
  std::size_t joints = 0;
  for (std::size_t f = 0; f < sequence.poses.size() && (f < 2 * first_frames || total < longest_ms); ++f) {
    const auto start = std::chrono::steady_clock::now();
    const body::Estimate estimate = contestant.track(f);
    const double ms = ms_since(start);
    const PointsView points = contestant.points(f);
    total += ms;
    if (!estimate.found) ++row.lost;
    if (f < first_frames) continue;
    wall.push_back(ms);
    const auto of_person =
        static_cast<double>(std::count(points.background.begin(), points.background.end(), std::uint8_t{0}));
    person.push_back(of_person);
    background.push_back(static_cast<double>(points.size) - of_person);
    for (const StageTime& time : estimate.times) {
      if (stages[time.stage].empty()) order.push_back(time.stage);
      stages[time.stage].push_back(time.ms);
    }
    if (!estimate.found) continue;
    if (shown) row.scene = scene_of(points, body::pose_capsules(skeleton, estimate.pose), settings.camera);
    const std::vector<Vec3> truth = body::joint_positions(skeleton, sequence.poses[f]);
    for (std::size_t j = 0; j < truth.size(); ++j) {
      error += std::hypot(estimate.joints[j].x - truth[j].x, estimate.joints[j].y - truth[j].y,
                          estimate.joints[j].z - truth[j].z);
      ++joints;
    }
  }
  if (row.scene)
    row.scene->text += fmt::format(" {} backend, frame {} of a walk.", row.backend, first_frames + wall.size());
  row.frames = wall.size();
  row.points = static_cast<std::size_t>(quantile(person, 0.5));
  row.background = static_cast<std::size_t>(quantile(background, 0.5));
  row.ms = spread(wall);
  double sum = 0;
  for (double ms : wall) sum += ms;
  row.frames_per_second = sum > 0 ? 1e3 * static_cast<double>(wall.size()) / sum : 0;
  for (const std::string& stage : order) row.stages.push_back({stage, quantile(stages[stage], 0.5)});
  row.joint_error = joints > 0 ? error / static_cast<double>(joints) : 0;
  return row;
}

}  // namespace

std::vector<TrackerRow> measure_tracker(const std::vector<std::string>& backends, int threads, std::uint64_t seed,
                                        std::size_t frames, bool quick,
                                        const std::function<void(const std::string&)>& progress) {
  std::vector<Backend> chosen;
  for (const Backend backend : {Backend::cpu, Backend::cuda})
    if (wanted(backends, name(backend)) && available(backend)) chosen.push_back(backend);
  if (chosen.empty()) return {};

  const body::Skeleton skeleton = body::default_human();
  FrameSequence sequence;
  sequence.cameras[0] = person_camera();
  sequence.cameras[1] = person_camera(1280, 720, 1152);
  sequence.cameras[paper_camera] = person_camera(668, 500, 800);  // about 50,000 points of the person
  for (std::size_t f = 0; f < frames; ++f) {
    const body::Pose pose = walking_pose(skeleton, walk_phase(f));
    sequence.poses.push_back(pose);
    for (const std::size_t at : {std::size_t{0}, paper_camera})
      sequence.points[at].push_back(see_person(skeleton, pose, sequence.cameras[at], 0.005, 5000, seed + f));
    sequence.images.push_back(see_room(skeleton, pose, sequence.cameras[0], 0.005, seed + f));
  }
  for (std::size_t i = 0; i < (quick ? 1 : std::size(sequence.pairs)); ++i)
    sequence.pairs[i] = see_walk(skeleton, sequence.cameras[i], frames, seed);
  std::vector<TrackerRow> rows;
  for (const Backend backend : chosen) {
    if (progress) progress(fmt::format("bench body: the tracker on {}", name(backend)));
    for (const Variant& variant : variants) {
      if (quick && variant.size == 1) continue;
      const bool has_scene =
          std::any_of(rows.begin(), rows.end(), [](const TrackerRow& row) { return row.scene.has_value(); });
      rows.push_back(track(backend, variant, threads, seed, sequence, skeleton));
      if (has_scene) rows.back().scene.reset();
    }
  }
  return rows;
}

}  // namespace kinema::bench
