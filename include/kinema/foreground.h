// The foreground: cuts the person out of a depth image or a cloud, before the body tracker sees it.
//
// While the person is looked for, floor and walls are found and removed, and of what is left the piece most like a
// person is taken. Once the tracker expects it somewhere, only what stands near there counts.
#pragma once

#include "kinema/camera.h"
#include "kinema/geometry.h"
#include "kinema/image.h"
#include "kinema/points.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kinema::body {

struct ForegroundSettings {
  /// Depths outside this window are nobody's, in metres. A window that is as narrow as the scene allows saves the most
  /// trouble.
  double nearest = 0.3, farthest = 12;

  /// Find floor and walls: large planes with nothing behind them. Hurts where a large flat thing is all there is to see
  /// behind the person and the person steps behind its plane.
  bool planes = true;

  /// A point this near to the floor, or to a wall, belongs to it; what the sensor's noise asks for comes on top, and is
  /// measured. A large margin of the floor eats the feet.
  double floor_margin = 0.012, wall_margin = 0.03;

  /// Points this near to the skin that is expected are the person's. It must exceed what a hand moves between two
  /// frames; a large one takes in furniture.
  double gate = 0.28;

  /// At most this many points of the person, evenly spread over its surface; 0: all.
  std::size_t points = 0;

  /// Rays that see past the person, as background.
  bool background = true;

  /// At most this many of them, evenly spread over the image around the person; 0: all.
  std::size_t background_points = 0;

  /// At most so many threads, 0: one a core. The result does not depend on it.
  int threads = 0;
};

/// A piece of the scene that may be a person.
struct Candidate {
  Vec3 centre = {};             ///< of its points
  double height = 0;            ///< upwards, in metres: of what is in the picture
  double width = 0, depth = 0;  ///< across and along the view, level
  double area = 0;              ///< of the surface in sight, square metres, roughly
  bool cut_off = false;         ///< goes on beyond the border of the picture
  double likeness = 0;          ///< 0 to 1: how much like a person
};

/// Cuts frames of one camera that stands still (where it moves, floor and walls are searched again). Not for use by two
/// threads at once. The same frames give the same clouds.
class Foreground {
public:
  /// The camera is not needed for clouds. Throws Error where settings make no sense.
  explicit Foreground(const Camera& camera, const ForegroundSettings& settings = {});
  ~Foreground();
  Foreground(Foreground&&) noexcept;
  Foreground& operator=(Foreground&&) noexcept;

  /// A depth image of the scene without the person, as in cut().
  void set_background(ImageView<const float> depth);

  /// Depth in metres; not positive or not finite: nothing measured. `expected`: capsules (K x 7 floats) where the
  /// tracker expects the person, empty while it is looked for. Nobody there: an empty cloud. Throws Error where the image
  /// has another size than the camera's or capsules make no sense.
  PointCloud cut(ImageView<const float> depth, std::span<const float> expected = {});

  /// The same into a cloud whose memory is used again.
  void cut(ImageView<const float> depth, std::span<const float> expected, PointCloud& cloud);

  /// The same for points that a camera at the origin saw. Points that come marked as background stay so, those near the
  /// person; there are no others. Points that are not finite are left out.
  PointCloud cut(PointsView points, std::span<const float> expected = {});
  void cut(PointsView points, std::span<const float> expected, PointCloud& cloud);

  /// Floor and walls as they are known now.
  std::span<const Plane> planes() const;

  /// The one of them that is the floor.
  std::optional<Plane> floor() const;

  /// Of the last search (the last cut without an expectation), the likeliest first, which is the one that was cut out.
  std::span<const Candidate> candidates() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::body
