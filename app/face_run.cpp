#include "app/face_run.h"

#include "app/face_options.h"
#include "app/face_sinks.h"
#include "app/interrupt.h"
#include "app/progress.h"
#include "app/stopwatch.h"
#include "io/face_picture.h"
#include "io/frame_files.h"
#include "io/input_file.h"
#include "io/video_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinema::app {
namespace fs = std::filesystem;

namespace {

constexpr const char* no_face = "no face was found";
constexpr const char* no_start = "the starts name no such picture";

std::vector<fs::path> pictures_of(const fs::path& folder) {
  std::vector<fs::path> pictures;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.empty() && name[0] != '.' && io::kind_of(entry.path()) == io::FileKind::picture)
        pictures.push_back(entry.path());
    }
  } catch (const fs::filesystem_error& error) {
    throw io::about(folder, Error(fmt::format("cannot be listed: {}", error.code().message())));
  }
  std::sort(pictures.begin(), pictures.end());
  if (pictures.empty()) throw io::about(folder, Error("holds no pictures (.jpg, .png, .tif, .bmp, .pgm)"));
  return pictures;
}

// Frames one after the other, from a video or from pictures.
class Frames {
public:
  Frames(const fs::path& input, double fps) : fps_(fps), name_(input.filename().string()) {
    std::error_code ignored;
    if (fs::is_directory(input, ignored)) {
      pictures_ = pictures_of(input);
    } else if (io::kind_of(input) == io::FileKind::picture) {
      pictures_ = {input};
    } else {
      video_.emplace(input, io::VideoFile::Content::colour);
      if (!(fps_ > 0)) fps_ = video_->fps();
    }
    if (!(fps_ > 0)) fps_ = 30;
  }

  struct Frame {
    std::int64_t number = 0;
    std::string file;
    double time = 0;
    io::Picture picture;
    io::GreyImage grey;
    std::string unreadable;  // why; empty where there is a picture
  };

  bool next(Frame& frame) {
    frame = {};
    frame.number = number_;
    frame.time = static_cast<double>(number_) / fps_;
    if (video_) {
      if (!video_->next(frame.picture)) return false;
      frame.file = name_;
    } else {
      if (number_ >= static_cast<std::int64_t>(pictures_.size())) return false;
      const fs::path& path = pictures_[static_cast<std::size_t>(number_)];
      frame.file = path.filename().string();
      try {
        frame.picture = io::read_face_picture(path);
      } catch (const Error& error) {
        if (pictures_.size() == 1) throw;
        frame.unreadable = error.what();
      }
    }
    if (frame.unreadable.empty()) frame.grey = io::grey_of(frame.picture);
    ++number_;
    return true;
  }

  bool video() const { return video_.has_value(); }
  std::size_t size() const { return video_ ? video_->size().value_or(0) : pictures_.size(); }
  double fps() const { return fps_; }

private:
  double fps_;
  std::string name_;
  std::optional<io::VideoFile> video_;
  std::vector<fs::path> pictures_;
  std::int64_t number_ = 0;
};

// What the run counts, and where everything goes.
class Keeper {
public:
  Keeper(const FaceRun& run, const Frames& frames)
      : run_(run),
        sinks_(run.files, *run.model, !frames.video() && frames.size() == 1, frames.fps()),
        timed_(frames.video() || run.sequence) {}

  void add(const Frames::Frame& frame, const std::vector<face::TrackedFace>& faces, std::string_view why) {
    ++counts.frames;
    bool any = false;
    for (const face::TrackedFace& face : faces) {
      any = any || face.found;
      if (face.found) quality_ += face.fit.quality, ++fits_;
    }
    ++(!frame.unreadable.empty() ? counts.unreadable : any ? counts.found : counts.lost);
    if (!frame.unreadable.empty()) counts.lines.push_back(frame.unreadable);
    counts.quality = fits_ > 0 ? quality_ / static_cast<double>(fits_) : 0;
    sinks_.add(
        {frame.number, frame.file, timed_ ? std::optional(frame.time) : std::nullopt, &frame.picture, &frame.grey},
        faces, frame.unreadable.empty() ? why : std::string_view(frame.unreadable));
    if (run_.watch && !faces.empty()) run_.watch(frame.number, frame.picture, faces.front());
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

// The frames of a film, each from the one before.
void follow(Frames& frames, const FaceRun& run, Keeper& keeper, const Interrupt& interrupt) {
  face::Detect detect;
  if (run.detector) detect = [&](const face::GreyView& image) { return run.detector->detect(image); };
  face::Tracker tracker(run.model, run.tracker, detect, run.backend);
  Progress progress("frames", frames.size(), true);
  FaceCounts& counts = keeper.counts;
  Frames::Frame frame;
  Stopwatch watch;
  while (!interrupt.asked() && (run.frames == 0 || counts.frames < run.frames) && frames.next(frame)) {
    counts.ms["read"] += watch.lap();
    std::vector<face::TrackedFace> faces;
    std::string_view why = no_face;
    if (frame.unreadable.empty()) {
      if (run.starts) {
        const face::Start* start =
            run.starts->find(frame.file, frames.video() ? std::optional(frame.number) : std::nullopt);
        if (start != nullptr) tracker.start(*start);
      }
      faces.push_back(tracker.track(view(frame.grey), frame.time));
      counts.ms["fit"] += watch.lap();
      if (faces.front().tried && !faces.front().found) why = "lost: the score does not trust the fit";
      counts.restarts += faces.front().found && faces.front().detected;
    }
    keeper.add(frame, faces, why);
    counts.ms["write"] += watch.lap();
    progress.show(counts.frames);
    if (run.progress) run.progress(counts.frames, frames.size());
  }
}

// Pictures that have nothing to do with each other: a batch at a time, which the fitter divides among its threads.
void fit_each(Frames& frames, const FaceRun& run, Keeper& keeper, const Interrupt& interrupt) {
  constexpr std::size_t batch = 16;
  const std::unique_ptr<face::Fitter> fitter = face::make_fitter(run.model, run.tracker.fit, run.backend);
  Progress progress("pictures", frames.size(), true);
  FaceCounts& counts = keeper.counts;
  Stopwatch watch;
  bool more = true;
  while (more && !interrupt.asked()) {
    std::vector<Frames::Frame> read;
    while (read.size() < batch && (run.frames == 0 || counts.frames + read.size() < run.frames)) {
      Frames::Frame frame;
      more = frames.next(frame);
      if (!more) break;
      read.push_back(std::move(frame));
    }
    more = more && read.size() == batch;
    counts.ms["read"] += watch.lap();
    std::vector<face::Face> faces;
    std::vector<std::size_t> owner;
    for (std::size_t i = 0; i < read.size(); ++i) {
      if (!read[i].unreadable.empty()) continue;
      std::vector<face::Start> starts;
      if (run.starts) {
        if (const face::Start* start = run.starts->find(read[i].file)) starts.push_back(*start);
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
      keeper.add(read[i], found, run.starts ? no_start : no_face);
    }
    counts.ms["write"] += watch.lap();
    progress.show(counts.frames);
    if (run.progress) run.progress(counts.frames, frames.size());
  }
}

}  // namespace

double FaceCounts::fits_per_second() const {
  const auto time = ms.find("fit");
  return time != ms.end() && time->second > 0 ? 1000 * static_cast<double>(found) / time->second : 0;
}

FaceCounts fit_faces(const fs::path& input, const FaceRun& run) {
  std::error_code ignored;
  if (!fs::exists(input, ignored)) throw io::about(input, Error("there is no such picture, video or folder"));
  Frames frames(input, run.fps);
  Keeper keeper(run, frames);
  const Interrupt interrupt;
  if (frames.video() || run.sequence) {
    follow(frames, run, keeper, interrupt);
  } else {
    fit_each(frames, run, keeper, interrupt);
  }
  keeper.counts.stopped = interrupt.asked();
  keeper.commit();
  return keeper.counts;
}

}  // namespace kinema::app
