// Options that name receivers of live estimates, the same for all trackers.
#pragma once

#include "app/command_line.h"
#include "io/network/live_sender.h"

namespace kinema::app {

/// Which of them a tracker has; the words say what it sends, for the help.
void add_osc_option(Verb verb, io::LiveTargets& targets, const char* what);
void add_place_options(Verb verb, io::LiveTargets& targets, const char* to_avatar, const char* to_vrchat);

}  // namespace kinema::app
