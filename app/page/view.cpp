#include "app/page/view.h"

#include "app/options/interrupt.h"
#include "app/page/dropped.h"
#include "io/faces/face_detector.h"
#include "io/recordings/raw_recording.h"
#include "io/sources/frame_inbox.h"
#include "kinema/error.h"
#include "kinema/files.h"

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

namespace kinema::app {
namespace {

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

}  // namespace kinema::app
