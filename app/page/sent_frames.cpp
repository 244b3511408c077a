#include "app/page/sent_frames.h"

#include "app/page/view.h"
#include "app/run/track_run.h"
#include "io/recordings/raw_recording.h"

namespace kinema::app {

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

}  // namespace kinema::app
