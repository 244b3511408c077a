// Frames that another program sends, in the framing of io/stream_format.h: on standard input ("-"), or to a socket of
// this machine at which kinema listens ("unix:PATH", "tcp:PORT").
#pragma once

#include "io/raw_source.h"

#include <string>

namespace kinema::io {

bool names_stream(const std::string& word);

/// Throws Error if the word is no address, or the socket cannot be opened.
RawOpener stream_opener(const std::string& word, const RecordingSettings& settings, SourceUse use);

}  // namespace kinema::io
