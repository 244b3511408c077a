// Recordings of Azure Kinect and its like (Orbbec Femto): .mkv with a track of depth and an attached calibration, read
// through FFmpeg's libavformat. Without it they are videos as others.
#pragma once

#include "io/raw_source.h"

#include <string>

namespace kinema::io {

bool azure_kinect_built_in();

/// A .mkv with an attachment calibration.json. False for all others, and for files that cannot be read.
bool is_azure_kinect_file(const std::string& path);

RawOpener azure_kinect_opener(const std::string& path, const RecordingSettings& settings, SourceUse use);

}  // namespace kinema::io
