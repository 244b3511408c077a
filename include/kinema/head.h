// The head: how much of a colour frame is skin, and where. "Fast GPU and CPU computing for Head Position Estimation"
// (Szkudlarek, Pietruszka), eqs. 1-8: each pixel belongs to the fuzzy set of skin colours by a degree; cardinality and
// centroid of that set are the head's area and place.
#pragma once

#include "kinema/backend.h"
#include "kinema/image.h"
#include "kinema/stage_time.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace kinema::head {

/// eq. 2: the degree of a colour is max(0, min(1, r R + g G + b B + d)), channels 0...255.
struct Plane {
  double r = 0, g = 0, b = 0, d = 0;
};

/// eq. 7: the degree of each of the 256^3 colours as a byte, 255 for 1, at R 65536 + G 256 + B. Any classifier becomes
/// such a table, so a frame costs the same whichever is used.
struct Table {
  std::vector<std::uint8_t> degrees;
};

using Classifier = std::variant<Plane, std::shared_ptr<const Table>>;

/// Weights fall off from the centre of an ellipse to 0 at its rim as 1 - u, u = ((x - cx)/rx)^2 + ((y - cy)/ry)^2 (the
/// kernel of Epanechnikov); nothing outside counts. Moving it to the centroid again and again climbs the density of
/// skin.
struct Window {
  double cx = 0, cy = 0;  ///< pixels
  double rx = 0, ry = 0;  ///< pixels, positive
};

/// What else weighs the pixels of one frame.
struct Weighing {
  std::optional<Window> window;

  /// Empty, or as large as the frame: a degree, 255 for 1, that the pixel belongs to something that moves.
  ImageView<const std::uint8_t> mask = {};

  /// Rows from here on count for nothing: below the chin.
  std::size_t bottom = SIZE_MAX;
};

/// Sums over all pixels of weight w, times coordinates; x and y count from 0 at the centre of the first pixel.
struct Sums {
  double w = 0;           ///< eq. 3, the cardinality
  double wx = 0, wy = 0;  ///< eq. 4 times w
  double wxx = 0, wyy = 0;
};

struct MomentsSettings {
  /// Threads of the cpu backend; 0: one a core. The result does not depend on it.
  int threads = 0;

  /// A frame in ordinary memory reaches a GPU in this many pieces, so that counting one overlaps with sending the next.
  /// Each costs microseconds to order: more than one help where the bus is slow.
  int pieces = 1;

  /// Whether times() tells how long a transfer to a GPU took. Asking for it holds a frame up by some 10 microseconds.
  bool stages = false;
};

/// The hot operation: sums over a frame. One classifier, any number of frames of any size. Not for use by two threads
/// at once.
class Moments {
public:
  virtual ~Moments() = default;

  virtual void set_classifier(const Classifier& classifier) = 0;

  /// Throws Error where a view makes no sense (no pixels, a stride shorter than a row, a mask of another size, a window
  /// without extent) or a frame on the device meets a backend of the host.
  virtual Sums measure(const ColourView& frame, const Weighing& weighing = {}) = 0;

  /// The plain sums of many frames of one size and format: `out` has one entry a frame.
  virtual void measure(std::span<const ColourView> frames, std::span<Sums> out);

  /// Where the time of the last call went.
  virtual std::vector<StageTime> times() const { return {}; }
};

/// Throws Error where the backend is not there (see choose()).
std::unique_ptr<Moments> make_moments(const MomentsSettings& settings = {}, Backend backend = Backend::automatic);

/// By name: what parse_backend() knows, "joint" (eq. 8: a frame divided between CPU and GPU by measured times), and the
/// steps of the paper: "cpu1" ... "cpu3", "gpu1" ... "gpu8", "cpu+gpu". Throws Error for any other word. The steps take
/// whole frames only: with a Weighing they throw.
std::unique_ptr<Moments> make_moments(std::string_view name, const MomentsSettings& settings = {});

/// All the names that make_moments() knows here, those without a device left out.
std::vector<std::string_view> moments_names();

}  // namespace kinema::head
