#include "app/page/view.h"

#include "app/face/face_run.h"
#include "app/head/head_run.h"
#include "app/options/interrupt.h"
#include "app/options/options.h"
#include "app/person/person_run.h"
#include "app/run/track_run.h"
#include "io/faces/face_detector.h"
#include "io/faces/face_model_file.h"
#include "io/faces/filter_json.h"
#include "io/motion/skeleton_json.h"
#include "io/recordings/raw_recording.h"
#include "io/sources/frame_inbox.h"
#include "kinema/error.h"
#include "kinema/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
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

// The dropped files: a folder of frames, one file with them, and their companions.
struct Dropped {
  std::optional<fs::path> frames;  // the one file or folder, or the folder of all
  std::optional<fs::path> beside;  // a file with the requested extension
};

Dropped dropped(const fs::path& folder, std::string_view ending = {}) {
  Dropped result;
  std::vector<fs::path> frames;
  for (const fs::path& entry : entries(folder)) {
    if (!ending.empty() && entry.extension() == ending) {
      if (result.beside) throw Error(fmt::format("two {} files were dropped: drop only one", ending));
      result.beside = entry;
    } else {
      frames.push_back(entry);
    }
  }
  if (!frames.empty()) result.frames = frames.size() == 1 ? frames.front() : folder;
  return result;
}

fs::path frames_of(const Dropped& found) {
  if (!found.frames) throw Error("there is nothing to track in what was dropped");
  return *found.frames;
}

std::string file(const serve::Job& job, const char* name) { return (job.results / name).string(); }

void track_body(serve::Job& job, serve::Hub& hub) {
  const fs::path input = frames_of(dropped(job.input));
  const std::unique_ptr<io::Recording> recording = io::open_recording({input.string()});
  TrackRun run;
  run.tracker = body::settings_for(*recording);
  run.files.poses = file(job, "poses.jsonl");
  run.files.csv = file(job, "poses.csv");
  run.files.bvh = file(job, "poses.bvh");
  const std::size_t frames = recording->size().value_or(0);
  serve::BodyFeed feed(hub.channel("body"), input.filename().string(), frames);
  job.progress(0, frames);  // the search in the first frame takes time
  std::size_t done = 0;
  run.watch = [&](const io::Frame& frame, body::Tracker& tracker, const body::Estimate& estimate) {
    show(feed, frame, tracker, estimate);
    job.progress(++done, frames);
  };
  track(*recording, run);
  feed.finish();
}

// Where no colours are known, they are learnt, from the face.
void track_person(serve::Job& job, serve::Hub& hub, serve::FaceSharedState& faces, const fs::path& input) {
  PersonRun run;
  run.tracker.model = faces.model();
  if (!run.tracker.model)
    throw Error("no face model is installed: drop filter.json with the video, or a face model first");
  run.tracker.detect = faces.detect();
  run.outputs.table = file(job, "track.csv");
  run.outputs.lines = file(job, "track.jsonl");
  const std::unique_ptr<io::Source> source = io::open_colour({input.string()});
  const std::size_t frames = source->size().value_or(0);
  serve::PersonFeed feed(hub.channel("head"), input.filename().string());
  job.progress(0, frames);
  std::size_t done = 0;
  run.watch = [&](const io::Frame& frame, const person::Estimate& estimate) {
    feed.add(frame.index, frame.colour, estimate);
    job.progress(++done, frames);
  };
  track(*source, run);
  feed.finish();
}

void track_head(serve::Job& job, serve::Hub& hub, serve::HeadSharedState& shared, serve::FaceSharedState& faces) {
  const Dropped found = dropped(job.input, ".json");
  if (found.beside) shared.set_calibration(io::read_filter(*found.beside));
  if (found.beside && !found.frames) {
    job.note = "These colours are used from now on, for files and for cameras that are switched on later.";
    return;
  }
  const fs::path input = frames_of(found);
  const auto calibration = shared.calibration();
  if (!calibration) return track_person(job, hub, faces, input);
  HeadRun run;
  run.tracker.calibration = *calibration;
  run.outputs.table = file(job, "head.csv");
  run.outputs.lines = file(job, "head.jsonl");
  const std::unique_ptr<io::Source> source = io::open_colour({input.string()});
  const std::size_t frames = source->size().value_or(0);
  serve::HeadFeed feed(hub.channel("head"), input.filename().string(), frames);
  const head::Tracker* tracker = nullptr;
  run.started = [&](const head::Tracker& made) { tracker = &made; };
  std::size_t done = 0;
  run.watch = [&](const io::Frame& frame, const head::Estimate& estimate) {
    feed.add(frame.index, frame.time, frame.colour, estimate, *tracker);
    job.progress(++done, frames);
  };
  track(*source, run);
  feed.finish();
}

void fit_face(serve::Job& job, serve::Hub& hub, serve::FaceSharedState& shared) {
  const Dropped found = dropped(job.input, ".kface");
  if (!found.beside) frames_of(found);
  if (found.beside) shared.set_model(std::make_shared<const face::Model>(io::read_face_model(*found.beside)));
  FaceRun run;
  run.tracker.model = shared.model();
  if (!run.tracker.model) {
    throw Error("drop a face model (.kface, from kinema face train) together with the pictures or the video");
  }
  serve::FaceFeed feed(hub.channel("face"), (found.frames ? *found.frames : *found.beside).filename().string(),
                       run.tracker.model);
  if (!found.frames) {
    feed.finish();
    job.note = "This model is fitted from now on, to files and to the cameras of pages.";
    return;
  }
  run.detector.emplace("");
  run.files.landmarks = file(job, "landmarks.jsonl");
  run.files.csv = file(job, "landmarks.csv");
  run.watch = [&](std::int64_t frame, const io::Picture& picture, const face::Estimate& face) {
    feed.add(frame, picture, face);
  };
  run.progress = [&](std::size_t done, std::size_t total) { job.progress(done, total); };
  fit_faces(*io::open_colour({found.frames->string()}, face_source()), run);
  feed.finish();
}

// Files dropped on the live page: recognised, tracked, shown on the page meanwhile, and written as CSV, JSON lines and BVH
// for download. Filters and models are also kept in the shared state, for later cameras and files; they may be dropped
// alone. Throws Error if the files cannot be tracked, and serve::Job::Cancelled.
void track_dropped(serve::Job& job, serve::Hub& hub, serve::HeadSharedState& heads, serve::FaceSharedState& faces) {
  if (job.kind == "body") return track_body(job, hub);
  if (job.kind == "head") return track_head(job, hub, heads, faces);
  fit_face(job, hub, faces);
}

std::span<const serve::Page> pages() {
  const std::span<const serve::Page> pages = serve::built_in_pages();
  if (!serve::Server::available()) {
    throw Error(
        "this kinema was built without a server for the live page: install libboost-dev and npm, configure again with "
        "-DKINEMA_WEB=ON (cmake says what it finds) and build");
  }
  if (pages.empty()) {
    throw Error(
        "this kinema was built without the live page, which needs npm: install it, configure again (cmake says what it "
        "finds) and build");
  }
  return pages;
}

face::Detect make_detect() {
  const auto detector = std::make_shared<const io::FaceDetector>();
  return [detector](const face::GreyView& image) { return detector->detect(image); };
}

// Nothing where it is not installed: pages then ask for a model.
std::shared_ptr<const face::Model> shipped_face_model() {
  const std::filesystem::path place = default_face_model();
  return place.empty() ? nullptr : std::make_shared<const face::Model>(read_face_model(place));
}

serve::ServerSettings settings(const ViewOptions& options) {
  serve::ServerSettings settings;
  settings.address = options.address;
  settings.port = options.port;
  settings.token = options.token;
  return settings;
}

// Frames that another program sends, until the inbox is closed; they go to the channel "body".
void track_sent(const std::shared_ptr<io::FrameInbox>& inbox, serve::Hub& hub, serve::RunControl& control,
                const std::filesystem::path& recordings) {
  const io::RecordingSettings settings;
  const std::unique_ptr<io::Recording> recording = io::open_raw(io::FrameInbox::opener(inbox, settings), settings);
  TrackRun run;
  run.tracker = body::settings_for(*recording);
  run.tracker.lag = 0;  // nothing is written that later frames could correct
  serve::BodyFeed feed(hub.channel("body"), "another program", 0);
  show(feed, run, control);
  run.recordings = recordings;
  track(*recording, run);
  feed.finish();
}

}  // namespace

void add_server_options(Verb verb, ViewOptions& options) {
  verb.option("--address", options.address, "ADDRESS",
              "Address of the page; any but 127.0.0.1 lets other machines connect")
      .show_default();
  verb.option("--port", options.port, "N", "Port of the page; 0: any free one").show_default();
  verb.flag("!--no-token", options.token,
            "Let everybody on this machine open the page, not only those who know the token in the printed address");
  verb.option("--recordings", options.recordings, "DIR", "Where the page's button puts recordings of a live source")
      .show_default();
}

void add_view_options(Verb verb, ViewOptions& options) {
  verb = verb.under("The live page");
  verb.flag("--view", options.wanted, "Show the run in a browser while it lasts, and then until Ctrl-C");
  add_server_options(verb, options);
}

View::View(const ViewOptions& options, std::optional<head::Calibration> calibration, bool drops)
    : recordings_(options.recordings),
      heads_(std::move(calibration)),
      faces_(make_detect, shipped_face_model()),
      uploads_(drops ? std::make_unique<serve::Uploads>() : nullptr),
      jobs_(drops ? std::make_unique<serve::JobQueue>(*uploads_,
                                                      [this](serve::Job& job) {
                                                        std::unique_lock body(body_, std::defer_lock);
                                                        if (job.kind == "body") body.lock();
                                                        track_dropped(job, hub_, heads_, faces_);
                                                      })
                  : nullptr),
      frames_(drops ? std::make_unique<serve::FrameSenders>([this](const std::shared_ptr<io::FrameInbox>& inbox) {
        const std::lock_guard body(body_);
        track_sent(inbox, hub_, control_, recordings_);
      })
                    : nullptr),
      server_(
          settings(options), pages(), hub_, [this](serve::PageSender& sender) { return handlers(sender); },
          uploads_.get()) {
  warn(stderr, "look at {} (Ctrl-C ends)", server_.url());
}

serve::RequestHandlers View::handlers(serve::PageSender& sender) {
  serve::RequestHandlers handlers;
  handlers.push_back(std::make_unique<serve::HeadHandler>(sender, heads_));
  handlers.push_back(std::make_unique<serve::FaceHandler>(sender, faces_));
  handlers.push_back(std::make_unique<serve::PersonHandler>(sender, faces_, heads_));
  handlers.push_back(std::make_unique<serve::RunHandler>(control_));
  if (jobs_) handlers.push_back(std::make_unique<serve::JobHandler>(sender, *jobs_));
  if (frames_) handlers.push_back(std::make_unique<serve::FramesHandler>(sender, *frames_));
  return handlers;
}

void View::wait() {
  std::fflush(stdout);
  const Interrupt interrupt;
  while (!interrupt.asked()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

void show(serve::BodyFeed& feed, TrackRun& run, serve::RunControl& control) {
  run.control = &control;
  run.watch = [&feed](const io::Frame& frame, body::Tracker& tracker, const body::Estimate& estimate) {
    show(feed, frame, tracker, estimate);
  };
  run.watch_live = [&feed](const LiveStatus& status) {
    feed.set_live({status.taken, status.latency_ms / 1000, status.counts.late, status.counts.reopened,
                   status.pace.particles, status.pace.points, status.lowered, status.tracking, status.copy,
                   status.being_copied});
  };
}

void show(serve::BodyFeed& feed, const io::Frame& frame, body::Tracker& tracker, const body::Estimate& estimate) {
  const std::vector<Vec3> particles = tracker.particle_joints(serve::BodyFeed::most_particles);
  feed.add({tracker.skeleton(), estimate, frame.gap.empty() ? tracker.points().view() : PointsView{}, particles,
            &frame.colour});
}

namespace {

struct ServeOptions {
  ViewOptions view;
  std::string filter, model;
};

void run(const ServeOptions& options) {
  const Interrupt interrupt;  // so that dropped files do not remain, from the first one on
  std::optional<head::Calibration> calibration;
  if (!options.filter.empty()) calibration = io::read_filter(options.filter);
  std::shared_ptr<const face::Model> model;  // refused before anything is served
  if (!options.model.empty()) model = std::make_shared<const face::Model>(read_face_model(options.model));
  View view(options.view, std::move(calibration), true);
  for (const char* channel : {"body", "head", "face"}) view.hub().channel(channel);
  if (model) view.faces().set_model(model);
  if (const auto shown = view.faces().model()) {
    serve::FaceFeed(view.hub().channel("face"), model ? options.model : "kinema's own model", shown).finish();
  }
  view.wait();
}

}  // namespace

void add_serve(Verb parent, Task& task) {
  Verb verb = parent.add("serve",
                         "Serve the live page: track heads and faces in the browser's camera, dropped files, and "
                         "frames of other programs");
  const auto options = std::make_shared<ServeOptions>();
  add_server_options(verb.under("Options"), options->view);
  verb.option("--filter", options->filter, "filter.json", "The user's colours, in place of a calibration on the page");
  verb.option("--model", options->model, "M.kface",
              "The face model for the browser's camera, in place of kinema's own");
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
