// The pipeline of the body tracker: segment the person, track it, predict its gate in the next frame, smooth; and keep up
// with a live source. people.cpp does so with several.
#include "kinema/body_tracker.h"

#include "body/constants.h"
#include "body/constants_mechanisms.h"
#include "body/tracker/constants_pairs.h"
#include "body/tracker/face_evidence.h"
#include "body/tracker/pace.h"
#include "body/tracker/pair_depth.h"
#include "body/tracker/people.h"
#include "body/tracker/person.h"
#include "core/stopwatch.h"
#include "kinema/body_filter.h"
#include "kinema/error.h"
#include "kinema/files.h"
#include "kinema/recording.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinema::body {
namespace {

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
      : compute(kinema::choose(wanted)),
        fixed_particles(given.particles > 0),
        fixed_points(given.points > 0),
        settings(complete(given, compute.backend)),
        foreground(settings.camera, settings.foreground, compute) {
    if (settings.people < 0)
      throw Error(fmt::format("tracker: {} people: give 1 or more, or 0 for all", settings.people));
    settings.people == 1 ? void(one.emplace(settings, compute)) : void(several.emplace(settings, compute));
  }

  // The estimate that `work` makes of a frame before which the source dropped `late` others.
  template <class Work>
  Estimate timed(std::size_t late, Work&& work) {
    const Stopwatch watch;
    work();
    const double ms = std::exchange(faces_ms, 0) + watch.ms();
    if (pace) keep_pace(ms, late);
    return estimates.front();
  }

  void keep_pace(double ms, std::size_t late) {
    const auto any = [&](bool Estimate::*member) {
      return std::any_of(estimates.begin(), estimates.end(), [&](const Estimate& each) { return each.*member; });
    };
    // in the first frame with a person, somebody was searched for, who is now found; or somebody more was searched for
    const bool first = !std::exchange(found, estimates.front().found) || (several && several->tried());
    const bool other = first || !estimates.front().found || any(&Estimate::shape_fitted);
    const Pace::Kind kind = other                      ? Pace::Kind::other
                            : any(&Estimate::searched) ? Pace::Kind::searched
                                                       : Pace::Kind::usual;
    if (const auto counts = pace->add(estimates.front().time, ms, kind, late)) use(*counts);
  }

  void use(const PaceCounts& counts) {
    const std::size_t before = std::exchange(settings.particles, counts.particles);
    settings.points = counts.points;
    settings.background_points = 0;
    settings = complete(settings, compute.backend);
    search_rest = counts.search_rest;
    if (several) {
      several->use(settings, counts, settings.particles != before);
    } else {
      if (settings.particles != before) one->filter().set_particles(settings.particles);
      one->filter().set_search_rest(search_rest);
    }
    foreground.set_points(settings.points, settings.background_points);
  }

  void track(const io::Frame& frame) {
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
    track(ImageView<const float>{frame.depth.data(), width, frame.depth.size() / width, width}, frame.index,
          frame.time);
  }

  template <class Seen>
  void track(const Seen& seen, std::int64_t frame, double time) {
    if (several) return follow_all({seen}, frame, time, {});
    Stopwatch watch;
    PointCloud& cloud = one->cut_out();
    foreground.cut(seen, one->expected(), cloud);
    // nobody in the gate: search the whole frame
    if (mechanisms::whole_frame_again && nobody_in(cloud) && !one->expected().empty()) foreground.cut(seen, {}, cloud);
    if (chosen) cut_chosen(seen);
    follow(frame, time, {{"foreground", watch.lap()}});
  }

  void track(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, const io::GreyPair::Seen* seen,
             std::int64_t frame, double time) {
    if (!pairs) {
      pairs.emplace(settings, compute);
      if (pairs->camera().width != settings.camera.width)
        foreground = Foreground(pairs->camera(), settings.foreground, compute);
    }
    double matching = 0, cutting = 0;
    Stopwatch watch;
    if (several) {
      const ImageView<const float> depth = pairs->depth(left, right, seen, several->expected(time));
      return follow_all({depth, &*pairs}, frame, time, {{"stereo", watch.lap()}});
    }
    PointCloud& cloud = one->cut_out();
    const auto cut = [&] {
      const ImageView<const float> depth = pairs->depth(left, right, seen, one->expected());
      matching += watch.lap();
      foreground.cut(depth, one->expected(), cloud);
      if (one->expected().empty() && !nobody_in(cloud)) {
        const Candidate& person = foreground.candidates().front();
        pairs->look_past(person.centre.z + person.depth / 2);
        foreground.cut(depth, {}, cloud);
        if (!followed) cut_rivals(depth);
      }
      pairs->set_deviations(cloud);
      cutting += watch.lap();
    };
    cut();
    if (chosen) {
      cut_chosen(pairs->depth(left, right, seen, {}));
      pairs->set_deviations(cloud);
      rivals.clear();  // of somebody else
    }
    if (mechanisms::whole_frame_again && nobody_in(cloud) && !one->expected().empty()) {
      one->expect_anywhere();
      cut();
    }
    follow(frame, time, {{"stereo", matching}, {"foreground", cutting}});
  }

  // Whoever is at the chosen ray. Nobody yet: nobody else is followed, and the next frame is looked at.
  template <class Seen>
  void cut_chosen(const Seen& seen) {
    std::vector<PointCloud> none;
    foreground.cut(seen, std::span<const ExpectedPerson>{}, none);
    foreground.find_others(seen);
    one->cut_out() = {};
    if (const auto at = nearest(foreground.candidates(), *chosen)) foreground.cut_other(seen, *at, one->cut_out());
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

  // Tracks the one person in the points that were cut out; `before` are the times of that.
  void follow(std::int64_t frame, double time, const std::vector<StageTime>& before) {
    const std::vector<FaceObservation> faces = std::exchange(next_faces, {});
    Estimate estimate = one->track(time, foreground.floor(), faces);
    choose_among_rivals(time, faces, estimate);
    followed = followed || estimate.found;
    if (estimate.found) {
      chosen.reset();
    } else {
      estimate.why = !nobody_in(one->points()) ? "lost" : chosen ? nobody_chosen : "nobody in sight";
    }
    estimate.times.insert(estimate.times.begin(), before.begin(), before.end());
    one->expect(estimate);
    keep(std::move(estimate), frame, time);
  }

  void follow_all(const Measured& measured, std::int64_t frame, double time, const std::vector<StageTime>& before) {
    const std::vector<FaceObservation> faces = std::exchange(next_faces, {});
    estimates = several->track(measured, foreground, frame, time, faces, before, std::exchange(chosen, {}));
    next_frame = frame + 1;
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
      one->replace(std::move(rival), std::move(points));
      estimate = std::move(other);
    }
  }

  // A frame without points: the prediction is kept.
  void skip(std::int64_t frame, double time, const std::string& why) {
    next_faces.clear();
    if (several) {
      estimates = several->skip(frame, time, why);
      next_frame = frame + 1;
      return;
    }
    Estimate estimate;
    estimate.why = why;
    keep(std::move(estimate), frame, time);
  }

  void become() {
    std::unique_ptr<Filter> filter = make_filter(settings, compute);
    filter->set_search_rest(search_rest);
    one->become(std::move(filter));
  }

  void keep(Estimate estimate, std::int64_t frame, double time) {
    next_frame = frame + 1;
    estimates.assign(1, one->keep(std::move(estimate), frame, time));
  }

  // Of several people that of this number, else the first there is; null: nobody.
  Person* person(int number) {
    if (!several) return &*one;
    if (Person* of = several->find(number)) return of;
    return estimates.empty() ? nullptr : several->find(estimates.front().person);
  }

  Compute compute;
  bool fixed_particles, fixed_points;  // numbers that the caller chose
  TrackerSettings settings;
  Foreground foreground;
  std::optional<Person> one;  // or several
  std::optional<People> several;
  std::optional<PairDepth> pairs;   // made with the first one
  std::vector<Estimate> estimates;  // of the last frame
  std::int64_t next_frame = 0;
  std::vector<FaceObservation> next_faces;
  double faces_ms = 0;       // that they took
  std::optional<Pace> pace;  // of a live source
  int search_rest = 1;
  std::optional<Vec3> chosen;      // the ray to somebody
  bool found = false;              // in the last frame, for the pace
  bool followed = false;           // somebody, since the start
  std::vector<PointCloud> rivals;  // until then: what else may be the person
};

Tracker::Tracker(const TrackerSettings& settings, const Compute& compute) : state_(new State(settings, compute)) {}
Tracker::~Tracker() = default;
Tracker::Tracker(Tracker&&) noexcept = default;
Tracker& Tracker::operator=(Tracker&&) noexcept = default;

Estimate Tracker::track(const io::Frame& frame) {
  return state_->timed(frame.late, [&] { state_->track(frame); });
}

Estimate Tracker::track(ImageView<const float> depth, double time) {
  return state_->timed(0, [&] { state_->track(depth, state_->next_frame, time); });
}

Estimate Tracker::track(PointsView points, double time) {
  return state_->timed(0, [&] { state_->track(points, state_->next_frame, time); });
}

Estimate Tracker::track(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, double time) {
  return state_->timed(0, [&] { state_->track(left, right, nullptr, state_->next_frame, time); });
}

Estimate Tracker::skip(double time, const std::string& why) {
  return state_->timed(0, [&] { state_->skip(state_->next_frame, time, why); });
}

const std::vector<Estimate>& Tracker::people() const { return state_->estimates; }

void Tracker::start(const Pose& pose) {
  state_->chosen.reset();
  if (state_->several) return state_->several->start(pose);
  state_->one->start(pose);
  state_->followed = true;
}

void Tracker::choose(double x, double y) {
  const Camera& camera = state_->settings.camera;
  if (!(x >= 0 && y >= 0 && x < camera.width && y < camera.height))
    throw Error(fmt::format("nobody can be chosen at {}, {} of a picture of {} x {} pixels", x, y, camera.width,
                            camera.height));
  // in mid-run that is somebody else, whose shape is not known
  if (state_->one && state_->next_frame > 0) state_->become();
  restart();
  state_->chosen = Vec3{(x - camera.cx) / camera.fx, (y - camera.cy) / camera.fy, 1};
}

void Tracker::restart() {
  state_->several ? state_->several->restart() : state_->one->restart();
  state_->found = state_->followed = false;
  state_->chosen.reset();
}

const TrackerSettings& Tracker::settings() const { return state_->settings; }
Backend Tracker::backend() const { return state_->compute.backend; }

std::vector<Estimate> Tracker::settled() {
  return state_->several ? state_->several->settled() : state_->one->settled();
}

std::vector<Estimate> Tracker::finish() { return state_->several ? state_->several->finish() : state_->one->finish(); }

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
const Skeleton& Tracker::skeleton(int person) const {
  Person* const of = state_->person(person);
  return of != nullptr ? of->filter().skeleton() : state_->settings.skeleton;
}

const PointCloud& Tracker::points(int person) const {
  static const PointCloud none;
  const Person* const of = state_->person(person);
  return of != nullptr ? of->points() : none;
}

std::optional<Plane> Tracker::floor() const { return state_->foreground.floor(); }

std::vector<Vec3> Tracker::particle_joints(std::size_t most, int person) {
  Person* const of = state_->person(person);
  return of != nullptr ? of->filter().particle_joints(most) : std::vector<Vec3>();
}

double Tracker::smoothing_ms() const {
  return state_->several ? state_->several->smoothing_ms() : state_->one->smoothing_ms();
}

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
