// The estimate of a frame drawn over the camera image: the skin, coloured by limb and shaded, the bones, and a ring of
// two standard deviations around each joint. Needs OpenCV.
#pragma once

#include "io/overlays/depth_picture.h"
#include "io/pictures/picture_sink.h"
#include "kinema/body_tracker.h"
#include "kinema/camera.h"
#include "kinema/picture.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>

namespace kinema::io {

/// What a frame shows: the first of the three that is present becomes the background.
struct OverlayFrame {
  std::int64_t number = 0;
  double time = 0;
  const Picture* colour = nullptr;    ///< of the camera's size
  std::span<const float> depth = {};  ///< height x width metres, 0: not measured
  PointsView points = {};             ///< in the camera frame
};

/// Draws frames of one recording. Small images are enlarged, so that lines and text stay fine.
class OverlayPainter {
public:
  /// Throws Error if the camera is invalid or OpenCV is not built in.
  explicit OverlayPainter(const Camera& camera);

  /// `why` is shown if the estimate found nobody.
  Picture draw(const OverlayFrame& frame, const body::Skeleton& skeleton, const body::Estimate& estimate,
               std::string_view why = "lost");

  /// Several people with their numbers, or one estimate that found nobody. Estimates have their skeletons.
  Picture draw(const OverlayFrame& frame, std::span<const body::Estimate> people, std::string_view why = "lost");

private:
  Picture background(const OverlayFrame& frame);

  Camera camera_;
  std::optional<DepthRange> range_;  // of the first frame with depth
};

/// Draws frames into a video or a folder of images; see PictureSink for the forms of `path`.
class OverlaySink {
public:
  OverlaySink(const std::filesystem::path& path, const Camera& camera, double fps)
      : painter_(camera), sink_(path, fps) {}

  void add(const OverlayFrame& frame, std::span<const body::Estimate> people, std::string_view why = "lost") {
    sink_.add(painter_.draw(frame, people, why), frame.number);
  }
  void commit() { sink_.commit(); }

private:
  OverlayPainter painter_;
  PictureSink sink_;
};

}  // namespace kinema::io
