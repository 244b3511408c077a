#include "synth/faces/face_plan.h"

#include <algorithm>
#include <cmath>

namespace kinema::synth {
namespace {

// The mean face: of pairs only the one on the left of the picture. Proportions of adults, men and women averaged, over the
// distance of the outer corners of the eyes (Farkas, Anthropometry of the Head and Face, 1994: 89 mm): from the root of
// the nose to its base 0.59, from there to the line between the lips 0.24 and to the chin 0.76, width of the mouth 0.59,
// breadth at the ears 1.6 to 1.65. The corners of the eyes are those of the iBUG convention: where the lids meet the white of the
// eye, which leaves out the caruncle, so that they lie further apart than the anatomist's 0.36.
constexpr Point2 jaw[] = {{-0.825, 0.01}, {-0.815, 0.22}, {-0.79, 0.43},   {-0.74, 0.64}, {-0.655, 0.835},
                          {-0.525, 1.01}, {-0.37, 1.155}, {-0.195, 1.255}, {0, 1.285}};
constexpr Point2 brow[] = {{-0.66, -0.155}, {-0.555, -0.24}, {-0.415, -0.268}, {-0.275, -0.247}, {-0.14, -0.20}};
constexpr Point2 bridge[] = {{0, -0.03}, {0, 0.115}, {0, 0.26}, {0, 0.405}};
constexpr Point2 nostrils[] = {{-0.165, 0.485}, {-0.085, 0.518}, {0, 0.54}};
constexpr Point2 eye[] = {{-0.5, 0},       {-0.415, -0.058}, {-0.30, -0.058},
                          {-0.212, 0.016}, {-0.305, 0.045},  {-0.412, 0.045}};
constexpr Point2 outer_lip[] = {{-0.29, 0.785}, {-0.185, 0.728}, {-0.075, 0.698}, {0, 0.715}};
constexpr Point2 lower_lip[] = {{0, 0.905}, {-0.08, 0.898}, {-0.19, 0.862}};
constexpr Point2 inner_lip[] = {{-0.25, 0.785}, {-0.08, 0.775}, {0, 0.78}};
constexpr Point2 inner_lower_lip[] = {{0, 0.793}, {-0.08, 0.789}};
constexpr double mouth_line = 0.785, chin_line = 1.285;

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
  const double squint = (1 - 0.25 * std::max(0.0, now.smile)) * (1 - 0.4 * now.squint);
  const double opening = std::max(0.5, 1 + 0.16 * who.eye_opening) * squint * (1 - now.blink);
  const double closed = 0.025;  // where the lids meet, below the middle
  for (std::size_t i = first; i < first + 6; ++i) {
    const double x = (plan[i].x - centre.x) * size;
    const bool corner = i == first || i == first + 3;
    double y = plan[i].y - centre.y;
    // almond to round: how much of the opening lies at the nose
    if (!corner) y *= 1 + 0.8 * who.lid_slope * x * side;
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
    p.x += side * (0.028 * who.brow_start * (1 - along) + 0.03 * who.brow_end * along);
    p.y += -0.04 * who.brow_height - 0.03 * who.brow_arch * (1 - 4 * (along - 0.6) * (along - 0.6));
    p.y += 0.03 * who.brow_tilt * (along - 0.5) + 0.012 * side * who.brow_slope;
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
  // a tip that points down or up, and the base with it; where the root is deepest
  for (std::size_t i = 27; i < 31; ++i) {
    const double down = static_cast<double>(i - 27) / 3;
    plan[i].y += 0.03 * who.nose_tip * down + 0.03 * who.nose_root * (1 - down);
  }
  plan[33].y += 0.012 * who.nose_tip;
  plan[31].y -= 0.008 * who.nose_tip, plan[35].y -= 0.008 * who.nose_tip;
}

void shape_mouth(FacePlan& plan, const FaceIdentity& who, const FaceExpression& now) {
  const double smile = now.smile;
  const double width = (1 + 0.07 * who.mouth_width) * (1 + 0.26 * std::max(0.0, smile) + 0.05 * std::min(0.0, smile)) *
                       (1 - 0.38 * now.pucker) * (1 - 0.12 * now.open) * (1 + 0.12 * now.stretch);
  const double middle = mouth_line, shift = 0.03 * who.mouth_height + 0.7 * 0.03 * who.nose_length;
  const double thin = 1 - 0.55 * now.press;
  for (std::size_t i = 48; i < 68; ++i) {
    Point2& p = plan[i];
    const double side = p.x < 0 ? -1 : 1, across = std::min(1.0, std::abs(p.x) / 0.29);
    const bool inner = i >= 60;
    const bool upper = (i > 48 && i < 54) || (i > 60 && i < 64), lower = i > 54 && i != 60 && i < 60;
    const bool inner_lower = i > 64;
    double y = p.y - middle;
    if (upper && !inner)
      y *= (1 + 0.14 * who.upper_lip) * (1 - 0.2 * std::max(0.0, smile)) * (1 + 0.4 * now.pucker) * thin;
    if (lower) y *= (1 + 0.14 * who.lower_lip) * (1 - 0.15 * std::max(0.0, smile)) * (1 + 0.3 * now.pucker) * thin;
    if (upper && !inner) y += 0.012 * who.lip_bow * (1 - 2 * across);
    // the corners rise and fall with the smile, more on one side
    const double corner = smile * (1 + 0.5 * side * now.lopsided);
    y -= 0.12 * corner * across * across;
    y += 0.03 * std::max(0.0, smile) * (1 - across) -
         (0.022 * who.mouth_corner + 0.05 * now.corner_lift) * across * across;
    // a laugh lifts the upper lip off the teeth, and a scowl draws the lower one down
    if (upper) y -= 0.05 * now.lip_raise * (1 - 0.6 * across * across);
    if (lower || inner_lower) y += 0.05 * now.lip_drop * (1 - 0.6 * across * across);
    // an open mouth: the lower lip moves with the jaw, the corners half as far
    const double gap = 0.34 * now.open;
    const double share = (lower || inner_lower) ? 1 - 0.35 * across : upper ? -0.06 : 0.35;
    y += gap * share;
    p = {p.x * width + 0.06 * now.jaw_side * (lower || inner_lower ? 1 : 0.4), middle + shift + y};
    if (inner) p.x *= 1 + 0.03 * who.lip_corner;
  }
}

// Where along the contour its points lie is a matter of habit: it starts higher or lower beside the eye.
void slide_jaw(FacePlan& plan, const FaceIdentity& who) {
  const FacePlan before = plan;
  for (std::size_t i = 0; i < 17; ++i) {
    const double up = std::abs(static_cast<double>(i) - 8) / 8, side = i < 8 ? -1 : 1;
    // in points of the contour: the ends move by up to half of their distance, the chin hardly
    const double by = 0.3 * (who.jaw_start * up * up + 0.5 * who.jaw_shift * side * up * (1 - up) * 2);
    const double at = std::clamp(static_cast<double>(i) - side * by, -0.9, 16.9);
    const auto first = static_cast<std::size_t>(std::clamp(std::floor(at), 0.0, 15.0));
    const double share = at - static_cast<double>(first);
    const Point2 a = before[first], b = before[first + 1];
    plan[i] = {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
  }
}

void shape_jaw(FacePlan& plan, const FaceIdentity& who, const FaceExpression& now) {
  const double drop = 0.26 * now.open;
  const auto near = [](double y, double at, double reach) { return std::exp(-std::pow((y - at) / reach, 2)); };
  for (std::size_t i = 0; i < 17; ++i) {
    Point2& p = plan[i];
    const double down = std::clamp(p.y / chin_line, 0.0, 1.0);
    // a broad jaw is wide at its corner, not at the ears and not at the chin
    const double corner = near(p.y, 0.93 - 0.1 * who.jaw_angle, 0.3);
    p.x *= 1 + 0.045 * who.width + 0.06 * who.jaw * corner + 0.06 * who.chin * near(p.y, chin_line - 0.01, 0.14) +
           0.03 * who.temples * near(p.y, 0, 0.3) + 0.03 * who.cheeks * near(p.y, 0.5, 0.3);
    p.x *= 1 + 0.03 * std::max(0.0, now.smile) * corner - 0.04 * now.open * corner;
    p.x += 0.09 * now.jaw_side * down * down;
    p.y *= 1 + 0.04 * who.length;
    p.y += 0.04 * who.chin_length * down * down * down + 0.7 * 0.03 * who.nose_length * down;
    p.y += drop * down * down;
  }
  slide_jaw(plan, who);
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
