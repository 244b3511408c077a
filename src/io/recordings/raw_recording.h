// Recordings from raw sources. A recorded source gives every frame; a live one the newest, and counts those that came
// too late.
#pragma once

#include "io/recordings/recording_kinds.h"
#include "io/sources/raw_source.h"
#include "kinema/recording.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinema::io {

/// Raw frames to those of a recording.
class FrameConverter {
public:
  FrameConverter(const RawFormat& format, const RecordingSettings& settings);

  /// The pinhole camera of the frames.
  const CameraFile& camera() const;

  /// Fills depth and colour; a frame that cannot be used becomes a gap.
  void convert(RawFrame raw, Frame& frame) const;

  /// The rectified pictures of a pair, as matched.
  std::pair<Picture, Picture> rectified(const RawFrame& raw) const;

private:
  void fill(RawFrame& raw, Frame& frame) const;
  std::vector<float> checked(std::vector<float> metres) const;

  RawFormat::Content content_;
  CameraFile file_;
  std::string name_;
  bool colour_;
  std::optional<DepthImages> images_;
  std::optional<StereoPairs> pairs_;
};

/// Opens the source; blocks until it is there. `settings.reconnect` applies to live ones.
std::unique_ptr<Recording> open_raw(const RawOpener& open, const RecordingSettings& settings);

}  // namespace kinema::io
