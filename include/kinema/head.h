// The head: how much of a colour frame is skin, and where. "Fast GPU and CPU computing for Head Position Estimation"
// (Szkudlarek, Pietruszka), eqs. 1-8: each pixel belongs to the fuzzy set of skin colours to a degree; the cardinality
// and the centroid of that set are the head's area and position.
#pragma once

#include "kinema/backend.h"
#include "kinema/compute.h"
#include "kinema/image.h"
#include "kinema/stage_time.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace kinema::head {

/// eq. 2: the degree of a colour is max(0, min(1, r R + g G + b B + d)), channels 0...255.
struct SkinPlane {
  double r = 0, g = 0, b = 0, d = 0;
};

/// eq. 7: the degree of each of the 256^3 colours as a byte, 255 for 1, at R 65536 + G 256 + B. Any classifier becomes
/// such a table, so the cost of a frame does not depend on the classifier.
struct Table {
  std::vector<std::uint8_t> degrees;
};

using Classifier = std::variant<SkinPlane, std::shared_ptr<const Table>>;

/// Weights fall from the centre of an ellipse to 0 at its rim as 1 - u, u = ((x - cx)/rx)^2 + ((y - cy)/ry)^2 (the
/// Epanechnikov kernel), and are 0 outside. Moving the window to the centroid repeatedly climbs the density of skin
/// (mean shift).
struct Window {
  double cx = 0, cy = 0;  ///< pixels
  double rx = 0, ry = 0;  ///< pixels, positive
};

/// Further weights of the pixels of one frame.
struct Weighing {
  std::optional<Window> window;

  /// Empty, or as large as the frame: the degree, 255 for 1, to which a pixel belongs to something that moves.
  ImageView<const std::uint8_t> mask = {};

  /// Rows from here on are ignored: below the chin.
  std::size_t bottom = SIZE_MAX;
};

/// Sums over all pixels of the weight w times coordinates; x and y count from 0 at the centre of the first pixel.
struct Sums {
  double w = 0;           ///< eq. 3, the cardinality
  double wx = 0, wy = 0;  ///< eq. 4 times w
  double wxx = 0, wyy = 0;
};

struct MomentsSettings {
  /// Let times() report the transfer to a GPU. Delays a frame by about 10 microseconds.
  bool stages = false;
};

/// The hot operation: sums over a frame. One classifier, any number of frames of any size. Not thread-safe.
class Moments {
public:
  virtual ~Moments() = default;

  virtual void set_classifier(const Classifier& classifier) = 0;

  /// Throws Error if a view is invalid (no pixels, a stride shorter than a row, a mask of another size, a window
  /// without extent) or a frame in device memory meets a host backend.
  virtual Sums measure(const ColourView& frame, const Weighing& weighing = {}) = 0;

  /// The plain sums of many frames of one size and format: `out` has one entry per frame.
  virtual void measure(std::span<const ColourView> frames, std::span<Sums> out);

  /// Where the time of the last call went.
  virtual std::vector<StageTime> times() const { return {}; }
};

/// Throws Error if the backend is not available (see choose()).
std::unique_ptr<Moments> make_moments(const MomentsSettings& settings = {}, const Compute& compute = {});

}  // namespace kinema::head
