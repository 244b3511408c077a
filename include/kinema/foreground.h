// The foreground: segments the person in a depth image or a cloud, for the body tracker.
//
// While the person is searched for, floor and walls are detected and removed, and of the remaining clusters the one
// most like a person is taken. Once the tracker predicts its skin, only points near it pass the gate.
#pragma once

#include "kinema/camera.h"
#include "kinema/compute.h"
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

/// Whether pixels without a measurement saw past the person.
enum class CutOut {
  automatic,  ///< determined from the frames: yes if the person is all that was measured
  yes,
  no,
};

struct ForegroundSettings {
  /// Depths outside this range are ignored, in metres. A range as narrow as the scene allows prevents most errors.
  double nearest = 0.3, farthest = 12;

  /// Detect floor and walls: large planes with nothing behind them. Hurts if a large flat object is all that is seen
  /// behind the person and the person steps behind its plane.
  bool planes = true;

  /// A point this close to the floor, or to a wall, belongs to it; a margin for the sensor's noise, which is measured,
  /// is added. A large floor margin removes the feet.
  double floor_margin = 0.012, wall_margin = 0.03;

  /// Points this close to the predicted skin are the person's. It must exceed the motion of a hand between two frames;
  /// a large gate includes furniture.
  double gate = 0.28;

  /// At most this many points of the person, evenly spread over its surface; 0: all.
  std::size_t points = 0;

  /// Deviation of inverse depths on a person, 1/m, where it is larger than on floor and walls, where it is measured: that of
  /// matched pairs is.
  double person_noise = 0;

  /// Large parts of the scene are unknown, as the plain walls of stereo pairs are: a person is then much of what is measured, but
  /// not a plane for that.
  bool incomplete = false;

  /// Keep rays that see past the person, as background.
  bool background = true;

  /// The person was cut out of depth images before: pixels beside the outline, which measured nothing, are such rays.
  /// Wrong where a sensor measures nothing for another reason, such as sunlight.
  CutOut cut_out = CutOut::automatic;

  /// At most this many rays past the person, evenly spread over the image around it; 0: all.
  std::size_t background_points = 0;
};

/// A cluster of points that may be a person.
struct Candidate {
  Vec3 centre = {};             ///< of its points
  double height = 0;            ///< vertical, in metres, of the visible part
  double width = 0, depth = 0;  ///< horizontal, across and along the view
  double area = 0;              ///< of the visible surface, square metres, approximate
  bool cut_off = false;         ///< extends beyond the border of the image
  double relief = 0;            ///< deviation of its inverse depths from those of a plane, over the sensor's
  double likeness = 0;          ///< 0 to 1: how much like a person
};

/// Where somebody of several people is expected.
struct ExpectedPerson {
  std::vector<float> capsules;  ///< the skin, K x 7
  double doubt = 0;  ///< metres by which it may be elsewhere, beside the usual motion: the gate is wider by it
  int who = 0;       ///< the same in all frames; with somebody new, what stood still may be that person
};

/// Segments frames of one static camera (if it moves, floor and walls are detected again). Not thread-safe. Equal
/// sequences of frames give equal clouds. What stays where it is for a second, though the expected skin never comes near
/// it, is taken for furniture and left out.
class Foreground {
public:
  /// The camera is not needed for clouds. Throws Error if settings are invalid.
  /// Of `compute` the threads count.
  explicit Foreground(const Camera& camera, const ForegroundSettings& settings = {}, const Compute& compute = {});
  ~Foreground();
  Foreground(Foreground&&) noexcept;
  Foreground& operator=(Foreground&&) noexcept;

  /// A depth image of the scene without the person, as in cut().
  void set_background(ImageView<const float> depth);

  /// Other limits from the next cut on; see ForegroundSettings.
  void set_points(std::size_t points, std::size_t background_points);

  /// Depth in metres; not positive or not finite: no measurement. `expected`: capsules (K x 7 floats) where the
  /// tracker predicts the person, empty during a search. Nobody there: an empty cloud. Throws Error if the image
  /// differs in size from the camera's or capsules are invalid.
  PointCloud cut(ImageView<const float> depth, std::span<const float> expected = {});

  /// The same into a cloud whose memory is reused.
  void cut(ImageView<const float> depth, std::span<const float> expected, PointCloud& cloud);

  /// The same for points measured by a camera at the origin. Points given as background stay so if they are near the
  /// person; no others are added. Points that are not finite are dropped.
  PointCloud cut(PointsView points, std::span<const float> expected = {});
  void cut(PointsView points, std::span<const float> expected, PointCloud& cloud);

  /// Several people at once, a cloud for each: a point is of the one whose skin is nearest, and for the others a ray that ends
  /// there.
  void cut(ImageView<const float> depth, std::span<const ExpectedPerson> people, std::vector<PointCloud>& clouds);
  void cut(PointsView points, std::span<const ExpectedPerson> people, std::vector<PointCloud>& clouds);

  /// Looks for more people in the frame of the last cut(), in what none of those explains: candidates() has them. Those who
  /// touch each other are told apart by their heads.
  void find_others(ImageView<const float> depth);
  void find_others(PointsView points);

  /// One of them.
  void cut_other(ImageView<const float> depth, std::size_t candidate, PointCloud& cloud);
  void cut_other(PointsView points, std::size_t candidate, PointCloud& cloud);

  /// Floor and walls as currently known.
  std::span<const Plane> planes() const;

  /// The floor among them.
  std::optional<Plane> floor() const;

  /// Of the last search (the last cut without a prediction, or find_others()), the likeliest first, which cut() took.
  std::span<const Candidate> candidates() const;

  /// In an incomplete scene, what else may have been the person in the last search; and that in its place, of the same image.
  std::vector<Candidate> rivals() const;
  void cut_rival(ImageView<const float> depth, std::size_t rival, PointCloud& cloud);

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::body
