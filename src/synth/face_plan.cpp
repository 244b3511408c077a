#include "synth/face_plan.h"

#include <algorithm>
#include <cmath>

namespace kinema::synth {
namespace {

// The mean face: of pairs only the one on the left of the picture.
constexpr Point2 jaw[] = {{-0.83, 0.02}, {-0.82, 0.24}, {-0.79, 0.46}, {-0.74, 0.67}, {-0.65, 0.87},
                          {-0.52, 1.05}, {-0.36, 1.19}, {-0.19, 1.28}, {0, 1.31}};
constexpr Point2 brow[] = {{-0.64, -0.17}, {-0.54, -0.25}, {-0.40, -0.28}, {-0.27, -0.255}, {-0.14, -0.21}};
constexpr Point2 bridge[] = {{0, -0.02}, {0, 0.12}, {0, 0.26}, {0, 0.40}};
constexpr Point2 nostrils[] = {{-0.16, 0.48}, {-0.08, 0.515}, {0, 0.535}};
constexpr Point2 eye[] = {{-0.5, 0}, {-0.41, -0.065}, {-0.28, -0.065}, {-0.18, 0.012}, {-0.28, 0.045}, {-0.40, 0.05}};
constexpr Point2 outer_lip[] = {{-0.29, 0.82}, {-0.18, 0.765}, {-0.07, 0.735}, {0, 0.752}};
constexpr Point2 lower_lip[] = {{0, 0.945}, {-0.08, 0.938}, {-0.19, 0.90}};
constexpr Point2 inner_lip[] = {{-0.25, 0.82}, {-0.08, 0.812}, {0, 0.817}};
constexpr Point2 inner_lower_lip[] = {{0, 0.83}, {-0.08, 0.826}};

Point2 mirrored(Point2 p) { return {-p.x, p.y}; }

FacePlan mean_plan() {
  FacePlan plan;
  for (std::size_t i = 0; i < 17; ++i) plan[i] = i < 9 ? jaw[i] : mirrored(jaw[16 - i]);
  for (std::size_t i = 0; i < 5; ++i) {
    plan[17 + i] = brow[i];
    plan[26 - i] = mirrored(brow[i]);
  }
  for (std::size_t i = 0; i < 4; ++i) plan[27 + i] = bridge[i];
  for (std::size_t i = 0; i < 5; ++i) plan[31 + i] = i < 3 ? nostrils[i] : mirrored(nostrils[4 - i]);
  for (std::size_t i = 0; i < 6; ++i) plan[36 + i] = eye[i];
  for (std::size_t i = 0; i < 4; ++i) plan[42 + i] = mirrored(eye[3 - i]);
  plan[46] = mirrored(eye[5]);
  plan[47] = mirrored(eye[4]);
  for (std::size_t i = 0; i < 7; ++i) plan[48 + i] = i < 4 ? outer_lip[i] : mirrored(outer_lip[6 - i]);
  plan[55] = mirrored(lower_lip[2]);
  plan[56] = mirrored(lower_lip[1]);
  for (std::size_t i = 0; i < 3; ++i) plan[57 + i] = lower_lip[i];
  for (std::size_t i = 0; i < 5; ++i) plan[60 + i] = i < 3 ? inner_lip[i] : mirrored(inner_lip[4 - i]);
  plan[65] = mirrored(inner_lower_lip[1]);
  for (std::size_t i = 0; i < 2; ++i) plan[66 + i] = inner_lower_lip[i];
  return plan;
}

// side: -1 for the left of the picture, 1 for the right
void shape_eye(FacePlan& plan, std::size_t first, double side, const FaceIdentity& who, const FaceExpression& now) {
  Point2 centre;
  for (std::size_t i = first; i < first + 6; ++i) {
    centre.x += plan[i].x / 6;
    centre.y += plan[i].y / 6;
  }
  const double size = 1 + 0.06 * who.eye_size, tilt = side * -0.06 * who.eye_tilt;
  const double squint = 1 - 0.25 * std::max(0.0, now.smile);
  const double opening = std::max(0.5, 1 + 0.16 * who.eye_opening) * squint * (1 - now.blink);
  const double closed = 0.03;  // where the lids meet, below the middle
  for (std::size_t i = first; i < first + 6; ++i) {
    const double x = (plan[i].x - centre.x) * size;
    const bool corner = i == first || i == first + 3;
    double y = plan[i].y - centre.y;
    if (!corner)
      y = closed + (y - closed) * opening + (y < 0 ? -0.02 * std::max(0.0, now.brow_raise) * (1 - now.blink) : 0);
    plan[i] = {centre.x * (1 + 0.035 * who.eye_distance) + x * std::cos(tilt) - y * std::sin(tilt),
               centre.y + x * std::sin(tilt) + y * std::cos(tilt)};
  }
}

void shape_brow(FacePlan& plan, std::size_t first, double side, const FaceIdentity& who, const FaceExpression& now) {
  const double lift = now.brow_raise * (1 + 0.5 * side * now.lopsided);
  for (std::size_t i = 0; i < 5; ++i) {
    Point2& p = plan[first + i];
    const double along = (p.x * side - 0.14) / 0.5;  // 0 at the nose, 1 outside
    p.x *= 1 + 0.03 * who.eye_distance + 0.02 * who.brow_width;
    p.y += -0.035 * who.brow_height - 0.03 * who.brow_arch * (1 - 4 * (along - 0.6) * (along - 0.6));
    // raised as a whole; a frown pulls the inner ends down and together
    p.y -= lift > 0 ? 0.11 * lift : 0.09 * lift * (1 - 0.8 * along);
    if (lift < 0) p.x += side * 0.05 * lift * (1 - along);
  }
}

void shape_nose(FacePlan& plan, const FaceIdentity& who, const FaceExpression& now) {
  const double length = 0.03 * who.nose_length, width = 1 + 0.09 * who.nose_width + 0.1 * std::max(0.0, now.smile);
  for (std::size_t i = 28; i < 36; ++i) {
    plan[i].y += length * (plan[i].y - plan[27].y) / 0.5;
    if (i >= 31) plan[i].x *= width;
  }
}

void shape_mouth(FacePlan& plan, const FaceIdentity& who, const FaceExpression& now) {
  const double smile = now.smile;
  const double width = (1 + 0.07 * who.mouth_width) * (1 + 0.26 * std::max(0.0, smile) + 0.05 * std::min(0.0, smile)) *
                       (1 - 0.38 * now.pucker) * (1 - 0.12 * now.open);
  const double middle = 0.82, shift = 0.02 * who.mouth_height + 0.5 * 0.03 * who.nose_length;
  for (std::size_t i = 48; i < 68; ++i) {
    Point2& p = plan[i];
    const double side = p.x < 0 ? -1 : 1, across = std::min(1.0, std::abs(p.x) / 0.29);
    const bool inner = i >= 60;
    const bool upper = (i > 48 && i < 54) || (i > 60 && i < 64), lower = i > 54 && i != 60 && i < 60;
    const bool inner_lower = i > 64;
    double y = p.y - middle;
    if (upper && !inner) y *= (1 + 0.14 * who.upper_lip) * (1 - 0.2 * std::max(0.0, smile)) * (1 + 0.4 * now.pucker);
    if (lower) y *= (1 + 0.14 * who.lower_lip) * (1 - 0.15 * std::max(0.0, smile)) * (1 + 0.3 * now.pucker);
    // the corners rise and fall with the smile, more on one side
    const double corner = smile * (1 + 0.5 * side * now.lopsided);
    y -= 0.12 * corner * across * across;
    y += 0.03 * std::max(0.0, smile) * (1 - across);
    // an open mouth: the lower lip moves with the jaw, the corners half as far
    const double gap = 0.34 * now.open;
    const double share = (lower || inner_lower) ? 1 - 0.35 * across : upper ? -0.06 : 0.35;
    y += gap * share;
    p = {p.x * width, middle + shift + y};
  }
}

void shape_jaw(FacePlan& plan, const FaceIdentity& who, const FaceExpression& now) {
  const double drop = 0.26 * now.open;
  for (std::size_t i = 0; i < 17; ++i) {
    Point2& p = plan[i];
    const double down = std::clamp(p.y / 1.31, 0.0, 1.0);
    // a broad jaw is wide at its corner, not at the ears and not at the chin
    const double corner = std::exp(-std::pow((p.y - 0.95) / 0.3, 2));
    p.x *=
        1 + 0.045 * who.width + 0.06 * who.jaw * corner + 0.05 * who.chin * std::exp(-std::pow((p.y - 1.3) / 0.12, 2));
    p.x *= 1 + 0.03 * std::max(0.0, now.smile) * corner - 0.04 * now.open * corner;
    p.y *= 1 + 0.04 * who.length;
    p.y += drop * down * down;
  }
}

// No face is its own mirror image.
void bend(FacePlan& plan, const FaceIdentity& who) {
  for (std::size_t i = 0; i < face_landmarks; ++i) {
    Point2& p = plan[i];
    if (i < 17) p.x += 0.02 * who.jaw_bend * std::clamp(p.y / 1.3, 0.0, 1.0);
    if ((i >= 17 && i < 27) || (i >= 36 && i < 48)) p.y += 0.02 * who.eye_slope * p.x;
    if (i >= 27 && i < 36) p.x += 0.025 * who.nose_bend * std::clamp(p.y / 0.5, 0.0, 1.0);
    if (i >= 48) p.y += 0.06 * who.mouth_slope * p.x;
  }
}

}  // namespace

FacePlan frontal_plan(const FaceIdentity& identity, const FaceExpression& expression) {
  FacePlan plan = mean_plan();
  shape_eye(plan, 36, -1, identity, expression);
  shape_eye(plan, 42, 1, identity, expression);
  shape_brow(plan, 17, -1, identity, expression);
  shape_brow(plan, 22, 1, identity, expression);
  shape_nose(plan, identity, expression);
  shape_mouth(plan, identity, expression);
  shape_jaw(plan, identity, expression);
  bend(plan, identity);
  return plan;
}

}  // namespace kinema::synth
