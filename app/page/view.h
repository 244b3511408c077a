// The live page of a run: the option --view of the commands that track and fit, and the basis of `kinema serve`.
#pragma once

#include "app/options/options.h"
#include "app/run/track_run.h"
#include "serve/messages/body_feed.h"
#include "serve/messages/face_feed.h"
#include "serve/messages/head_feed.h"
#include "serve/requests/face_handler.h"
#include "serve/requests/frames_handler.h"
#include "serve/requests/head_handler.h"
#include "serve/requests/job_handler.h"
#include "serve/run_control.h"
#include "serve/server.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace kinema::app {

struct ViewOptions {
  bool wanted = false;
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;
  bool token = true;                       ///< needed by everybody who connects
  std::filesystem::path recordings = ".";  ///< where pages let live sources be recorded
};

/// --address, --port, --no-token and --recordings.
void add_server_options(Verb verb, ViewOptions& options);

/// --view, with the options above.
void add_view_options(Verb verb, ViewOptions& options);

class View {
public:
  /// Starts serving, and prints the address on standard error; pages may send frames of their own camera to the head
  /// tracker, which starts with the calibration if there is one. `drops`: files may be dropped on the page to be
  /// tracked, and other programs may send frames. Throws Error if this build has no pages.
  explicit View(const ViewOptions& options, std::optional<head::Calibration> calibration = {}, bool drops = false);

  serve::Hub& hub() { return hub_; }

  /// Cameras of pages are fitted with this model: kinema's own, unless another is set.
  serve::FaceSharedState& faces() { return faces_; }

  /// Asked by pages, of the run of a body tracker.
  serve::RunControl& control() { return control_; }

  /// Until Ctrl-C.
  void wait();

private:
  serve::RequestHandlers handlers(serve::PageSender& sender);

  std::filesystem::path recordings_;
  serve::Hub hub_;
  serve::HeadSharedState heads_;
  serve::FaceSharedState faces_;
  serve::RunControl control_;
  std::unique_ptr<serve::Uploads> uploads_;  // if files may be dropped
  std::mutex body_;                          // dropped files and sent frames share the channel of the body
  std::unique_ptr<serve::JobQueue> jobs_;
  std::unique_ptr<serve::FrameSenders> frames_;
  serve::Server server_;
};

/// Sends each frame of a run of the body tracker to the page, which may stop it, record its source and let it search again.
void show(serve::BodyFeed& feed, TrackRun& run, serve::RunControl& control);

/// Sends a frame of the body tracker to the page.
void show(serve::BodyFeed& feed, const io::Frame& frame, body::Tracker& tracker, const body::Estimate& estimate);

}  // namespace kinema::app
