// Frames that another program sends to `kinema serve`, tracked for its pages.
#pragma once

#include "io/sources/frame_inbox.h"
#include "serve/messages/channel.h"
#include "serve/run_control.h"

#include <memory>

namespace kinema::app {

/// Until the inbox is closed; frames go to the channel "body".
void track_sent(const std::shared_ptr<io::FrameInbox>& inbox, serve::Hub& hub, serve::RunControl& control,
                const std::filesystem::path& recordings);

}  // namespace kinema::app
