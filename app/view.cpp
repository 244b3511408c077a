#include "app/view.h"

#include "app/interrupt.h"
#include "kinema/error.h"

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

namespace kinema::app {
namespace {

std::span<const serve::Page> pages() {
  const std::span<const serve::Page> pages = serve::built_in_pages();
  if (pages.empty()) {
    throw Error(
        "this kinema was built without the live page, which needs npm and libboost-dev: install both, configure again "
        "(cmake says what it finds) and build");
  }
  return pages;
}

serve::ServerSettings settings(const ViewOptions& options) {
  serve::ServerSettings settings;
  settings.address = options.address;
  settings.port = options.port;
  return settings;
}

}  // namespace

void add_server_options(Verb verb, ViewOptions& options, const char* group) {
  verb.option("--address", options.address,
              "Of the page; any but 127.0.0.1 lets others connect, who need the token that is printed")
      .type("ADDRESS")
      .show_default()
      .group(group);
  verb.option("--port", options.port, "Of the page; 0: any that is free").type("N").show_default().group(group);
}

void add_view_options(Verb verb, ViewOptions& options) {
  const char* group = "The live page";
  verb.flag("--view", options.wanted, "Show it in a browser while it runs, and until Ctrl-C").group(group);
  add_server_options(verb, options, group);
}

View::View(const ViewOptions& options, std::optional<head::Calibration> calibration)
    : desk_(std::move(calibration)), server_(settings(options), pages(), hub_, [this](serve::Answers& answers) {
        return std::make_unique<serve::HeadPartner>(answers, desk_);
      }) {
  fmt::print(stderr, "kinema: look at {} (Ctrl-C ends)\n", server_.url());
}

void View::wait() {
  std::fflush(stdout);
  const Interrupt interrupt;
  while (!interrupt.asked()) std::this_thread::sleep_for(std::chrono::milliseconds(50));
}

void show(serve::BodyFeed& feed, const TrackedFrame& seen) {
  const std::vector<Vec3> particles = seen.tracker.particle_joints(serve::BodyFeed::most_particles);
  feed.add({seen.frame.index,
            seen.frame.time,
            seen.tracker.skeleton(),
            seen.estimate,
            seen.why,
            seen.frame.gap.empty() ? seen.cloud.view() : PointsView{},
            particles,
            {{"foreground", seen.foreground_ms}}});
}

}  // namespace kinema::app
