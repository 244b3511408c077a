// Writes a simulated recording: a folder of frames, truth.jsonl and, last of all, camera.json.
//
// A folder with frames but no camera.json is an unfinished recording.
#pragma once

#include "kinema/camera.h"
#include "kinema/image.h"
#include "kinema/picture.h"
#include "kinema/points.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kinema::io {

class SimulatedRecording {
public:
  /// Creates the folder, and one in it for each kind of frame (depth, colour, left, right, points). Throws Error if it
  /// already holds a recording, unless `replace`: then all files of that recording are removed first.
  SimulatedRecording(std::filesystem::path folder, const std::vector<std::string>& kinds, bool replace);

  // Files of different frames may be written concurrently.
  void write_depth(std::size_t frame, ImageView<const std::uint16_t> depth) const;
  void write_picture(const std::string& kind, std::size_t frame, const Picture& picture) const;
  void write_points(std::size_t frame, std::span<const float> xyz) const;
  void write_background(ImageView<const std::uint16_t> depth) const;

  /// The truth: positions of body::common_joints in the camera frame, for each frame.
  void write_truth(const std::vector<std::vector<Vec3>>& joints, double frames_per_second) const;

  /// Completes the recording.
  void write_camera(const Camera& camera, double frames_per_second, std::optional<double> depth_scale,
                    std::optional<double> baseline) const;

private:
  std::filesystem::path folder_;
};

}  // namespace kinema::io
