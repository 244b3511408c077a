#include "app/face/face_run.h"

#include "app/face/face_sinks.h"
#include "app/options/face_options.h"
#include "core/stopwatch.h"
#include "io/network/head_network.h"
#include "io/pictures/image_file.h"
#include "io/sources/read_ahead_source.h"

#include <algorithm>

namespace kinema::app {
namespace {

constexpr const char* no_face = "no face was found";
constexpr const char* no_start = "no start was given for this picture";

bool is_one_picture(const io::Source& source) {
  return source.size() == 1 && source.kind() != io::SourceKind::video && !source.live();
}

// Counts the results, and passes them to the sinks.
class Results {
public:
  Results(const FaceRun& run, const io::Source& source)
      : run_(run),
        sinks_(run.files, *run.tracker.model, is_one_picture(source), source.fps()),
        timed_(source.consecutive()) {
    if (run.live.any()) sender_.emplace(run.live);
  }

  void add(const io::Frame& frame, const std::vector<face::Estimate>& faces, std::string_view why) {
    const bool readable = frame.gap.empty();
    if (sender_ && readable) send(frame, faces);
    ++counts.frames;
    bool any = false;
    for (const face::Estimate& face : faces) {
      any = any || face.found;
      if (face.found) quality_ += face.fit.quality, ++fits_;
    }
    ++(!readable ? counts.unreadable : any ? counts.found : counts.lost);
    if (!readable) counts.lines.push_back(frame.gap);
    counts.quality = fits_ > 0 ? quality_ / static_cast<double>(fits_) : 0;
    sinks_.add({frame.index, frame.name, timed_ ? std::optional(frame.time) : std::nullopt, &frame.colour}, faces,
               readable ? why : std::string_view(frame.gap));
    if (run_.watch && readable && !faces.empty()) run_.watch(frame.index, frame.colour, faces.front());
  }

  void commit() { sinks_.commit(); }

  FaceCounts counts;

private:
  // one head at a time: avatars and games have one
  void send(const io::Frame& frame, const std::vector<face::Estimate>& faces) {
    sender_->sender().osc(frame.taken, io::face_osc(frame.index, faces));
    for (const face::Estimate& face : faces) {
      if (!face.head) continue;
      sender_->send(frame.taken, *face.head);
      return;
    }
    sender_->send_lost(frame.taken);
  }

  const FaceRun& run_;
  FaceSinks sinks_;
  std::optional<io::PoseSender> sender_;
  bool timed_;
  double quality_ = 0;
  std::size_t fits_ = 0;
};

// Consecutive frames, each starting from the previous one.
void follow(SourceLoop& loop, const io::Source& source, const io::ReadAheadSource* ahead, const FaceRun& run,
            Results& results) {
  // only image files have a name each
  const bool by_number = source.kind() == io::SourceKind::video || source.live();
  face::TrackerSettings settings = run.tracker;
  settings.people = run.faces;
  if (run.detector) settings.detect = [&](const face::GreyView& image) { return run.detector->detect(image); };
  face::Tracker tracker(settings, run.compute);
  FaceCounts& counts = results.counts;
  counts.note_place(tracker);
  Stopwatch watch;
  for (io::Frame frame; loop.next(frame);) {
    counts.ms["read"] += watch.lap();
    if (run.starts && frame.gap.empty()) {
      const face::Start* start =
          run.starts->find(frame.name, by_number ? std::optional<std::int64_t>(frame.index) : std::nullopt);
      if (start != nullptr) tracker.start(*start);
    }
    const io::Frame* following = ahead != nullptr ? ahead->following() : nullptr;
    if (following != nullptr && following->gap.empty()) tracker.expect(following->view());
    tracker.track(frame);
    const std::vector<face::Estimate>& faces = tracker.people();
    for (const face::Estimate& face : faces) {
      for (const StageTime& time : face.times) counts.ms[time.stage] += time.ms;
      counts.restarts += face.found && face.detected;
    }
    watch.lap();
    results.add(frame, faces, faces.front().why);
    counts.ms["write"] += watch.lap();
    if (run.progress) run.progress(counts.frames, loop.total());
    counts.note_place(tracker);
  }
}

// Unrelated images: a batch at a time, which the fitter divides among its threads.
void fit_each(SourceLoop& loop, const FaceRun& run, Results& results) {
  constexpr std::size_t batch = 16;
  const std::unique_ptr<face::Fitter> fitter = face::make_fitter(run.tracker.model, run.tracker.fit, run.compute);
  std::optional<face::HeadPoseSolver> head;
  if (run.tracker.head && run.tracker.model->shape.landmarks() == face::HeadPoseSolver::landmarks) {
    head.emplace(*run.tracker.head);
  }
  FaceCounts& counts = results.counts;
  counts.note_place(*fitter);
  Stopwatch watch;
  for (bool more = true; more;) {
    std::vector<io::Frame> read;
    std::vector<io::GreyImage> grey;
    for (io::Frame frame; read.size() < batch && (more = loop.next(frame));) {
      grey.push_back(frame.gap.empty() ? io::grey_of(frame.colour) : io::GreyImage{});
      read.push_back(std::move(frame));
    }
    counts.ms["read"] += watch.lap();
    std::vector<face::Face> faces;
    std::vector<std::size_t> owner;
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (!read[i].gap.empty()) continue;
      std::vector<face::Start> starts;
      if (run.starts) {
        if (const face::Start* start = run.starts->find(read[i].name)) starts.push_back(*start);
      } else {
        for (const face::Start::Box& box : run.detector->detect(grey[i].view())) {
          starts.emplace_back();
          starts.back().box = box;
        }
      }
      for (std::size_t s = 0; s < std::min(starts.size(), static_cast<std::size_t>(run.faces)); ++s) {
        faces.push_back({grey[i].view(), starts[s], false});
        owner.push_back(i);
      }
    }
    counts.ms["detect"] += watch.lap();
    std::vector<face::Fit> fits(faces.size());
    fitter->fit(faces, fits);
    if (!run.starts) face::fit_doubtful_again(*fitter, *run.tracker.model, faces, fits);
    counts.ms["fit"] += watch.lap();
    for (std::size_t i = 0; i < read.size(); ++i) {
      std::vector<face::Estimate> found;
      for (std::size_t f = 0; f < fits.size(); ++f) {
        if (owner[f] != i) continue;
        face::Estimate face;
        face.found = face.tried = face.detected = true;
        face.time = read[i].time;
        face.confidence = fits[f].quality;
        face.landmarks = fits[f].landmarks;
        face.fit = std::move(fits[f]);
        if (head) {
          const face::GreyView& image = faces[f].image;
          face.head = head->solve(face.landmarks, face.fit.confidence, image.width, image.height);
        }
        found.push_back(std::move(face));
      }
      results.add(read[i], found, run.starts ? no_start : no_face);
    }
    counts.ms["write"] += watch.lap();
    if (run.progress) run.progress(counts.frames, loop.total());
    counts.note_place(*fitter);
  }
}

}  // namespace

std::string FaceCounts::slowest() const {
  std::string most;
  for (const char* stage : {"decode", "read", "detect", "fit"}) {
    // of a video, "read" is the wait for the thread that decodes
    if (stage == std::string_view("read") && ms.contains("decode")) continue;
    if (ms.contains(stage) && (most.empty() || ms.at(stage) > ms.at(most))) most = stage;
  }
  return most;
}

double FaceCounts::fits_per_second() const {
  const auto time = ms.find("fit");
  return time != ms.end() && time->second > 0 ? 1000 * static_cast<double>(found) / time->second : 0;
}

io::ColourSettings face_source(double fps, bool sequence) {
  return {.fps = fps, .sequence = sequence, .full_range = true};
}

FaceCounts fit_faces(io::Source& source, const FaceRun& run) {
  Results results(run, source);
  std::optional<io::ReadAheadSource> ahead;
  if (source.consecutive() && !source.live()) ahead.emplace(source);
  SourceLoop loop(ahead ? *ahead : source, {0, run.frames}, source.consecutive() ? "frames" : "pictures");
  if (run.live.any()) loop.keep_own_speed();
  loop.run([&] {
    if (source.consecutive()) {
      follow(loop, source, ahead ? &*ahead : nullptr, run, results);
    } else {
      fit_each(loop, run, results);
    }
  });
  if (ahead) results.counts.ms["decode"] = ahead->read_ms();
  results.counts.stopped = loop.stopped();
  results.counts.live = loop.live();
  loop.finish([&] { results.commit(); });
  return results.counts;
}

}  // namespace kinema::app
