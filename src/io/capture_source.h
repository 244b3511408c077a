// Stereo pairs and colour from what OpenCV opens live: "stereo:0" is one camera that delivers both pictures side by side,
// "stereo:0,1" are two cameras, left and right; an address such as rtsp://, udp:// or http:// is a stream of pictures,
// side by side for the body. Needs OpenCV.
#pragma once

#include "io/raw_source.h"

#include <string>

namespace kinema::io {

bool names_stereo_camera(const std::string& word);
bool names_network_video(const std::string& word);

/// Pairs for the body, colour otherwise. The camera of pairs comes from `settings`.
RawOpener capture_opener(const std::string& word, const RecordingSettings& settings, SourceUse use);

}  // namespace kinema::io
