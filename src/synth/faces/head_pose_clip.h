// A drawn film of one person in front of a webcam, with the true pose of the head in each frame: turning, nodding, tilting,
// nearer and further, speaking and smiling, or sitting still while only the sensor's noise changes.
#pragma once

#include "kinema/head_pose.h"
#include "synth/faces/face_photograph.h"

#include <cstddef>
#include <cstdint>

namespace kinema::synth {

struct HeadPoseClipSettings {
  int width = 640, height = 480;
  double fps = 30;
  double field_of_view = 1.0471975511965976;  ///< radians, across the frame
  double distance = 0.6;                      ///< of the eyes from the camera at rest, metres
  double eye_distance = 0.09;                 ///< of the mean person, metres

  bool still = false;                     ///< the pose and the expression of the first frame
  bool expressions = true;                ///< else the face rests
  double turn = 25, nod = 12, tilt = 12;  ///< how far the head turns, degrees
  double home = 0;                        ///< how far aside it rests, metres
  double sway = 0.10;                     ///< how far it moves aside, metres, where each cycle takes 5 s
  double noise = 2;                       ///< of the sensor, standard deviation in grey levels
  std::uint64_t seed = 1;
  double phase = 0;  ///< other motion of the same kind

  /// Number of the person; 0: the mean of all, of fair skin.
  std::uint32_t person = 0;
};

class HeadPoseClip {
public:
  explicit HeadPoseClip(const HeadPoseClipSettings& settings = {});

  /// The true pose and expression, without deviations.
  face::HeadPose truth(std::size_t frame) const;

  /// Pixels.
  std::vector<float> landmarks(std::size_t frame) const;

  /// For photograph_faces().
  FaceActor actor(std::size_t frame) const { return {identity_, expression(frame), scene(frame)}; }
  io::Picture picture(std::size_t frame) const;

  const HeadPoseClipSettings& settings() const { return settings_; }

private:
  FaceScene scene(std::size_t frame) const;
  FaceExpression expression(std::size_t frame) const;

  HeadPoseClipSettings settings_;
  FaceIdentity identity_;
  double depth_ = 0;  // of the point between the eyes on the mean person's surface
};

}  // namespace kinema::synth
