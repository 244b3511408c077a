#include "synth/faces/head_pose_clip.h"

#include "core/geometry.h"
#include "synth/faces/face_surface.h"
#include "synth/faces/faces.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinema::synth {
namespace {

using std::numbers::pi;

// Two slow waves of incommensurable periods, between -1 and 1.
double swing(double time, double hertz, double phase) {
  return 0.65 * std::sin(2 * pi * hertz * time + phase) + 0.35 * std::sin(2 * pi * 1.618 * hertz * time + 2.1 * phase);
}

// Midway between the outer corners of the eyes of the mean person.
double eyes_depth() {
  const FaceIdentity mean;
  const FacePlan plan = frontal_plan(mean, {});
  const FaceSurface surface(plan, mean);
  return 0.5 * (surface.on_surface(plan[36]).z + surface.on_surface(plan[45]).z);
}

}  // namespace

HeadPoseClip::HeadPoseClip(const HeadPoseClipSettings& settings) : settings_(settings), depth_(eyes_depth()) {
  if (settings.person > 0) identity_ = face_identity(settings.seed, settings.person);
}

FaceScene HeadPoseClip::scene(std::size_t frame) const {
  const double t = settings_.still ? 0 : static_cast<double>(frame) / settings_.fps, radians = pi / 180;
  const double phase = static_cast<double>(settings_.seed % 97) + settings_.phase;
  FaceScene scene;
  scene.width = settings_.width;
  scene.height = settings_.height;
  scene.x = 0.5 * (settings_.width - 1);
  scene.y = 0.5 * (settings_.height - 1);
  const double focal = settings_.width / 2.0 / std::tan(settings_.field_of_view / 2);
  const double rest = settings_.distance / settings_.eye_distance;
  scene.distance = rest * (1 + 0.12 * swing(t, 0.13, phase + 1)) + depth_;
  scene.scale = focal / scene.distance;
  scene.aside_x = (settings_.home + settings_.sway * swing(t, 0.21, phase + 2)) / settings_.eye_distance;
  scene.aside_y = 0.03 / settings_.eye_distance * swing(t, 0.17, phase + 3);
  scene.yaw = settings_.turn * radians * swing(t, 0.27, phase);
  scene.pitch = settings_.nod * radians * swing(t, 0.31, phase + 4);
  scene.roll = settings_.tilt * radians * swing(t, 0.19, phase + 5);
  scene.noise = settings_.noise;
  scene.backdrop = static_cast<std::uint32_t>(settings_.seed);
  scene.seed = (settings_.seed << 20) + frame;
  return scene;
}

FaceExpression HeadPoseClip::expression(std::size_t frame) const {
  FaceExpression now;
  if (!settings_.expressions) return now;
  const double t = settings_.still ? 0 : static_cast<double>(frame) / settings_.fps;
  now.smile = std::clamp(0.3 + 0.6 * swing(t, 0.17, 1), 0.0, 1.0);
  now.open = std::max(0.0, 0.5 * swing(t, 0.9, 2)) * std::max(0.0, 0.4 + 0.6 * swing(t, 0.15, 3));
  now.brow_raise = 0.6 * swing(t, 0.3, 4);
  // a blink of a fifth of a second about every three seconds
  const double since = std::fmod(t + 1.9, 2.9);
  now.blink = since < 0.2 ? std::sin(pi * since / 0.2) : 0;
  return now;
}

face::HeadPose HeadPoseClip::truth(std::size_t frame) const {
  const FaceScene at = scene(frame);
  face::HeadPose pose;
  pose.rotation = true_rotation(at);
  pose.position = settings_.eye_distance * true_place(at, {0, 0, depth_});
  const std::array<double, 3> angles = face::head_angles(pose.rotation);
  pose.yaw = angles[0], pose.pitch = angles[1], pose.roll = angles[2];
  const FaceExpression now = expression(frame);
  const double smile = std::max(0.0, now.smile), raised = std::max(0.0, now.brow_raise);
  const double frown = std::max(0.0, -now.brow_raise);
  // in the order of face::expression_names
  pose.expression = {now.open, smile, smile, now.pucker, now.blink, now.blink, raised, frown, frown, raised, raised};
  return pose;
}

std::vector<float> HeadPoseClip::landmarks(std::size_t frame) const {
  return true_landmarks(identity_, expression(frame), scene(frame));
}

io::Picture HeadPoseClip::picture(std::size_t frame) const {
  return photograph_face(identity_, expression(frame), scene(frame)).picture;
}

}  // namespace kinema::synth
