// What live runs of all trackers have in common: the wait for a source, and options that name receivers of estimates.
#pragma once

#include "app/options/command_line.h"
#include "io/network/live_sender.h"
#include "kinema/source.h"

#include <cstdio>

namespace kinema::app {

/// Which of them a tracker has; the words say what it sends, for the help.
void add_osc_option(Verb verb, io::LiveTargets& targets, const char* what);
void add_place_options(Verb verb, io::LiveTargets& targets, const char* to_avatar, const char* to_vrchat);

/// How avatars name the expression of a face, and how high its head is.
void add_blend_shape_option(Verb verb, io::LiveTargets& targets);
void add_height_option(Verb verb, io::LiveTargets& targets);

/// Ctrl-C ends the wait for a live source, and a line tells of whoever came and was not taken.
io::SourceWait source_wait(std::FILE* err = stderr);

}  // namespace kinema::app
