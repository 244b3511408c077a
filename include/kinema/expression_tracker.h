// Expressions of one person over a film. Landmarks tell brows and mouth, against the person's own neutral face; whether an
// eye is closed is read from the picture around it, against the person's own open eye, since fitted landmarks hardly
// close their lids. Conventions: see head_pose.h.
#pragma once

#include "kinema/head_pose.h"
#include "kinema/image.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace kinema::face {

struct ExpressionSettings {
  /// Seconds from the first frame in which the neutral face is learnt: the medians of weights and angles, which later follow
  /// slowly. 0: the mean face, which looks at the camera.
  double learning = 3;

  /// When the person shows the neutral face, seconds as given to follow(): that of the second from there on is learnt in place
  /// of the first, and kept. Until then the first seconds count.
  std::optional<double> neutral_at = {};
};

/// Not thread-safe. Equal frames give equal expressions.
class ExpressionTracker {
public:
  /// Throws Error if a setting is impossible.
  explicit ExpressionTracker(const ExpressionSettings& settings = {});
  ~ExpressionTracker();
  ExpressionTracker(ExpressionTracker&&) noexcept;
  ExpressionTracker& operator=(ExpressionTracker&&) noexcept;

  /// The next frame of the person: `landmarks` as HeadPoseSolver takes them, and the pose that it found. Replaces the
  /// expression of the pose and its deviations, and sets the angles at rest. Without pixels, and for eyes of few pixels, landmarks tell of the lids too.
  void follow(const ImageView<const std::uint8_t>& image, std::span<const float> landmarks, double time,
              HeadPose& pose);
  void follow(const ColourView& image, std::span<const float> landmarks, double time, HeadPose& pose);

  /// A frame without the face: `pose` as it was estimated last. Eyes count as open, and nothing is learnt.
  void hold(HeadPose& pose) const;

  /// The frames of the next second show the neutral face, with open eyes: it is kept until the next call.
  void set_neutral();

  /// Forgets the person.
  void reset();

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::face
