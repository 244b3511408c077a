// The pose of a head from the landmarks of a face: its rotation and position in front of the camera, and the expression as
// weights of blend shapes. A mean head in three dimensions, with its spread over people and its expressions, is seen by
// a perspective camera; least squares move, turn and shape it until its landmarks are those of the fit.
//
// Conventions. The head's frame is that of the body's skeletons: x to the person's left, y up, z out of the face. The
// camera frame is that of all trackers: x right, y down, z forward, metres. Angles are opentrack's: yaw to the person's
// right, pitch up, roll to the right shoulder; 0 upright and facing along the camera's axis. The head's place is midway
// between the outer corners of the eyes.
#pragma once

#include "kinema/camera.h"
#include "kinema/geometry.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace kinema::face {

/// Blend shapes that 68 landmarks tell apart, by ARKit's names. Left is the person's.
inline constexpr std::array<std::string_view, 11> expression_names = {
    "jawOpen",     "mouthSmileLeft", "mouthSmileRight", "mouthPucker",     "eyeBlinkLeft",    "eyeBlinkRight",
    "browInnerUp", "browDownLeft",   "browDownRight",   "browOuterUpLeft", "browOuterUpRight"};

/// Of each blend shape, 0 (rest) to 1.
using Expression = std::array<double, expression_names.size()>;

struct HeadPose {
  Quaternion rotation = {0, 1, 0, 0};  ///< from the head's frame to the camera's; this one faces the camera
  Vec3 position = {};                  ///< metres, camera frame

  double yaw = 0, pitch = 0, roll = 0;  ///< degrees, of `rotation`

  /// Standard deviations, from the information of the landmarks and the residual: degrees of yaw, pitch and roll, and
  /// metres of x, y and z for a head of the assumed size. Heads differ: see HeadPoseSettings::eye_distance.
  std::array<double, 3> angle_deviation = {};
  Vec3 position_deviation = {};

  double residual = 0;  ///< root mean square distance of landmarks that are no outliers from the head's, pixels

  /// Relative to the person's neutral face in a film (ExpressionTracker), to the mean face in a single picture.
  Expression expression = {};

  /// Standard deviations of these weights, as those above.
  Expression expression_deviation = {};

  /// Yaw, pitch and roll of the person's neutral face in a film (ExpressionTracker), degrees: where the person looks at rest,
  /// which is seldom the camera. Avatars count from there.
  std::array<double, 3> rest_angles = {};
};

/// Yaw, pitch and roll of a rotation, degrees.
std::array<double, 3> head_angles(const Quaternion& rotation);

/// The rotation with these angles, degrees.
Quaternion head_rotation(double yaw, double pitch, double roll);

struct HeadPoseSettings {
  /// Of the camera across the frame, radians. A wrong one changes distances in proportion, and angles little. The
  /// default is that of most webcams.
  double field_of_view = 1.0471975511965976;

  /// In place of the field of view; scaled to the size of the frames.
  std::optional<Camera> camera = {};

  /// Between the outer corners of the person's eyes, metres. The default is the mean of adults, among whom it varies
  /// by 4 to 5 % (one standard deviation): so do distances, unless it is measured.
  double eye_distance = 0.09;
};

/// Poses from 68 landmarks in iBUG's order. Not thread-safe.
class HeadPoseSolver {
public:
  static constexpr std::size_t landmarks = 68;

  /// Throws Error if a setting is impossible.
  explicit HeadPoseSolver(const HeadPoseSettings& settings = {});
  ~HeadPoseSolver();
  HeadPoseSolver(HeadPoseSolver&&) noexcept;
  HeadPoseSolver& operator=(HeadPoseSolver&&) noexcept;

  /// One picture alone. `points`: x0 y0 x1 y1 ..., pixels from 0; `confidence` of each landmark, 0 to 1, or empty.
  /// Nothing if no head looks like this. Throws Error for another number of landmarks or of confidences.
  std::optional<HeadPose> solve(std::span<const float> points, std::span<const float> confidence, std::size_t width,
                                std::size_t height) const;

  /// The next frame of one person: starts from the last pose, and learns the person's proportions.
  std::optional<HeadPose> follow(std::span<const float> points, std::span<const float> confidence, std::size_t width,
                                 std::size_t height);

  /// Forgets the last pose and the proportions learnt: the next frame may show another person.
  void reset();

  /// Where the points of a head in this pose, with the proportions learnt so far, lie in a frame: as `points` above.
  std::array<float, 2 * landmarks> project(const HeadPose& pose, std::size_t width, std::size_t height) const;

  /// The camera of frames of this size.
  Camera camera(std::size_t width, std::size_t height) const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::face
