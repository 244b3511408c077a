#include "app/run/track_run.h"

#include "core/stopwatch.h"
#include "core/unix_time.h"
#include "io/files/input_file.h"
#include "io/files/output_file.h"
#include "io/motion/bvh.h"
#include "io/motion/motion_files.h"
#include "io/network/body_network.h"
#include "io/overlays/overlay.h"
#include "io/sources/read_ahead_source.h"
#include "kinema/error.h"
#include "kinema/poses.h"
#include "kinema/recording.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace kinema::app {
namespace {

// Records a live source while it is tracked, when a page asks for it.
class LiveCopy {
public:
  /// Recordings become folders in `place`, named by date and time.
  LiveCopy(io::Recording& recording, std::filesystem::path place) : recording_(recording), place_(std::move(place)) {}
  ~LiveCopy();
  LiveCopy(const LiveCopy&) = delete;
  LiveCopy& operator=(const LiveCopy&) = delete;

  /// Never throws: what fails is in status(), and tracking goes on.
  void start();
  void end();

  /// Of the current or else the last one; ends one that failed.
  const std::optional<io::CopyStatus>& status();
  bool on() const { return on_; }

private:
  io::Recording& recording_;
  std::filesystem::path place_;
  bool on_ = false;
  std::optional<io::CopyStatus> status_;
};

// One that does not exist: two may begin within a second.
std::filesystem::path free_folder(const std::filesystem::path& place) {
  const std::string name = fmt::format("recording-{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
  std::filesystem::path folder = place / name;
  for (int number = 2; io::is_there(folder); ++number) folder = place / fmt::format("{}-{}", name, number);
  return folder;
}

LiveCopy::~LiveCopy() { end(); }

void LiveCopy::start() {
  if (on_) return;
  const std::filesystem::path folder = free_folder(place_);
  try {
    recording_.start_copy(folder);
    on_ = true;
  } catch (const Error& error) {
    status_ = io::CopyStatus{folder, 0, 0, error.what()};
  }
}

void LiveCopy::end() {
  if (!on_) return;
  on_ = false;
  status_ = recording_.end_copy();
}

const std::optional<io::CopyStatus>& LiveCopy::status() {
  if (on_) status_ = recording_.copy();
  if (on_ && status_ && !status_->failed.empty()) end();
  return status_;
}

// A person's motion, for formats that are written when all frames are known.
struct Motion {
  std::size_t first = 0;  // frame, of all
  std::optional<body::Pose> last;
  std::vector<body::Pose> animation;
  io::TrackedMotion frames;
  std::shared_ptr<const body::Skeleton> skeleton;  // the last one

  // an animation has no gaps, so that its frames are those of the recording: gaps repeat the last pose, and the first
  // pose fills those before it
  void add(const body::Estimate& estimate) {
    if (estimate.found && !last) animation.assign(frames.frames.size(), estimate.pose);
    if (estimate.found) last = estimate.pose;
    if (last) animation.push_back(*last);
    if (estimate.found || !skeleton) skeleton = estimate.skeleton;
    frames.add(estimate);
  }

  // Nobody in the frames from the last one to that of this number.
  void skip_to(std::size_t end, std::span<const double> times) {
    body::Estimate nobody;
    nobody.skeleton = skeleton;
    for (std::size_t i = first + frames.frames.size(); i < end; ++i) {
      nobody.time = times[i];
      add(nobody);
    }
  }

  // All frames of the recording, so that the files of several people go together.
  void fill(std::span<const double> times) {
    skip_to(times.size(), times);
    animation.insert(animation.begin(), first, body::Pose(animation.front()));
    frames.frames.insert(frames.frames.begin(), first, io::TrackedFrame{});
    for (std::size_t i = 0; i < first; ++i) frames.frames[i].time = times[i];
    first = 0;
  }
};

// walk-2.bvh of walk.bvh.
std::filesystem::path numbered(const std::filesystem::path& file, int person) {
  return file.parent_path() / fmt::format("{}-{}{}", file.stem().string(), person, file.extension().string());
}

// All outputs written during the run.
class BodySinks {
public:
  BodySinks(const TrackFiles& files, const io::Recording& recording, const body::Skeleton& skeleton, bool several)
      : several_(several) {
    for (const std::string& name : {files.poses, files.csv}) {
      if (!name.empty()) poses_.emplace_back(std::make_unique<io::PosesWriter>(name, skeleton, several));
    }
    for (const auto& [name, format] : {std::pair{&files.bvh, Format::bvh},
                                       {&files.gltf, Format::gltf},
                                       {&files.trc, Format::trc},
                                       {&files.mot, Format::mot},
                                       {&files.c3d, Format::c3d}}) {
      if (name->empty()) continue;
      motion_files_.push_back({format, *name, std::make_unique<io::OutputFile>(*name)});  // it can be written
      if (several) motion_files_.back().out.reset();
    }
    fps_ = recording.fps() > 0 ? recording.fps() : 30;
    if (!files.overlay.empty()) overlay_.emplace(files.overlay, recording.camera().camera, fps_);
  }

  bool draws() const { return overlay_.has_value(); }

  // Everybody in a frame.
  void add(const io::Frame& frame, std::span<const body::Estimate> people) {
    for (const auto& writer : poses_)
      for (const body::Estimate& estimate : people) writer->add(estimate);
    if (!motion_files_.empty()) add_motion(people);
    if (overlay_) {
      io::OverlayFrame picture{frame.index,
                               frame.time,
                               frame.colour.empty() ? nullptr : &frame.colour,
                               frame.depth,
                               {frame.points.data(), frame.points.size() / 3, {}}};
      overlay_->add(picture, people, people.front().why);
    }
  }

  void commit(const body::Skeleton& skeleton) {
    for (const auto& writer : poses_) writer->commit();
    if (overlay_) overlay_->commit();
    if (!several_)
      for (const MotionFile& file : motion_files_) write(file.format, *file.out, file.name, motions_[0], skeleton);
    // one after another, since each has all frames
    while (several_ && !motions_.empty()) {
      auto next = motions_.extract(motions_.begin());
      Motion& motion = next.mapped();
      motion.fill(times_);
      for (const MotionFile& file : motion_files_) {
        const std::filesystem::path name = numbered(file.name, next.key());
        io::OutputFile out(name);
        write(file.format, out, name, motion, *motion.skeleton);
      }
    }
  }

  /// The files of motions, once they are written.
  const std::vector<std::string>& written() const { return written_; }

private:
  // Formats that are written when all frames are known.
  enum class Format { bvh, trc, mot, c3d, gltf };
  struct MotionFile {
    Format format;
    std::string name;
    std::unique_ptr<io::OutputFile> out;  // null where there is one for each person
  };

  void add_motion(std::span<const body::Estimate> people) {
    for (const body::Estimate& estimate : people) {
      if (several_ && !estimate.found) continue;
      const auto [at, anew] = motions_.try_emplace(estimate.person);
      Motion& motion = at->second;
      if (anew) motion.first = times_.size();
      motion.skip_to(times_.size(), times_);
      motion.add(estimate);
    }
    times_.push_back(people.front().time);
  }

  void write(Format format, io::OutputFile& out, const std::filesystem::path& name, Motion& motion,
             const body::Skeleton& skeleton) {
    motion.frames.fps = fps_;
    switch (format) {
      case Format::bvh:
        io::write_bvh(out, io::poses_to_bvh(skeleton, motion.animation, 1 / motion.frames.fps));
        break;
      case Format::trc:
        out.write(io::to_trc(skeleton, motion.frames, name.filename().string()));
        break;
      case Format::mot:
        out.write(io::to_mot(skeleton, motion.frames));
        break;
      case Format::c3d:
        out.write(io::to_c3d(skeleton, motion.frames));
        break;
      case Format::gltf:
        out.write(io::to_glb(skeleton, motion.frames));
        break;
    }
    out.commit();
    written_.push_back(name.string());
  }

  bool several_;
  double fps_ = 30;
  std::vector<std::unique_ptr<io::PosesWriter>> poses_;
  std::optional<io::OverlaySink> overlay_;
  std::vector<MotionFile> motion_files_;
  std::map<int, Motion> motions_;  // by person; 0 where one is followed
  std::vector<double> times_;      // of all frames
  std::vector<std::string> written_;
};

// Writes final estimates beside their frames, which are buffered here until then.
class SettledWriter {
public:
  SettledWriter(const TrackRun& run, BodySinks& sinks)
      : run_(run),
        sinks_(sinks),
        several_(run.tracker.people != 1),
        pictures_(sinks.draws() || run.written != nullptr) {}

  void add(io::Frame&& frame) {
    io::Frame& last = waiting_.emplace_back();
    if (pictures_)
      last = std::move(frame);
    else
      last.gap = frame.gap;
  }

  void write(const std::vector<body::Estimate>& settled) {
    for (std::size_t first = 0, end = 0; first < settled.size(); first = end) {
      // everybody in a frame
      end = first + 1;
      while (several_ && end < settled.size() && settled[end].frame == settled[first].frame) ++end;
      const std::span people(settled.data() + first, end - first);
      if (waiting_.empty()) return;  // the frame failed after it was tracked
      // removed first: if a file fails, the later frames keep their estimates
      const io::Frame frame = std::move(waiting_.front());
      waiting_.pop_front();
      sinks_.add(frame, people);
      ++(people.front().found ? found_ : frame.gap.empty() ? lost_ : gaps_);
      most_ = std::max(most_, people.back().person);
      for (const body::Estimate& estimate : people) {
        for (const double deviation : estimate.found ? estimate.deviation : std::vector<double>()) {
          deviations_ += deviation;
          ++joints_;
        }
        if (run_.written) run_.written(frame, estimate);
      }
    }
  }

  /// Mean over all joints written, metres; 0 if there are none.
  double mean_deviation() const { return joints_ > 0 ? deviations_ / static_cast<double>(joints_) : 0; }

  /// What the files say of several people, of whom the first estimates leave out those who may be nobody.
  void count(TrackCounts& counts) const {
    if (!several_) return;
    counts.found = found_;
    counts.lost = lost_;
    counts.gaps = gaps_;
    counts.people = most_;
  }

private:
  const TrackRun& run_;
  BodySinks& sinks_;
  bool several_;
  std::size_t found_ = 0, lost_ = 0, gaps_ = 0;
  int most_ = 0;
  double deviations_ = 0;
  std::size_t joints_ = 0;
  bool pictures_;  // frames are needed, not only their estimates
  std::deque<io::Frame> waiting_;
};

// What a live source needs beside tracking: its latency is measured, and the tracker keeps up with it.
class LiveRun {
public:
  LiveRun(const SourceLoop& loop, const TrackRun& run, body::Tracker& tracker, io::Recording& recording)
      : loop_(loop), control_(run.control), tracker_(tracker), copy_(recording, run.recordings), most_(tracker.pace()) {
    tracker_.keep_up(recording.fps());
    status_.pace = most_;
  }

  /// Does what pages asked for. False: they stopped the tracker.
  bool wanted() {
    if (control_ == nullptr) return true;
    if (const auto record = control_->record.take()) *record ? copy_.start() : copy_.end();
    status_.copy = copy_.status();
    status_.being_copied = copy_.on();
    const bool before = status_.tracking;
    status_.tracking = control_->track.take().value_or(before);
    if (status_.tracking && !before) tracker_.restart();  // the person has moved on
    return status_.tracking;
  }

  /// The estimate of a frame was sent.
  void sent(const io::Frame& frame, TrackCounts& counts) {
    const double now = unix_time();
    if (!first_) first_ = now;
    counts.live_seconds = now - *first_;
    status_.taken = frame.taken;
    status_.latency_ms = 1000 * (now - frame.taken);
    counts.latency.add(status_.latency_ms);
    status_.counts = loop_.live();
    const body::PaceCounts pace = tracker_.pace();
    counts.pace_changes += std::exchange(status_.pace, pace) != pace;
    counts.search_rest = pace.search_rest;
    status_.lowered = pace != most_;
    counts.settings = tracker_.settings();
  }

  const LiveStatus& status() const { return status_; }

private:
  const SourceLoop& loop_;
  serve::RunControl* control_;
  body::Tracker& tracker_;
  LiveCopy copy_;
  const body::PaceCounts most_;
  LiveStatus status_;
  std::optional<double> first_;
};

// A frame that is shown, but not tracked.
io::Frame stopped(io::Frame frame) {
  frame.depth.clear();
  frame.pair = {};
  frame.points.clear();
  frame.gap = "stopped";
  return frame;
}

// Looks for faces in the colour picture of the next frame.
void observe(person::FaceObserver& observer, const io::Frame& frame, body::Tracker& tracker, TrackCounts& counts) {
  Stopwatch watch;
  std::vector<body::FaceObservation> faces;
  if (!frame.colour.empty()) faces = observer.observe(frame.view(), frame.time);
  const double ms = watch.lap();
  tracker.set_faces(std::move(faces), ms);
  counts.ms["face"] += ms;
}

// Of this number, or nobody; without one the nearest to the middle of the picture.
body::Estimate of_person(const std::vector<body::Estimate>& people, int person) {
  if (person > 0) {
    for (const body::Estimate& estimate : people)
      if (estimate.person == person) return estimate;
    body::Estimate nobody = people.front();  // frame and time go on
    nobody.found = nobody.hidden = false;
    nobody.person = 0;
    return nobody;
  }
  return *std::min_element(people.begin(), people.end(), [](const body::Estimate& a, const body::Estimate& b) {
    const auto aside = [](const body::Estimate& e) {
      return std::abs(e.pose.position.x) / std::max(e.pose.position.z, 0.1);
    };
    return aside(a) < aside(b);
  });
}

void follow(SourceLoop& loop, const TrackRun& run, body::Tracker& tracker, std::optional<io::BodySender>& sender,
            std::optional<LiveRun>& live, SettledWriter& writer, TrackCounts& counts) {
  std::optional<person::FaceObserver> observer;
  if (run.face) observer.emplace(*run.face, run.compute);
  Stopwatch watch;
  for (io::Frame frame; loop.next(frame);) {
    counts.ms["read"] += watch.lap();
    if (run.control != nullptr && run.control->find_again.take()) tracker.restart();
    if (live && !live->wanted()) frame = stopped(std::move(frame));
    if (observer) observe(*observer, frame, tracker, counts);
    const body::Estimate estimate = tracker.track(frame);
    if (observer) observer->expect(estimate);
    // receivers first: they are waiting
    if (sender) {
      const body::Estimate sent = of_person(tracker.people(), run.person);
      sender->send(frame.taken, *sent.skeleton, sent, tracker.floor());
    }
    const std::vector<body::Estimate> settled = tracker.settled();
    counts.tracking_ms += watch.lap();
    if (live) live->sent(frame, counts);
    for (const body::Estimate& each : tracker.people()) {
      for (const StageTime& time : each.times) counts.ms[time.stage] += time.ms;
      counts.exchanged_bytes += each.exchanged_bytes;
    }
    ++counts.frames;
    counts.faces += !estimate.faces.empty();
    ++(estimate.found ? counts.found : frame.gap.empty() ? counts.lost : counts.gaps);
    if (live && run.watch_live) run.watch_live(live->status());
    if (run.watch) run.watch(frame, tracker, estimate);
    writer.add(std::move(frame));
    writer.write(settled);
    counts.ms["write"] += watch.lap();
  }
}

}  // namespace

double TrackCounts::frames_per_second() const {
  return tracking_ms > 0 ? 1000 * static_cast<double>(found + lost) / tracking_ms : 0;
}

double TrackCounts::live_frames_per_second() const {
  return live_seconds > 0 && frames > 1 ? static_cast<double>(found + lost - 1) / live_seconds : 0;
}

TrackCounts track(io::Recording& recording, const TrackRun& run) {
  std::optional<io::BodySender> sender;
  if (run.live.any()) sender.emplace(run.live);
  body::Tracker tracker(run.tracker, run.compute);
  if (run.start_pose) tracker.start(*run.start_pose);
  if (run.chosen) tracker.choose(run.chosen->first, run.chosen->second);
  if (!recording.background().empty()) {
    const auto width = static_cast<std::size_t>(recording.camera().camera.width);
    tracker.set_background({recording.background().data(), width, recording.background().size() / width, width});
  }
  BodySinks sinks(run.files, recording, tracker.skeleton(), run.tracker.people != 1);
  SettledWriter writer(run, sinks);
  TrackCounts counts;
  counts.backend = tracker.backend();
  counts.settings = tracker.settings();
  std::optional<io::ReadAheadSource> ahead;
  if (!recording.live()) ahead.emplace(recording);
  SourceLoop loop(ahead ? static_cast<io::Source&>(*ahead) : recording, {run.start, run.frames}, "frames");
  std::optional<LiveRun> live;
  if (recording.live()) live.emplace(loop, run, tracker, recording);
  loop.run([&] { follow(loop, run, tracker, sender, live, writer, counts); });
  // however the loop ended, the tracked frames are finished and written
  loop.run([&] {
    Stopwatch watch;
    const std::vector<body::Estimate> rest = tracker.finish();
    counts.tracking_ms += watch.lap();
    writer.write(rest);
    counts.ms["write"] += watch.lap();
  });
  // concurrent with the tracker
  if (tracker.settings().lag > 0) counts.ms["smooth"] = tracker.smoothing_ms();
  if (ahead) counts.ms["read"] = ahead->read_ms();
  writer.count(counts);
  counts.deviation = writer.mean_deviation();
  if (counts.found > 0) counts.stature = body::stature(tracker.skeleton());
  counts.stopped = loop.stopped();
  counts.live = loop.live();
  loop.finish([&] { sinks.commit(tracker.skeleton()); });
  counts.motion_files = sinks.written();
  return counts;
}

}  // namespace kinema::app
