// The pipeline of the body tracker: segment the person, track it, predict its gate in the next frame, smooth; and keep up
// with a live source.
#include "kinema/body_tracker.h"

#include "body/constants.h"
#include "body/constants_mechanisms.h"
#include "body/smoothing/smoothing_thread.h"
#include "body/smoothing/steady_pose.h"
#include "body/tracker/constants_pairs.h"
#include "body/tracker/face_evidence.h"
#include "body/tracker/pace.h"
#include "body/tracker/pair_depth.h"
#include "core/stopwatch.h"
#include "kinema/body_filter.h"
#include "kinema/error.h"
#include "kinema/files.h"
#include "kinema/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

namespace kinema::body {
namespace {

bool nobody_in(const PointCloud& cloud) {
  const auto points = std::count(cloud.background.begin(), cloud.background.end(), 0);
  return static_cast<std::size_t>(points) < constants::pipeline::fewest_person_points;
}

// Settings that the caller left open, and derived ones.
TrackerSettings complete(TrackerSettings settings, Backend backend) {
  fill_in(settings, backend);
  settings.foreground.points = settings.points;
  settings.foreground.background_points = settings.background_points;
  if (settings.baseline > 0) {
    const double product = settings.camera.fx * settings.baseline;  // of a disparity and its depth
    if (settings.shared_noise == 0) settings.shared_noise = constants::pipeline::shared_disparity / product;
    settings.foreground.incomplete = true;
    settings.foreground.person_noise = constants::pairs::person_disparity / product;
  }
  return settings;
}

}  // namespace

struct Tracker::State {
  State(const TrackerSettings& given, const Compute& wanted)
      : compute(choose(wanted)),
        fixed_particles(given.particles > 0),
        fixed_points(given.points > 0),
        settings(complete(given, compute.backend)),
        foreground(settings.camera, settings.foreground, compute),
        filter(make_filter(settings, compute)) {
    if (settings.rest_cutoff != 0) steady.emplace(settings.rest_cutoff);
    if (settings.lag > 0) smoothing.emplace(settings, settings.lag, compute);
  }

  // The estimate that `work` makes of a frame before which the source dropped `late` others.
  template <class Work>
  Estimate timed(std::size_t late, Work&& work) {
    const Stopwatch watch;
    Estimate estimate = work();
    const double ms = std::exchange(faces_ms, 0) + watch.ms();
    if (pace) keep_pace(estimate, ms, late);
    return estimate;
  }

  void keep_pace(const Estimate& estimate, double ms, std::size_t late) {
    // in the first frame with a person, somebody was searched for, who is now found
    const bool first = !std::exchange(found, estimate.found);
    const bool other = first || !estimate.found || estimate.shape_fitted;
    const Pace::Kind kind = other ? Pace::Kind::other : estimate.searched ? Pace::Kind::searched : Pace::Kind::usual;
    if (const auto counts = pace->add(estimate.time, ms, kind, late)) use(*counts);
  }

  void use(const PaceCounts& counts) {
    const std::size_t before = std::exchange(settings.particles, counts.particles);
    settings.points = counts.points;
    settings.background_points = 0;
    settings = complete(settings, compute.backend);
    if (settings.particles != before) filter->set_particles(settings.particles);
    search_rest = counts.search_rest;
    filter->set_search_rest(search_rest);
    foreground.set_points(settings.points, settings.background_points);
  }

  Estimate track(const io::Frame& frame) {
    if (!frame.gap.empty()) return skip(frame.index, frame.time, frame.gap);
    if (const io::GreyPair& pair = frame.pair; !pair.empty())
      return track(pair.view(pair.left), pair.view(pair.right), pair.seen.get(), frame.index, frame.time);
    if (frame.depth.empty())
      return track(PointsView{frame.points.data(), frame.points.size() / 3, {}}, frame.index, frame.time);
    const auto width = static_cast<std::size_t>(settings.camera.width);
    if (width == 0 || frame.depth.size() != width * static_cast<std::size_t>(settings.camera.height)) {
      throw Error(fmt::format("a depth image of {} pixels does not fit the camera's {} x {}", frame.depth.size(),
                              settings.camera.width, settings.camera.height));
    }
    return track(ImageView<const float>{frame.depth.data(), width, frame.depth.size() / width, width}, frame.index,
                 frame.time);
  }

  template <class Seen>
  Estimate track(const Seen& seen, std::int64_t frame, double time) {
    Stopwatch watch;
    foreground.cut(seen, expected, cloud);
    // nobody in the gate: search the whole frame
    if (mechanisms::whole_frame_again && nobody_in(cloud) && !expected.empty()) foreground.cut(seen, {}, cloud);
    return follow(frame, time, {{"foreground", watch.lap()}});
  }

  Estimate track(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right,
                 const io::GreyPair::Seen* seen, std::int64_t frame, double time) {
    if (!pairs) {
      pairs.emplace(settings, compute);
      if (pairs->camera().width != settings.camera.width)
        foreground = Foreground(pairs->camera(), settings.foreground, compute);
    }
    double matching = 0, cutting = 0;
    Stopwatch watch;
    const auto cut = [&] {
      const ImageView<const float> depth = pairs->depth(left, right, seen, expected);
      matching += watch.lap();
      foreground.cut(depth, expected, cloud);
      if (expected.empty() && !nobody_in(cloud)) {
        const Candidate& person = foreground.candidates().front();
        pairs->look_past(person.centre.z + person.depth / 2);
        foreground.cut(depth, {}, cloud);
        if (!followed) cut_rivals(depth);
      }
      pairs->set_deviations(cloud);
      cutting += watch.lap();
    };
    cut();
    if (mechanisms::whole_frame_again && nobody_in(cloud) && !expected.empty()) {
      expected.clear();
      cut();
    }
    return follow(frame, time, {{"stereo", matching}, {"foreground", cutting}});
  }

  void cut_rivals(ImageView<const float> depth) {
    const std::vector<Candidate> others = foreground.rivals();
    rivals.resize(others.size());
    for (std::size_t i = 0; i < others.size(); ++i) {
      pairs->look_past(others[i].centre.z + others[i].depth / 2);
      foreground.cut_rival(depth, i, rivals[i]);
      pairs->set_deviations(rivals[i]);
    }
  }

  // Tracks the person in the points that were cut out; `before` are the times of that.
  Estimate follow(std::int64_t frame, double time, const std::vector<StageTime>& before) {
    const std::vector<FaceObservation> faces = std::exchange(next_faces, {});
    Estimate estimate = filter->track({time, cloud.view(), foreground.floor(), faces});
    choose_among_rivals(time, faces, estimate);
    followed = followed || estimate.found;
    if (!estimate.found) estimate.why = nobody_in(cloud) ? "nobody in sight" : "lost";
    estimate.times.insert(estimate.times.begin(), before.begin(), before.end());
    expected.clear();
    if (estimate.found)
      expected = pose_capsules(estimate.skeleton ? *estimate.skeleton : filter->skeleton(), estimate.pose);
    return keep(std::move(estimate), frame, time);
  }

  // Before anybody was followed: furniture may be more like a person than a person is, but poses explain it badly.
  void choose_among_rivals(double time, const std::vector<FaceObservation>& faces, Estimate& estimate) {
    const double doubted = constants::pairs::doubted_fit;
    for (PointCloud& points : std::exchange(rivals, {})) {
      if (estimate.found && estimate.confidence >= doubted) return;
      std::unique_ptr<Filter> rival = make_filter(settings, compute);
      rival->set_search_rest(search_rest);
      Estimate other = rival->track({time, points.view(), foreground.floor(), faces});
      for (StageTime& stage : other.times)
        for (const StageTime& before : estimate.times)
          if (stage.stage == before.stage) stage.ms += before.ms;
      if (!other.found || other.confidence < std::max(doubted, estimate.confidence)) continue;
      filter = std::move(rival);
      cloud = std::move(points);
      estimate = std::move(other);
    }
  }

  // A frame without points: the prediction is kept.
  Estimate skip(std::int64_t frame, double time, const std::string& why) {
    Estimate estimate;
    estimate.why = why;
    next_faces.clear();
    return keep(std::move(estimate), frame, time);
  }

  Estimate keep(Estimate estimate, std::int64_t frame, double time) {
    estimate.frame = frame;
    estimate.time = time;
    next_frame = frame + 1;
    // a steady estimate takes a new shape over gradually; a smoother starts from the newest
    const auto newest = std::make_shared<const Skeleton>(filter->skeleton());
    if (!estimate.skeleton) estimate.skeleton = newest;
    if (smoothing) {
      undecided.push_back({cloud, estimate});
      if (!filter->undecided()) smooth_decided(newest);
    }
    if (steady) steady->correct(estimate);
    if (!smoothing) {
      ready.push_back(estimate);
      if (ready.size() > SmoothingThread::most_unclaimed(0)) ready.pop_front();
    }
    return estimate;
  }

  // Gives the frames that waited for a decision to the smoother.
  void smooth_decided(const std::shared_ptr<const Skeleton>& newest) {
    std::vector<Estimate> revised = filter->revised();
    auto next = revised.begin();
    for (auto& [points, estimate] : undecided) {
      if (next != revised.end() && next->time == estimate.time) {
        next->frame = estimate.frame;
        next->times = std::move(estimate.times);
        if (!next->found) next->why = std::move(estimate.why);
        estimate = std::move(*next++);
      }
      estimate.skeleton = newest;
      smoothing->add(points, estimate);
    }
    undecided.clear();
  }

  std::vector<Estimate> take(std::vector<Estimate> from_smoother) {
    if (smoothing) return from_smoother;
    std::vector<Estimate> all(std::move_iterator(ready.begin()), std::move_iterator(ready.end()));
    ready.clear();
    return all;
  }

  Compute compute;
  bool fixed_particles, fixed_points;  // numbers that the caller chose
  TrackerSettings settings;
  Foreground foreground;
  std::unique_ptr<Filter> filter;
  std::optional<SteadyPose> steady;  // of estimates given out at once
  std::optional<SmoothingThread> smoothing;
  std::optional<PairDepth> pairs;  // made with the first one
  std::vector<float> expected;     // capsules of the last pose: where the person is expected
  PointCloud cloud;                // of the last frame
  struct Waiting {
    PointCloud cloud;
    Estimate estimate;
  };
  std::vector<Waiting> undecided;  // see Filter::undecided()
  std::deque<Estimate> ready;      // without a smoother
  std::int64_t next_frame = 0;
  std::vector<FaceObservation> next_faces;
  double faces_ms = 0;       // that they took
  std::optional<Pace> pace;  // of a live source
  int search_rest = 1;
  bool found = false;              // in the last frame, for the pace
  bool followed = false;           // somebody, since the start
  std::vector<PointCloud> rivals;  // until then: what else may be the person
};

Tracker::Tracker(const TrackerSettings& settings, const Compute& compute) : state_(new State(settings, compute)) {}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

Estimate Tracker::track(const io::Frame& frame) {
  return state_->timed(frame.late, [&] { return state_->track(frame); });
}

Estimate Tracker::track(ImageView<const float> depth, double time) {
  return state_->timed(0, [&] { return state_->track(depth, state_->next_frame, time); });
}

Estimate Tracker::track(PointsView points, double time) {
  return state_->timed(0, [&] { return state_->track(points, state_->next_frame, time); });
}

Estimate Tracker::track(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, double time) {
  return state_->timed(0, [&] { return state_->track(left, right, nullptr, state_->next_frame, time); });
}

Estimate Tracker::skip(double time, const std::string& why) {
  return state_->timed(0, [&] { return state_->skip(state_->next_frame, time, why); });
}

void Tracker::start(const Pose& pose) {
  state_->filter->start(pose);
  state_->expected = pose_capsules(state_->filter->skeleton(), pose);
  state_->followed = true;
}

void Tracker::restart() {
  state_->expected.clear();
  state_->filter->restart();
  if (state_->steady) state_->steady->restart();
  state_->found = state_->followed = false;
}

const TrackerSettings& Tracker::settings() const { return state_->settings; }
Backend Tracker::backend() const { return state_->compute.backend; }

std::vector<Estimate> Tracker::settled() {
  return state_->take(state_->smoothing ? state_->smoothing->take() : std::vector<Estimate>());
}

std::vector<Estimate> Tracker::finish() {
  State& state = *state_;
  if (!state.smoothing) return state.take({});
  state.smooth_decided(std::make_shared<const Skeleton>(state.filter->skeleton()));
  return state.take(state.smoothing->finish());
}

void Tracker::keep_up(double fps) {
  State& state = *state_;
  if (state.pace) state.use(state.pace->most());  // from the start, at another rate
  state.pace.emplace(pace(), fps);
  if (state.fixed_particles) state.pace->fix_particles();
  if (state.fixed_points) state.pace->fix_points();
}

PaceCounts Tracker::pace() const { return {state_->settings.particles, state_->settings.points, state_->search_rest}; }

void Tracker::set_counts(const PaceCounts& counts) { state_->use(counts); }

void Tracker::set_faces(std::vector<FaceObservation> faces, double ms) {
  for (const FaceObservation& face : faces) check(face);
  state_->next_faces = std::move(faces);
  state_->faces_ms = ms;
}

void Tracker::set_background(ImageView<const float> depth) { state_->foreground.set_background(depth); }
const Skeleton& Tracker::skeleton() const { return state_->filter->skeleton(); }
const PointCloud& Tracker::points() const { return state_->cloud; }
std::optional<Plane> Tracker::floor() const { return state_->foreground.floor(); }
std::vector<Vec3> Tracker::particle_joints(std::size_t most) { return state_->filter->particle_joints(most); }
double Tracker::smoothing_ms() const { return state_->smoothing ? state_->smoothing->ms() : 0; }

TrackerSettings settings_for(const io::Recording& recording, TrackerSettings settings) {
  settings.camera = recording.camera().camera;
  if (recording.from_pairs()) settings.baseline = recording.camera().baseline;
  if (!recording.skeleton().empty()) {
    settings.skeleton = read_skeleton(recording.skeleton());
    settings.fit_shape = false;
  }
  return settings;
}

}  // namespace kinema::body
