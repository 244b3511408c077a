#include "app/face_run.h"

#include "app/face_options.h"
#include "app/face_sinks.h"
#include "app/source_loop.h"
#include "core/stopwatch.h"
#include "io/image_file.h"

#include <algorithm>

namespace kinema::app {
namespace {

constexpr const char* no_face = "no face was found";
constexpr const char* no_start = "the starts name no such picture";

// A frame, and its grey values where it could be read.
struct GreyFrame {
  io::Frame frame;
  io::GreyImage grey;

  bool read() const { return frame.gap.empty(); }
};

bool next(SourceLoop& loop, GreyFrame& next) {
  if (!loop.next(next.frame)) return false;
  next.grey = next.read() ? io::grey_of(next.frame.colour) : io::GreyImage{};
  return true;
}

bool is_one_picture(const io::Source& source) {
  return source.size() == 1 && source.kind() != io::SourceKind::video && !source.live();
}

// Counts what was found, and hands it to the sinks.
class Results {
public:
  Results(const FaceRun& run, const io::Source& source)
      : run_(run), sinks_(run.files, *run.model, is_one_picture(source), source.fps()), timed_(source.consecutive()) {}

  void add(const GreyFrame& seen, const std::vector<face::TrackedFace>& faces, std::string_view why) {
    const io::Frame& frame = seen.frame;
    ++counts.frames;
    bool any = false;
    for (const face::TrackedFace& face : faces) {
      any = any || face.found;
      if (face.found) quality_ += face.fit.quality, ++fits_;
    }
    ++(!seen.read() ? counts.unreadable : any ? counts.found : counts.lost);
    if (!seen.read()) counts.lines.push_back(frame.gap);
    counts.quality = fits_ > 0 ? quality_ / static_cast<double>(fits_) : 0;
    sinks_.add({frame.index, frame.name, timed_ ? std::optional(frame.time) : std::nullopt, &frame.colour, &seen.grey},
               faces, seen.read() ? why : std::string_view(frame.gap));
    if (run_.watch && !faces.empty()) run_.watch(frame.index, frame.colour, faces.front());
  }

  void commit() { sinks_.commit(); }

  FaceCounts counts;

private:
  const FaceRun& run_;
  FaceSinks sinks_;
  bool timed_;
  double quality_ = 0;
  std::size_t fits_ = 0;
};

// Consecutive frames, each from the one before.
void follow(SourceLoop& loop, const io::Source& source, const FaceRun& run, Results& results) {
  // only files of pictures have a name each
  const bool by_number = source.kind() == io::SourceKind::video || source.live();
  face::Detect detect;
  if (run.detector) detect = [&](const face::GreyView& image) { return run.detector->detect(image); };
  face::Tracker tracker(run.model, run.tracker, detect, run.backend);
  FaceCounts& counts = results.counts;
  Stopwatch watch;
  for (GreyFrame frame; next(loop, frame);) {
    counts.ms["read"] += watch.lap();
    std::vector<face::TrackedFace> faces;
    std::string_view why = no_face;
    if (frame.read()) {
      if (run.starts) {
        const face::Start* start = run.starts->find(
            frame.frame.name, by_number ? std::optional<std::int64_t>(frame.frame.index) : std::nullopt);
        if (start != nullptr) tracker.start(*start);
      }
      faces.push_back(tracker.track(view(frame.grey), frame.frame.time));
      counts.ms["fit"] += watch.lap();
      if (faces.front().tried && !faces.front().found) why = "lost: the score does not trust the fit";
      counts.restarts += faces.front().found && faces.front().detected;
    }
    results.add(frame, faces, why);
    counts.ms["write"] += watch.lap();
    if (run.progress) run.progress(counts.frames, loop.total());
  }
}

// Unrelated pictures: a batch at a time, which the fitter divides among its threads.
void fit_each(SourceLoop& loop, const FaceRun& run, Results& results) {
  constexpr std::size_t batch = 16;
  const std::unique_ptr<face::Fitter> fitter = face::make_fitter(run.model, run.tracker.fit, run.backend);
  FaceCounts& counts = results.counts;
  Stopwatch watch;
  for (bool more = true; more;) {
    std::vector<GreyFrame> read;
    for (GreyFrame frame; read.size() < batch && (more = next(loop, frame));) read.push_back(std::move(frame));
    counts.ms["read"] += watch.lap();
    std::vector<face::Face> faces;
    std::vector<std::size_t> owner;
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (!read[i].read()) continue;
      std::vector<face::Start> starts;
      if (run.starts) {
        if (const face::Start* start = run.starts->find(read[i].frame.name)) starts.push_back(*start);
      } else {
        for (const face::Start::Box& box : run.detector->detect(read[i].grey)) {
          starts.emplace_back();
          starts.back().box = box;
        }
      }
      for (std::size_t s = 0; s < std::min(starts.size(), static_cast<std::size_t>(run.faces)); ++s) {
        faces.push_back({view(read[i].grey), starts[s], false});
        owner.push_back(i);
      }
    }
    counts.ms["detect"] += watch.lap();
    std::vector<face::Fit> fits(faces.size());
    fitter->fit(faces, fits);
    if (!run.starts) try_doubtful_again(*fitter, *run.model, faces, fits);
    counts.ms["fit"] += watch.lap();
    for (std::size_t i = 0; i < read.size(); ++i) {
      std::vector<face::TrackedFace> found;
      for (std::size_t f = 0; f < fits.size(); ++f) {
        if (owner[f] != i) continue;
        face::TrackedFace face;
        face.found = face.tried = face.detected = true;
        face.landmarks = fits[f].landmarks;
        face.fit = std::move(fits[f]);
        found.push_back(std::move(face));
      }
      results.add(read[i], found, run.starts ? no_start : no_face);
    }
    counts.ms["write"] += watch.lap();
    if (run.progress) run.progress(counts.frames, loop.total());
  }
}

}  // namespace

double FaceCounts::fits_per_second() const {
  const auto time = ms.find("fit");
  return time != ms.end() && time->second > 0 ? 1000 * static_cast<double>(found) / time->second : 0;
}

io::ColourSettings face_source(double fps, bool sequence) {
  return {.fps = fps, .sequence = sequence, .full_range = true};
}

FaceCounts fit_faces(io::Source& source, const FaceRun& run) {
  Results results(run, source);
  SourceLoop loop(source, {0, run.frames}, source.consecutive() ? "frames" : "pictures");
  loop.run([&] {
    if (source.consecutive()) {
      follow(loop, source, run, results);
    } else {
      fit_each(loop, run, results);
    }
  });
  results.counts.stopped = loop.stopped();
  loop.finish([&] { results.commit(); });
  return results.counts;
}

}  // namespace kinema::app
