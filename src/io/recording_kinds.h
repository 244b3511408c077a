// The kinds of recordings behind io/recording.h, each made from lists of files whose camera was found.
#pragma once

#include "io/frame_files.h"
#include "io/rectify.h"
#include "kinema/recording.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::io {

/// The camera that took the frames: a pinhole camera (with distortion for depth images), or a calibrated pair.
struct SourceCamera {
  CameraFile file;
  std::optional<Calibration> calibration;  ///< of a pair that is to be rectified
  std::string name;                        ///< of its file, for messages
};

/// Files that lie beside the frames.
struct Companions {
  std::filesystem::path background, skeleton, truth;
  FrameSequence colour;
};

std::unique_ptr<Recording> depth_recording(FrameSequence frames, const SourceCamera& camera, Companions companions);
std::unique_ptr<Recording> stereo_recording(FrameSequence left, FrameSequence right, const SourceCamera& camera,
                                            Companions companions, const RecordingSettings& settings);
std::unique_ptr<Recording> cloud_recording(FrameSequence frames, const SourceCamera& camera, Companions companions);

/// One video of depth, or of pairs side by side, or two videos.
std::unique_ptr<Recording> video_recording(const std::vector<std::filesystem::path>& videos, const SourceCamera& camera,
                                           const RecordingSettings& settings);

/// From depth images as they were taken to metres at the pinhole camera's pixels.
class DepthImages {
public:
  explicit DepthImages(const SourceCamera& camera);
  const CameraFile& camera() const { return camera_; }

  /// Throws an Error, without a file's name, where the size is another one or nothing was measured.
  std::vector<float> metres(const DepthImage& image) const;

private:
  CameraFile camera_;
  std::optional<PixelMap> map_;
};

/// From pairs of pictures as they were taken to the same.
class StereoPairs {
public:
  StereoPairs(const SourceCamera& camera, const RecordingSettings& settings);
  const CameraFile& camera() const { return camera_; }

  /// Depth and, rectified, the left picture.
  void match(const Picture& left, const Picture& right, Frame& frame) const;

  /// Throws an Error, without a file's name, where the size is another one.
  void check(const Picture& picture) const;

private:
  CameraFile camera_;
  std::optional<StereoRectification> rectification_;
  std::optional<StereoMatcher> matcher_;
};

/// A picture at the camera's size, where that is known; none where its shape is another one.
Picture fitted(const Picture& picture, const Camera& camera);

}  // namespace kinema::io
