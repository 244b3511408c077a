#include "app/track_run.h"

#include "app/interrupt.h"
#include "app/progress.h"
#include "app/smoothing_thread.h"
#include "core/stopwatch.h"
#include "io/bvh.h"
#include "io/overlay.h"
#include "io/pose_bvh.h"
#include "io/poses.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace kinema::app {
namespace {

// All that is written while frames go by. Files appear when all are done, or when the user stops the run.
class Sinks {
public:
  Sinks(const TrackFiles& files, const io::Recording& recording, const body::Skeleton& skeleton) {
    for (const std::string& name : {files.poses, files.csv}) {
      if (!name.empty()) poses_.emplace_back(std::make_unique<io::PosesWriter>(name, skeleton));
    }
    if (!files.bvh.empty()) bvh_file_.emplace(files.bvh);
    fps_ = recording.camera().fps > 0 ? recording.camera().fps : 30;
    if (!files.overlay.empty()) overlay_.emplace(files.overlay, recording.camera().camera, fps_);
  }

  bool draws() const { return overlay_.has_value(); }

  void add(const WrittenFrame& written) {
    const auto& [frame, skeleton, estimate, why] = written;
    for (const auto& writer : poses_) writer->add(frame.index, frame.time, estimate, why);
    // an animation has no gaps, so that its frames are those of the recording: the last pose stays, and the first waits
    if (estimate.found && !last_) animation_.assign(unseen_, estimate.pose);
    if (estimate.found) last_ = estimate.pose;
    if (bvh_file_ && last_) animation_.push_back(*last_);
    if (!last_) ++unseen_;
    if (overlay_) {
      io::OverlayFrame picture{frame.index,
                               frame.time,
                               frame.colour.empty() ? nullptr : &frame.colour,
                               frame.depth,
                               {frame.points.data(), frame.points.size() / 3, {}}};
      overlay_->add(picture, skeleton, estimate, why);
    }
  }

  void commit(const body::Skeleton& skeleton) {
    for (const auto& writer : poses_) writer->commit();
    if (overlay_) overlay_->commit();
    if (bvh_file_) {
      io::write_bvh(*bvh_file_, io::poses_to_bvh(skeleton, animation_, 1 / fps_));
      bvh_file_->commit();
    }
  }

private:
  double fps_ = 30;
  std::vector<std::unique_ptr<io::PosesWriter>> poses_;
  std::optional<io::OutputFile> bvh_file_;
  std::optional<io::OverlaySink> overlay_;
  std::optional<body::Pose> last_;
  std::vector<body::Pose> animation_;
  std::size_t unseen_ = 0;  // frames before the person was first found
};

// The points of a frame that the tracker takes.
class Eye {
public:
  Eye(const body::ForegroundSettings& settings, const io::Recording& recording)
      : foreground_(recording.camera().camera, settings) {
    const Camera& camera = recording.camera().camera;
    width_ = static_cast<std::size_t>(camera.width);
    height_ = static_cast<std::size_t>(camera.height);
    if (!recording.background().empty()) foreground_.set_background(image(recording.background()));
  }

  void cut(const io::Frame& frame, std::span<const float> expected, body::Cloud& cloud) {
    if (frame.depth.empty()) {
      cloud = foreground_.cut(PointsView{frame.points.data(), frame.points.size() / 3, {}}, expected);
    } else {
      foreground_.cut(image(frame.depth), expected, cloud);
    }
  }

  std::optional<Plane> floor() const { return foreground_.floor(); }

private:
  ImageView<const float> image(const std::vector<float>& depth) const {
    return {depth.data(), width_, height_, width_};
  }

  body::Foreground foreground_;
  std::size_t width_ = 0, height_ = 0;
};

// Frames on their way through the smoother into files.
class Outlet {
public:
  Outlet(const TrackRun& run, const body::TrackerSettings& settings, Sinks& sinks)
      : written_(run.written), sinks_(sinks), pictures_(sinks.draws() || run.written != nullptr) {
    if (run.lag > 0) smoothing_.emplace(settings, run.lag);
  }

  void add(const io::Frame& frame, const body::Cloud& cloud, const body::Skeleton& skeleton,
           const body::Estimate& estimate, const std::string& why) {
    Waiting& last = waiting_.emplace_back();
    // of frames that nobody draws only number and time wait
    if (pictures_) last.frame = frame;
    last.frame.index = frame.index;
    last.frame.time = frame.time;
    last.why = why;
    if (smoothing_)
      smoothing_->add(frame.time, cloud, estimate, skeleton);
    else
      settled_.push_back({estimate, std::make_shared<body::Skeleton>(skeleton)});
  }

  /// What is settled goes into the files.
  void write() {
    if (smoothing_) append(smoothing_->take());
    write_settled();
  }

  void finish() {
    if (smoothing_) append(smoothing_->finish());
    write_settled();
  }

  double smoothing_ms() const { return smoothing_ ? smoothing_->ms() : 0; }

private:
  struct Waiting {
    io::Frame frame;
    std::string why;
  };
  struct Pose {
    body::Estimate estimate;
    std::shared_ptr<const body::Skeleton> skeleton;
  };

  void append(std::vector<SmoothingThread::Settled> more) {
    for (auto& [estimates, skeleton] : more) {
      const auto person = std::make_shared<body::Skeleton>(std::move(skeleton));
      for (body::Estimate& estimate : estimates) settled_.push_back({std::move(estimate), person});
    }
  }

  void write_settled() {
    while (!settled_.empty()) {
      // taken from both first: where a file fails, the frames after it keep their poses
      const Pose pose = std::move(settled_.front());
      const Waiting next = std::move(waiting_.front());
      settled_.pop_front();
      waiting_.pop_front();
      const WrittenFrame written{next.frame, *pose.skeleton, pose.estimate, next.why};
      sinks_.add(written);
      if (written_) written_(written);
    }
  }

  std::optional<SmoothingThread> smoothing_;
  std::function<void(const WrittenFrame&)> written_;
  Sinks& sinks_;
  bool pictures_;
  std::deque<Waiting> waiting_;  // not written yet
  std::deque<Pose> settled_;     // of the first of these
};

// Disparities of a person are off together by what matching and calibration leave: pixels, standard deviation.
constexpr double shared_disparity = 0.1;

// Fewer points than this are nobody.
constexpr std::ptrdiff_t fewest_points = 60;

bool nobody_in(const body::Cloud& cloud) {
  return std::count(cloud.background.begin(), cloud.background.end(), 0) < fewest_points;
}

TrackCounts follow(io::Recording& recording, const TrackRun& run, body::Tracker& tracker, Outlet& outlet) {
  Eye eye(run.foreground, recording);
  TrackCounts counts;
  Progress progress("frames", recording.size().value_or(0), true);
  std::vector<float> expected;
  body::Cloud cloud;
  io::Frame frame;
  const Interrupt interrupt;
  Stopwatch watch;
  while (!interrupt.asked() && recording.next(frame)) {
    counts.ms["read"] += watch.lap();
    if (frame.index < run.start) continue;
    if (run.frames > 0 && counts.frames >= run.frames) break;
    ++counts.frames;
    body::Estimate estimate;
    std::string why = frame.gap;
    double cut_ms = 0;
    if (why.empty()) {
      eye.cut(frame, expected, cloud);
      // nobody where somebody was expected: look everywhere
      if (nobody_in(cloud) && !expected.empty()) eye.cut(frame, {}, cloud);
      cut_ms = watch.lap();
      counts.ms["foreground"] += cut_ms;
      estimate = tracker.track({frame.time, cloud.view(), eye.floor()});
      const double track_ms = watch.lap();
      counts.tracking_ms += cut_ms + track_ms;
      for (const StageTime& time : estimate.times) counts.ms[time.stage] += time.ms;
      why = nobody_in(cloud) ? "nobody in sight" : "lost";
      expected.clear();
      if (estimate.found) expected = body::pose_capsules(tracker.skeleton(), estimate.pose);
    }
    ++(estimate.found ? counts.found : frame.gap.empty() ? counts.lost : counts.gaps);
    outlet.add(frame, cloud, tracker.skeleton(), estimate, why);
    counts.tracking_ms += watch.lap();
    outlet.write();
    if (run.watch) run.watch({frame, cloud, tracker, estimate, why, cut_ms});
    counts.ms["write"] += watch.lap();
    progress.show(counts.frames);
  }
  outlet.finish();
  counts.tracking_ms += watch.lap();
  if (run.lag > 0) counts.ms["smooth"] = outlet.smoothing_ms();  // beside the tracker
  counts.stopped = interrupt.asked();
  if (counts.frames == 0 && !counts.stopped) {
    throw Error(fmt::format("the recording has no frame from --start {} on", run.start));
  }
  return counts;
}

}  // namespace

double TrackCounts::frames_per_second() const {
  return tracking_ms > 0 ? 1000 * static_cast<double>(found + lost) / tracking_ms : 0;
}

void fill_in(TrackRun& run) {
  run.backend = choose(run.backend);
  body::fill_in(run.tracker, run.backend);
  run.foreground.points = run.tracker.points;
  run.foreground.background_points = run.tracker.background_points;
  run.foreground.threads = run.tracker.likelihood.threads;
}

TrackCounts track(io::Recording& recording, const TrackRun& run) {
  const body::Skeleton& skeleton = run.person.skeleton;
  body::TrackerSettings settings = run.tracker;
  settings.fit_shape = settings.fit_shape && !run.person.measured;
  if (recording.from_pairs() && settings.shared_noise == 0) {
    settings.shared_noise = shared_disparity / (recording.camera().camera.fx * recording.camera().baseline);
  }
  const std::unique_ptr<body::Tracker> tracker = body::make_tracker(skeleton, settings, run.backend);
  if (run.start_pose) tracker->start(*run.start_pose);
  Sinks sinks(run.files, recording, skeleton);
  Outlet outlet(run, settings, sinks);
  TrackCounts counts;
  try {
    counts = follow(recording, run, *tracker, outlet);
  } catch (...) {
    // what was tracked until then stays readable
    outlet.finish();
    throw;
  }
  sinks.commit(tracker->skeleton());
  return counts;
}

}  // namespace kinema::app
