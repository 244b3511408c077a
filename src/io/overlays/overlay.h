// The estimate of a frame drawn over the camera image: the skin, coloured by limb and shaded, the bones, and a ring of
// two standard deviations around each joint. Needs OpenCV.
#pragma once

#include "io/pictures/picture_sink.h"
#include "kinema/body_tracker.h"
#include "kinema/camera.h"
#include "kinema/picture.h"
#include "kinema/points.h"
#include "kinema/skeleton.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kinema::io {

/// Depths in metres that are shown bright and dark.
struct DepthRange {
  double near = 0, far = 0;
};

/// A range that holds nearly all measured depths, so that a few outliers do not use up the greys. Computed once per
/// recording: per frame it would flicker.
DepthRange depth_range(std::span<const float> depth);

/// `depth` is height x width in metres; 0 or not finite: not measured. Throws Error if the sizes disagree.
Picture depth_picture(std::span<const float> depth, int width, int height, const DepthRange& range);

/// The depth image of points as a camera sees it, each point a small square; 0 where there is none.
std::vector<float> depth_of_points(const PointsView& points, const Camera& camera);

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

enum class Limb { trunk, head, left_arm, right_arm, left_leg, right_leg };

/// Per joint of the skeleton, from the common names in it and the joints attached to them.
std::vector<Limb> limbs(const body::Skeleton& skeleton);

struct SkinPicture {
  static constexpr std::uint8_t nothing = 255;

  int width = 0, height = 0;
  std::vector<std::uint8_t> limb;  ///< height x width: a Limb, or `nothing`
  std::vector<float> light;        ///< height x width: 1 where the skin faces the camera, approaching 0 at its outline
};

/// `capsules` is K x 7 as returned by pose_capsules(), `limb` the K limbs. Capsules that reach behind the camera are
/// left out.
SkinPicture skin_picture(std::span<const float> capsules, std::span<const Limb> limb, const Camera& camera);

}  // namespace kinema::io
