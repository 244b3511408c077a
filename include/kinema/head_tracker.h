// The head tracker: from the colour frames of one camera to the head's position, area and distance.
//
// Its paper mode is the paper's: the centroid of all skin in the frame (eqs. 1-6). Its window mode follows the head
// with a soft window, for rooms that hold other things of the colour of skin.
#pragma once

#include "kinema/head_calibration.h"
#include "kinema/one_euro.h"
#include "kinema/points.h"
#include "kinema/stage_time.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {
struct Frame;
}

namespace kinema::head {

enum class Mode {
  automatic,  ///< window if the calibration knows the head's size, plain otherwise
  plain,      ///< the centroid of the whole frame, where there is enough skin in one place
  paper,      ///< the same and nothing else: eqs. 4 to 6 of every frame
  window,     ///< a soft window that moves with the head and takes its size
};

/// "auto", "plain", "paper" or "window".
std::string_view name(Mode mode);

struct TrackerSettings {
  /// The user's colours: from calibrate(), or from a file by read_filter().
  Calibration calibration;

  Mode mode = Mode::automatic;

  /// Learn the colours of the head and of its surroundings during tracking. Follows changes of light, and separates the
  /// two better than any plane can. Window mode only. Hurts if another object of its size replaces it for seconds.
  bool recalibrate = true;

  /// Match the head's edges as well as its colours: holds the window against other objects of the head's colours, and
  /// through changes of light. Window mode only. Costs about one millisecond per frame.
  bool pattern = true;

  /// Follow the head's colours. Off: its edges alone, for pictures without colours and rooms of the head's colours; needs
  /// `pattern`. The head then keeps the size that it was given, and a lost one is only looked for where it was. Window
  /// mode only.
  bool colours = true;

  /// Learn a static background, and count only pixels that differ from it. For cameras that do not move. In plain mode
  /// a person who does not move for minutes becomes background.
  bool background = false;

  /// Ignore rows below the chin: for low necklines. Window mode only, since plain mode does not know the chin.
  bool neck_cut = false;

  /// Smooths x, y and the distance. Unset: every frame stands alone.
  std::optional<OneEuroSettings> smoothing = {};

  /// Metres from the camera at which the head covers the area of the reference (or, without a reference, that of the
  /// first frame in which it is found). Overrides the calibration's.
  std::optional<double> reference_distance = {};

  /// Horizontal, in radians. Overrides the calibration's.
  std::optional<double> field_of_view = {};

  MomentsSettings moments = {};
};

struct Estimate {
  bool found = false;
  double time = 0;  ///< as given to track(), seconds

  /// If not found: the reason.
  std::string why = {};

  /// 0...1. Window mode: skin inside the window less skin around it. Plain mode: how compact the skin is, 1 for a
  /// filled ellipse. Paper mode: 1.
  double confidence = 0;

  double x = 0, y = 0;          ///< pixels; plain, paper: the centroid, eq. 4; window: the head's centre
  double raw_x = 0, raw_y = 0;  ///< the same before smoothing
  double area = 0;              ///< the share of the frame that the head covers, eq. 5

  std::optional<double> distance = {};    ///< metres, if a reference distance is known
  std::optional<Vec3> position = {};      ///< metres, x right, y down, z forward, if the field of view is known too
  std::optional<Vec3> raw_position = {};  ///< the same before smoothing

  std::optional<Oval> oval = {};  ///< the head's outline, in window mode
  std::vector<StageTime> times = {};
};

/// Tracks one head through frames of one camera, all of one size. Not thread-safe. Equal frames give equal estimates.
class Tracker {
public:
  /// Throws Error if the settings are invalid, the calibration is empty or the backend is not available.
  explicit Tracker(const TrackerSettings& settings, const Compute& compute = {});
  ~Tracker();
  Tracker(Tracker&&) noexcept;
  Tracker& operator=(Tracker&&) noexcept;

  /// The estimate of the next frame of a source, from it and those before it. A frame with a gap is skipped.
  Estimate track(const io::Frame& frame);

  /// The same for an image. `time` in seconds. Throws Error if an image differs in size from those before. In window mode,
  /// and with a background, images must lie in host memory.
  Estimate track(const ColourView& image, double time);

  /// A frame that is missing, and why: its estimate finds nobody.
  Estimate skip(double time, const std::string& why);

  /// Where the head is in the next frame, in place of a search.
  void start(const Oval& oval);

  /// Searches in the next frame, as in the first and after a loss. What was learnt of the person is kept.
  void restart();

  /// The settings with all open values filled in, and the backend that runs.
  const TrackerSettings& settings() const;
  Backend backend() const;

  /// A frame without the person: the background is then known from the start.
  void set_background(const ColourView& frame);

  /// The degree of a colour by the tracker's current classifier, for display.
  double degree_now(std::uint8_t r, std::uint8_t g, std::uint8_t b) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::head
