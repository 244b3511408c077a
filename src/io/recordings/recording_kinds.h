// The kinds of recordings behind kinema/recording.h, each made from lists of files whose camera is known.
#pragma once

#include "io/cameras/rectify.h"
#include "io/cameras/source_camera.h"
#include "io/files/frame_files.h"
#include "kinema/recording.h"

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinema::io {

/// The folders of a recording that hold frames.
inline constexpr std::array frame_folders = {"depth", "left", "right", "colour", "points"};

/// Files beside the frames.
struct Companions {
  std::filesystem::path background, skeleton, truth;
  FrameSequence colour;
};

std::unique_ptr<Recording> depth_recording(FrameSequence frames, const SourceCamera& camera,
                                           const Companions& companions);
std::unique_ptr<Recording> stereo_recording(FrameSequence left, FrameSequence right, const SourceCamera& camera,
                                            const Companions& companions, const RecordingSettings& settings);
std::unique_ptr<Recording> cloud_recording(FrameSequence frames, const SourceCamera& camera,
                                           const Companions& companions);

/// One video of depth, or of pairs side by side, or two videos.
std::unique_ptr<Recording> video_recording(const std::vector<std::filesystem::path>& videos, const SourceCamera& camera,
                                           const RecordingSettings& settings);

/// Raw depth images to metres at the pixels of the pinhole camera.
class DepthImages {
public:
  explicit DepthImages(const SourceCamera& source);
  const CameraFile& camera() const { return camera_; }

  /// Throws an Error, without a file's name, if the size differs or nothing was measured.
  std::vector<float> metres(const DepthImage& image) const;

private:
  CameraFile camera_;
  std::optional<PixelMap> map_;
};

/// Raw stereo pairs to rectified ones.
class StereoPairs {
public:
  StereoPairs(const SourceCamera& source, const RecordingSettings& settings);
  const CameraFile& camera() const { return camera_; }

  /// The rectified pair, and its left picture in colour.
  void fill(const Picture& left, const Picture& right, Frame& frame) const;

  /// Both pictures as they are matched.
  std::pair<Picture, Picture> rectified(const Picture& left, const Picture& right) const;

  /// Throws an Error, without a file's name, if the size differs.
  void check(const Picture& picture) const;

private:
  CameraFile camera_;
  std::optional<StereoRectification> rectification_;
};

/// An image at the camera's size, if that is known; none if its aspect ratio differs.
Picture fitted(const Picture& picture, const Camera& camera);

}  // namespace kinema::io
