// From a rectified stereo pair to disparities, each with the deviation of its error.
//
// Semi-global matching (Hirschmüller, PAMI 2008) on a census transform, whose penalties fall at the edges of the
// picture; least squares to fractions of a pixel; and for each pixel how sure its disparity is, from the texture that
// both pictures have in common. A pixel that cannot know, such as one of a plain wall, has none.
#pragma once

#include "kinema/camera.h"
#include "kinema/compute.h"
#include "kinema/image.h"
#include "kinema/stage_time.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace kinema::stereo {

struct Settings {
  /// The range of depths, metres. A smaller `nearest` costs time: its disparities are larger. Anything nearer is
  /// matched to nothing, or wrongly.
  double nearest = 0.6, farthest = 12;
};

/// Where a match is sought: a part of the left picture, and so many disparities from the first on.
struct Window {
  int left = 0, top = 0, right = 0, bottom = 0;  ///< columns and rows, the last two excluded
  int disparities = 0;
  int first = 0;  ///< a multiple of 32
};

/// How far down the right picture lies below the left one, in pixels: a + b x + c y, with x and y from -1 to 1 over the
/// picture. A calibration leaves some hundredths, a knock more.
struct RowShift {
  double a = 0, b = 0, c = 0;
};

/// Row by row, as large as the left picture.
struct Disparities {
  int width = 0, height = 0;
  std::vector<float> disparity;  ///< pixels; 0: unknown
  std::vector<float> deviation;  ///< of its error, pixels; where it is known
};

/// Matches pairs of one size. Not thread-safe.
class Matcher {
public:
  virtual ~Matcher() = default;

  /// Both pictures must have the size of the camera. Pixels outside the window keep what `out` has there if it has that size, else
  /// they have no disparity.
  virtual void match(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right, const RowShift& shift,
                     const Window& window, Disparities& out) = 0;

  /// The whole picture.
  const Window& whole() const { return whole_; }

  /// Disparity times depth: focal length times baseline.
  double focal_baseline() const { return focal_baseline_; }

  /// Where the time of the last call went.
  virtual std::vector<StageTime> times() const { return {}; }

protected:
  Matcher(const Window& whole, double focal_baseline) : whole_(whole), focal_baseline_(focal_baseline) {}

private:
  Window whole_;
  double focal_baseline_;
};

/// For the pictures of `camera`, that of the rectified left one, and a baseline in metres. Throws Error if settings are
/// invalid or the backend is not available.
std::unique_ptr<Matcher> make_matcher(const Camera& camera, double baseline, const Settings& settings = {},
                                      const Compute& compute = {});

}  // namespace kinema::stereo
