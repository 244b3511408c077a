// The plan of a synthetic face: identity, expression, and the positions of its 68 landmarks in a frontal view. Lengths
// are in distances between the outer corners of the eyes; x right, y down, 0 between the eyes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kinema::synth {

inline constexpr std::size_t face_landmarks = 68;  // in the order of iBUG

struct Point2 {
  double x = 0, y = 0;
};

using FacePlan = std::array<Point2, face_landmarks>;

/// The identity of a person. Numbers without a range are in standard deviations: 0 is the mean face.
struct FaceIdentity {
  double width = 0, length = 0, jaw = 0, chin = 0, jaw_angle = 0, temples = 0, cheeks = 0, chin_length = 0;
  double eye_size = 0, eye_opening = 0, eye_distance = 0, eye_tilt = 0, lid_slope = 0;
  double brow_height = 0, brow_arch = 0, brow_width = 0, brow_start = 0, brow_end = 0, brow_tilt = 0;
  double nose_length = 0, nose_width = 0, nose_depth = 0, nose_tip = 0, nose_root = 0;
  double mouth_width = 0, mouth_height = 0, upper_lip = 0, lower_lip = 0, lip_bow = 0, mouth_corner = 0, lip_corner = 0;
  double eye_slope = 0, brow_slope = 0, nose_bend = 0, mouth_slope = 0, jaw_bend = 0;  ///< asymmetry
  double jaw_start = 0, jaw_shift = 0;  ///< where the points of the contour lie along it

  double melanin = 0.3;                          ///< of the skin, 0 to 1
  double redness = 0.5;                          ///< of cheeks and lips, 0 to 1
  double beard = 0;                              ///< 0 none to 1 full
  double freckles = 0;                           ///< 0 to 1
  double hair_tone = 0.3;                        ///< 0 black to 1 fair
  double hair_red = 0.3;                         ///< 0 to 1
  double hairline = 0;                           ///< greater is further back
  double hair_length = 0;                        ///< 0 short to 1 over the shoulders; below 0 bald
  double fringe = 0;                             ///< hair over the forehead, 0 none to 1 over the brows
  double fringe_side = 0;                        ///< -1 to 1: the side that it falls to
  double curtain = 0;                            ///< hair before the cheeks, 0 none to 1 much
  double iris = 0.3;                             ///< 0 brown to 1 blue
  double age = 0.2;                              ///< 0 smooth to 1 wrinkled
  double lip_colour = 0.5;                       ///< 0 that of the skin to 1 painted
  double eye_make_up = 0.3;                      ///< dark lashes and lids, 0 to 1
  double brow_thickness = 1;                     ///< a factor
  double brow_strength = 0.8;                    ///< 0 faint to 1 drawn
  double lash_wing = 0.3;                        ///< of the lashes beyond the outer corner, 0 to 1
  double mouth_crease = 0.3;                     ///< of the lips' line beyond their corner, 0 to 1
  double lip_shade = 0.5;                        ///< under the lower lip, 0 to 1
  double nostrils = 0.6;                         ///< 0 hidden to 1 dark
  double blemishes = 0.3;                        ///< how uneven the skin is, 0 to 1
  double neck = 0;                               ///< its breadth
  double neck_shade = 0.4;                       ///< how dark it is under the chin, 0 to 1
  double double_chin = 0;                        ///< 0 none to 1 full
  double collar = 0;                             ///< how high the clothes reach, 0 to 1
  double glasses = 0;                            ///< 0 none, else the thickness of their rim, 0 to 1
  double glasses_size = 0.5, glasses_shade = 0;  ///< 0 to 1
  std::uint32_t texture = 1;
};

/// The expression at one moment.
struct FaceExpression {
  double smile = 0;                    ///< -1 (sad) to 1
  double open = 0;                     ///< the mouth, 0 to 1
  double pucker = 0;                   ///< 0 to 1
  double stretch = 0;                  ///< the mouth wider or narrower, without a smile; -1 to 1
  double corner_lift = 0;              ///< the corners of the mouth up or down, beside the smile; -1 to 1
  double press = 0;                    ///< lips pressed together, 0 to 1
  double lip_raise = 0, lip_drop = 0;  ///< the upper lip off the teeth, the lower one down; 0 to 1
  double jaw_side = 0;                 ///< the jaw to one side, -1 to 1
  double squint = 0;                   ///< 0 to 1
  double brow_raise = 0;               ///< -1 (frown) to 1
  double blink = 0;                    ///< 0 open to 1 closed
  double lopsided = 0;                 ///< -1 to 1: the corner of the mouth and the brow of one side move more
  double gaze_x = 0, gaze_y = 0;       ///< -1 to 1
};

FacePlan frontal_plan(const FaceIdentity& identity, const FaceExpression& expression);

}  // namespace kinema::synth
