#include "app/options/live_options.h"

#include "app/options/interrupt.h"
#include "app/options/options.h"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace kinema::app {
namespace {

constexpr const char* live_receivers = "Live receivers";

}  // namespace

void add_osc_option(Verb verb, io::LiveTargets& targets, const char* what) {
  verb.under(live_receivers)
      .option("--osc", targets.osc, "HOST:PORT", fmt::format("Send {} as Open Sound Control", what));
}

void add_place_options(Verb verb, io::LiveTargets& targets, const char* to_avatar, const char* to_vrchat) {
  verb = verb.under(live_receivers);
  verb.option("--udp,--opentrack", targets.opentrack, "HOST:PORT", "Send the head to opentrack (\"UDP over network\")");
  verb.flag("--udp-time", targets.opentrack_time,
            "Add a seventh double to each packet of --udp, which opentrack ignores: when the frame was taken, seconds "
            "since 1970");
  verb.option("--vmc", targets.vmc, "HOST:PORT",
              fmt::format("Send {} to an avatar (Virtual Motion Capture protocol)", to_avatar));
  verb.option("--vrchat", targets.vrchat, "HOST:PORT", fmt::format("Send {} to VRChat as trackers", to_vrchat));
}

void add_blend_shape_option(Verb verb, io::LiveTargets& targets) {
  verb.under(live_receivers)
      .choice("--blend-shapes", targets.blend_shapes,
              "How --vmc names the expression: as ARKit, or by the presets of VRM",
              {{"arkit", io::BlendShapes::arkit}, {"vrm0", io::BlendShapes::vrm0}, {"vrm1", io::BlendShapes::vrm1}});
}

void add_height_option(Verb verb, io::LiveTargets& targets) {
  verb.under(live_receivers)
      .length("--height", targets.height,
              "Height of the person, whose eyes at rest are as high for avatars; in metres or with a unit", {0.5, 2.5})
      .show_default("1.7");
}

io::SourceWait source_wait(std::FILE* err) {
  return {.stopped = [interrupt = std::make_shared<const Interrupt>()] { return interrupt->asked(); },
          .note = [err](const std::string& line) { warn(err, "{}", line); }};
}

}  // namespace kinema::app
