// What the header of a stream (io/sources/stream_format.h) says about the frames that follow, as for any other raw source.
#pragma once

#include "io/sources/raw_source.h"
#include "io/sources/stream_format.h"

#include <string>

namespace kinema::io {

/// Throws Error, with the name of the stream, if its frames cannot serve this use or their camera is not known.
RawFormat stream_raw_format(const StreamHeader& header, const std::string& name, const RecordingSettings& settings,
                            SourceUse use);

}  // namespace kinema::io
