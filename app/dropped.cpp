#include "app/dropped.h"

#include "app/face_run.h"
#include "app/head_run.h"
#include "app/track_run.h"
#include "app/view.h"
#include "io/face_model_file.h"
#include "io/filter_json.h"
#include "io/skeleton_json.h"
#include "kinema/error.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// A file of this ending, which is no frame; nothing where there is none.
std::optional<fs::path> file_of(const fs::path& folder, const char* extension) {
  for (const fs::path& entry : entries(folder)) {
    if (entry.extension() == extension) return entry;
  }
  return std::nullopt;
}

// What was dropped: the folder itself, the one folder in it, or the one file.
fs::path dropped(const fs::path& folder) {
  std::vector<fs::path> all = entries(folder);
  std::erase_if(
      all, [](const fs::path& entry) { return entry.extension() == ".kface" || entry.filename() == "filter.json"; });
  if (all.empty()) throw Error("there is nothing to track in what was dropped");
  return all.size() == 1 ? all.front() : folder;
}

std::string file(const serve::Job& job, const char* name) { return (job.results / name).string(); }

void track_body(serve::Job& job, serve::Hub& hub) {
  const fs::path input = dropped(job.input);
  TrackRun run;
  fill_in(run);
  const std::unique_ptr<io::Recording> recording = io::open_recording({input.string()});
  run.person = recording->skeleton().empty() ? Person{body::default_human(), false}
                                             : Person{io::read_skeleton(recording->skeleton()), true};
  run.files = {file(job, "poses.jsonl"), file(job, "poses.csv"), file(job, "poses.bvh"), ""};
  const std::size_t frames = recording->size().value_or(0);
  serve::BodyFeed feed(hub.channel("body"), input.filename().string(), frames);
  std::size_t done = 0;
  run.watch = [&](const TrackedFrame& seen) {
    show(feed, seen);
    job.progress(++done, frames);
  };
  track(*recording, run);
  feed.finish();
}

void track_head(serve::Job& job, serve::Hub& hub,
                const std::function<std::optional<head::Calibration>()>& calibration) {
  const fs::path input = dropped(job.input);
  HeadRun run;
  if (const auto filter = file_of(job.input, ".json")) {
    run.calibration = io::read_filter(*filter);
  } else if (const auto known = calibration()) {
    run.calibration = *known;
  } else {
    throw Error(
        "the head's colours are not known: calibrate on the Head page first, or drop filter.json with the video");
  }
  run.outputs.table = file(job, "head.csv");
  run.outputs.lines = file(job, "head.jsonl");
  const std::unique_ptr<io::ColourSource> source = io::open_colour({input.string()});
  const std::size_t frames = source->size().value_or(0);
  serve::HeadFeed feed(hub.channel("head"), input.filename().string(), frames);
  const head::Tracker* tracker = nullptr;
  run.started = [&](const head::Tracker& made) { tracker = &made; };
  std::size_t done = 0;
  run.watch = [&](const io::ColourFrame& frame, const head::HeadEstimate& estimate) {
    feed.add(frame.index, frame.time, frame.picture, estimate, *tracker);
    job.progress(++done, frames);
  };
  track(*source, run);
  feed.finish();
}

void fit_face(serve::Job& job, serve::Hub& hub) {
  const auto model = file_of(job.input, ".kface");
  if (!model) throw Error("drop a face model (.kface, from kinema face train) together with the pictures or the video");
  const fs::path input = dropped(job.input);
  FaceRun run;
  run.backend = choose(Backend::automatic);
  run.model = std::make_shared<const face::Model>(io::read_face_model(*model));
  run.detector.emplace("");
  run.files.landmarks = file(job, "landmarks.jsonl");
  run.files.csv = file(job, "landmarks.csv");
  serve::FaceFeed feed(hub.channel("face"), input.filename().string(), run.model);
  std::size_t done = 0;
  run.watch = [&](std::int64_t frame, const io::Picture& picture, const face::TrackedFace& face) {
    feed.add(frame, picture, face);
    job.progress(++done, 0);
  };
  fit_faces(input, run);
  feed.finish();
}

}  // namespace

void track_dropped(serve::Job& job, serve::Hub& hub,
                   const std::function<std::optional<head::Calibration>()>& calibration) {
  if (job.kind == "body") return track_body(job, hub);
  if (job.kind == "head") return track_head(job, hub, calibration);
  fit_face(job, hub);
}

}  // namespace kinema::app
