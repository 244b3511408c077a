// The head tracker: frames of a camera to the head's place, area and distance, frame by frame.
//
// In its plain mode it is the paper's: the centroid of all skin in the frame (eqs. 1-6). For rooms with other things of
// skin's colour a soft window follows the head.
#pragma once

#include "kinema/head_calibration.h"
#include "kinema/one_euro.h"
#include "kinema/points.h"
#include "kinema/stage_time.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::head {

enum class Following {
  automatic,  ///< window where the calibration knows the head's size, else plain
  plain,      ///< the centroid of the whole frame, as in the paper
  window,     ///< a soft window that moves with the head and takes its size
};

struct TrackerSettings {
  Following following = Following::automatic;

  /// Learn the head's colours, and those around it, on the way: follows the light, and separates better than any plane,
  /// since it is made for this place and moment. Window mode only. Hurts where something else of the head's size takes
  /// its place for seconds.
  bool recalibrate = true;

  /// Know the head by its edges too: holds the window where something else has the head's colours, and while the light
  /// changes. Window mode only. Costs about a millisecond a frame.
  bool pattern = true;

  /// Learn what stands still, and let only what differs from it count. For cameras that do not move; a person who does
  /// not move either for minutes becomes part of the room in plain mode.
  bool background = false;

  /// Rows below the chin count for nothing: for low necklines. Window mode only, which knows where the chin is.
  bool neck_cut = false;

  /// Smooths x, y and the distance. Off: each frame stands for itself.
  std::optional<OneEuroSettings> smoothing;

  /// Metres from the camera at which the head covers the area of the reference (or, without one, that of the first frame
  /// it is found in). Instead of the calibration's.
  std::optional<double> reference_distance;

  /// Radians, across the frame. Instead of the calibration's.
  std::optional<double> field_of_view;

  /// Any name that make_moments() knows; the steps of the paper's ladder go with plain mode alone.
  std::string backend = "auto";
  MomentsSettings moments;
};

struct HeadEstimate {
  bool found = false;
  std::string why;  ///< where not found: what is missing

  double x = 0, y = 0;          ///< pixels; plain: the centroid, eq. 4; window: the head's centre
  double raw_x = 0, raw_y = 0;  ///< the same before smoothing
  double area = 0;              ///< the share of the frame that the head covers, eq. 5

  /// How sure it is, 0...1. Window: skin inside less skin around it. Plain: how compact the skin is, 1 for a filled
  /// ellipse.
  double score = 0;

  std::optional<double> distance;  ///< metres, where a reference distance is known
  std::optional<Vec3> position;    ///< metres, x right, y down, z forward, where the field of view is known too

  std::optional<Oval> oval;  ///< the head's outline, in window mode
  std::vector<StageTime> times;
};

/// Follows one head through the frames of one camera, all of one size. Not for use by two threads at once. The same
/// frames give the same estimates.
class Tracker {
public:
  /// Throws Error where settings make no sense or the backend is not there.
  explicit Tracker(const Calibration& calibration, const TrackerSettings& settings = {});
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  /// `time` in seconds. Throws Error where the frame has another size than those before. In window mode, and with a
  /// background, frames are those of the host.
  HeadEstimate track(const ColourView& frame, double time);

  /// A frame without the person, where there is one: the background is then known from the start.
  void set_background(const ColourView& frame);

  /// Where the head is in the next frame, instead of a search.
  void start(const Oval& oval);

  /// What is followed: automatic resolved.
  Following following() const;

  /// The degree of a colour as the tracker sees it now, for pictures.
  double degree_now(std::uint8_t r, std::uint8_t g, std::uint8_t b) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::head
