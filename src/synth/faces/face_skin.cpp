#include "synth/faces/face_skin.h"

#include "core/random.h"

#include <algorithm>
#include <cmath>

namespace kinema::synth {
namespace {

Colour mix(const Colour& a, const Colour& b, float share) {
  const float t = std::clamp(share, 0.0f, 1.0f);
  return {a.blue + t * (b.blue - a.blue), a.green + t * (b.green - a.green), a.red + t * (b.red - a.red)};
}

Colour rgb(double red, double green, double blue) {
  return {static_cast<float>(blue), static_cast<float>(green), static_cast<float>(red)};
}

Colour mix3(const Colour& a, const Colour& b, const Colour& c, double share) {
  const auto t = static_cast<float>(share);
  return t < 0.5f ? mix(a, b, 2 * t) : mix(b, c, 2 * t - 1);
}

double segment_distance(Point2 p, Point2 a, Point2 b, double* along = nullptr) {
  const double dx = b.x - a.x, dy = b.y - a.y;
  const double t = std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / std::max(1e-12, dx * dx + dy * dy), 0.0, 1.0);
  if (along != nullptr) *along = t;
  return std::hypot(p.x - a.x - t * dx, p.y - a.y - t * dy);
}

float bump(double x, double y, double cx, double cy, double sx, double sy) {
  const double u = (x - cx) / sx, v = (y - cy) / sy;
  return static_cast<float>(std::exp(-0.5 * (u * u + v * v)));
}

// Points on the smooth line (Catmull-Rom) from b to c, c excluded.
void add_curve(std::vector<Point2>& line, Point2 a, Point2 b, Point2 c, Point2 d, int pieces) {
  for (int i = 0; i < pieces; ++i) {
    const double t = static_cast<double>(i) / pieces, t2 = t * t, t3 = t2 * t;
    const auto part = [&](double Point2::*m) {
      return 0.5 * (2 * b.*m + (c.*m - a.*m) * t + (2 * a.*m - 5 * b.*m + 4 * c.*m - d.*m) * t2 +
                    (3 * b.*m - a.*m - 3 * c.*m + d.*m) * t3);
    };
    line.push_back({part(&Point2::x), part(&Point2::y)});
  }
}

std::vector<Point2> range(const FacePlan& plan, std::size_t first, std::size_t count) {
  return {plan.begin() + static_cast<std::ptrdiff_t>(first), plan.begin() + static_cast<std::ptrdiff_t>(first + count)};
}

}  // namespace

FaceSkin::FaceSkin(const FacePlan& plan, const FaceIdentity& identity, const FaceExpression& expression, float blur)
    : plan_(plan), identity_(identity), expression_(expression), blur_(blur) {
  brow_sink_ = 0.014 * identity.brow_thickness;
  left_eye_ = eye(36);
  right_eye_ = eye(42);
  lips_ = outline(range(plan, 48, 12));
  mouth_ = outline(range(plan, 60, 8));
  skin_ = mix3(rgb(0.95, 0.80, 0.70), rgb(0.80, 0.58, 0.43), rgb(0.40, 0.26, 0.19), identity.melanin);
  const auto red = static_cast<float>(identity.redness);
  skin_ = mix(skin_, rgb(0.93, 0.62, 0.55), 0.12f * red);
  const auto painted = static_cast<float>(identity.lip_colour);
  lip_ = mix(mix(skin_, rgb(0.66, 0.34, 0.33), 0.25f + 0.35f * painted), rgb(0.70, 0.12, 0.20),
             0.6f * painted * (0.4f + 0.6f * red));
  hair_ = mix3(rgb(0.07, 0.06, 0.06), rgb(0.34, 0.22, 0.14), rgb(0.80, 0.66, 0.42), identity.hair_tone);
  hair_ = mix(hair_, rgb(0.55, 0.22, 0.10), 0.35f * static_cast<float>(identity.hair_red * identity.hair_tone));
  iris_ = mix3(rgb(0.25, 0.14, 0.08), rgb(0.33, 0.38, 0.22), rgb(0.35, 0.52, 0.66), identity.iris);
}

FaceSkin::Outline FaceSkin::outline(const std::vector<Point2>& corners) {
  Outline made;
  const std::size_t n = corners.size();
  for (std::size_t i = 0; i < n; ++i) {
    add_curve(made.line, corners[(i + n - 1) % n], corners[i], corners[(i + 1) % n], corners[(i + 2) % n], 3);
  }
  const auto by_x = [](Point2 a, Point2 b) { return a.x < b.x; };
  const auto by_y = [](Point2 a, Point2 b) { return a.y < b.y; };
  made.left = std::min_element(made.line.begin(), made.line.end(), by_x)->x;
  made.right = std::max_element(made.line.begin(), made.line.end(), by_x)->x;
  made.top = std::min_element(made.line.begin(), made.line.end(), by_y)->y;
  made.bottom = std::max_element(made.line.begin(), made.line.end(), by_y)->y;
  return made;
}

float FaceSkin::Outline::distance(double x, double y, double reach) const {
  if (x < left - reach || x > right + reach || y < top - reach || y > bottom + reach) {
    return static_cast<float>(reach);
  }
  double nearest = reach;
  bool inside = false;
  for (std::size_t i = 0, j = line.size() - 1; i < line.size(); j = i++) {
    nearest = std::min(nearest, segment_distance({x, y}, line[j], line[i]));
    if ((line[i].y > y) != (line[j].y > y) &&
        x < (line[j].x - line[i].x) * (y - line[i].y) / (line[j].y - line[i].y) + line[i].x) {
      inside = !inside;
    }
  }
  return static_cast<float>(inside ? -nearest : nearest);
}

FaceSkin::Eye FaceSkin::eye(std::size_t first) const {
  Eye made;
  made.lids = outline(range(plan_, first, 6));
  const Point2 *p = &plan_[first], outer{2 * p[0].x - p[1].x, 2 * p[0].y - p[1].y};
  const Point2 inner{2 * p[3].x - p[2].x, 2 * p[3].y - p[2].y};
  // lashes and the fold of the lid run on beyond the outer corner
  const bool left = first == 36;
  const double outwards = left ? -1 : 1, beyond = 0.02 + 0.05 * identity_.lash_wing;
  made.wing = left ? p[0] : p[3];
  made.wing_end = {made.wing.x + outwards * beyond, made.wing.y + 0.25 * beyond};
  made.caruncle = left ? p[3] : p[0];
  made.caruncle.x -= 0.016 * outwards;
  add_curve(made.upper, outer, p[0], p[1], p[2], 4);
  add_curve(made.upper, p[0], p[1], p[2], p[3], 4);
  add_curve(made.upper, p[1], p[2], p[3], inner, 4);
  made.upper.push_back(p[3]);
  const double width = std::hypot(p[3].x - p[0].x, p[3].y - p[0].y);
  made.radius = 0.2 * width;
  made.iris = {(p[0].x + p[3].x) / 2 + 0.16 * width * expression_.gaze_x,
               (p[0].y + p[3].y) / 2 - 0.012 + 0.05 * width * expression_.gaze_y};
  return made;
}

float FaceSkin::edge(float distance) const { return std::clamp(0.5f - distance / (2 * blur_), 0.0f, 1.0f); }

FacePaint FaceSkin::at(FaceMaterial material, const Vec3f& place) const {
  const Vec3 p{place.x, place.y, place.z};
  switch (material) {
    case FaceMaterial::head:
      return head(place);
    case FaceMaterial::hair:
      return {hair(place), 0.15f};
    case FaceMaterial::skin: {
      FacePaint neck = skin(5, place.y, place.z);  // no feature of the face is near
      // little light reaches the skin under the chin
      const double below = std::max(0.0, p.y - plan_[8].y + 0.05);
      if (p.y > 0.5)
        neck.colour = (1 - static_cast<float>(0.7 * identity_.neck_shade * std::exp(-below / 0.3))) * neck.colour;
      return neck;
    }
    case FaceMaterial::cloth:
      break;
  }
  const Philox bits = philox(identity_.texture, 7, 0, 0, 0);
  const auto shade = [&](int i) { return 0.12f + 0.6f * static_cast<float>(bits.word[i] >> 8) / 16777216.0f; };
  const float cloth = weave(p, 0.4, 0.03, 0.25f, identity_.texture);
  return {cloth * Colour{shade(0), shade(1), shade(2)}, 0};
}

Colour FaceSkin::hair(const Vec3f& place) const {
  // strands: noise stretched along the fall of the hair
  const float strands = value_noise({place.x * 34.0, place.y * 2.5, place.z * 34.0}, identity_.texture ^ 0x51u);
  const float locks = value_noise({place.x * 6.0, place.y * 1.2, place.z * 6.0}, identity_.texture ^ 0x52u);
  const float tips = value_noise({place.x * 80.0, place.y * 5.0, place.z * 80.0}, identity_.texture ^ 0x53u);
  return (0.3f + 0.6f * strands + 0.4f * locks + 0.5f * tips) * hair_;
}

FacePaint FaceSkin::skin(double x, double y, double z) const {
  const float broad = value_noise({x * 3, y * 3, z * 3}, identity_.texture);
  const float fine = value_noise({x * 45, y * 45, z * 45}, identity_.texture ^ 0x11u);
  const float uneven = value_noise({x * 11, y * 11, z * 11}, identity_.texture ^ 0x12u) - 0.5f;
  const float patches = 0.16f * static_cast<float>(identity_.blemishes) * uneven;
  FacePaint paint{(0.93f + 0.09f * broad + 0.05f * fine + patches) * skin_, 0.22f};
  const auto red = static_cast<float>(identity_.redness);
  const Colour flush = mix(skin_, rgb(0.86, 0.36, 0.32), 0.5f);
  const float cheeks = bump(std::abs(x), y, 0.47, 0.36, 0.16, 0.15), nose = bump(x, y, 0, plan_[30].y, 0.09, 0.09);
  paint.colour = mix(paint.colour, flush, (0.15f + 0.45f * red) * cheeks + 0.25f * red * nose);
  if (identity_.freckles > 0) {
    const float spots = value_noise({x * 38, y * 38, z * 38}, identity_.texture ^ 0x22u);
    const float where = bump(x, y, 0, 0.28, 0.45, 0.16);
    paint.colour = mix(paint.colour, 0.62f * skin_,
                       where * static_cast<float>(identity_.freckles) * 6 * std::max(0.0f, spots - 0.66f));
  }
  return paint;
}

void FaceSkin::draw_beard(FacePaint& paint, double x, double y, const Vec3f& place) const {
  if (identity_.beard <= 0) return;
  // along the jaw and round the mouth, not on the cheeks
  const double mouth = plan_[48].y, lip = plan_[51].y;
  const double jaw = (y - (mouth - 0.42 + 0.2 * std::abs(x))) / 0.25;
  const double side = (std::abs(x) - 0.52) / 0.1, low = (y - 0.1) / 0.2;
  double cover =
      std::clamp(std::max(y - (mouth - 0.02) + 0.04 > 0 ? std::min(1.0, (y - mouth + 0.06) / 0.12) : 0.0,
                          std::min({std::clamp(side, 0.0, 1.0), std::clamp(low, 0.0, 1.0), std::max(0.0, jaw)})),
                 0.0, 1.0);
  const double moustache = std::abs(x) < 0.34 ? std::clamp(1 - std::abs(y - (lip - 0.06)) / 0.075, 0.0, 1.0) : 0;
  cover = std::max(cover, moustache);
  const float stubble = value_noise({place.x * 60.0, place.y * 30.0, place.z * 60.0}, identity_.texture ^ 0x33u);
  const auto beard = static_cast<float>(identity_.beard);
  paint.colour =
      mix(paint.colour, (0.6f + 0.8f * stubble) * hair_, static_cast<float>(cover) * beard * (0.55f + 0.6f * stubble));
  paint.gloss *= 1 - 0.8f * beard * static_cast<float>(cover);
}

void FaceSkin::draw_brows(FacePaint& paint, double x, double y) const {
  const std::size_t first = x < 0 ? 17 : 22;
  double nearest = 1, where = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    double along = 0;
    // the landmarks lie in the upper part of the hair, as annotators set them
    const double d = segment_distance({x, y - brow_sink_}, plan_[first + i], plan_[first + i + 1], &along);
    if (d < nearest) {
      nearest = d;
      where = (static_cast<double>(i) + along) / 4;
    }
  }
  const double inner = x < 0 ? where : 1 - where;  // thick at the nose, thin at the temple
  const double half = (0.03 + 0.007 * identity_.brow_width) * identity_.brow_thickness * (0.45 + 0.75 * inner);
  const float hairs = value_noise({x * 50 + y * 25, y * 14, 0}, identity_.texture ^ 0x44u);
  const float cover = edge(static_cast<float>(nearest - half)) * (0.6f + 0.4f * hairs);
  paint.colour = mix(paint.colour, 0.8f * hair_, static_cast<float>(identity_.brow_strength) * cover);
  paint.gloss *= 1 - cover;
}

void FaceSkin::draw_eye(FacePaint& paint, const Eye& eye, double x, double y) const {
  constexpr double reach = 0.12;
  const float d = eye.lids.distance(x, y, reach);
  if (d >= static_cast<float>(reach)) return;
  // the shade of the socket, and the fold of the upper lid
  paint.colour = mix(paint.colour, 0.72f * skin_, 0.4f * std::clamp(1 - d / 0.11f, 0.0f, 1.0f));
  draw_age(paint, eye, x, y);
  double lash = 1, fold = 1;
  for (std::size_t i = 0; i + 1 < eye.upper.size(); ++i) {
    const Point2 a = eye.upper[i], b = eye.upper[i + 1];
    lash = std::min(lash, segment_distance({x, y}, a, b));
    fold = std::min(fold, segment_distance({x, y}, {a.x, a.y - 0.042}, {b.x, b.y - 0.042}));
  }
  paint.colour = mix(paint.colour, 0.55f * skin_, 0.7f * edge(static_cast<float>(fold - 0.008)));

  const double from_iris = std::hypot(x - eye.iris.x, y - eye.iris.y);
  Colour ball = rgb(0.93, 0.91, 0.90);
  const auto radius = static_cast<float>(eye.radius), r = static_cast<float>(from_iris);
  const float rays =
      value_noise({std::atan2(y - eye.iris.y, x - eye.iris.x) * 6, from_iris * 20, 0}, identity_.texture);
  Colour ring = (0.8f + 0.4f * rays) * iris_;
  ring = mix(ring, 0.35f * iris_, std::clamp((r / radius - 0.75f) * 4, 0.0f, 1.0f));
  ball = mix(ball, ring, edge(r - radius));
  ball = mix(ball, rgb(0.03, 0.03, 0.03), edge(r - 0.45f * radius));
  const double glint = std::hypot(x - eye.iris.x + 0.35 * eye.radius, y - eye.iris.y + 0.35 * eye.radius);
  ball = mix(ball, rgb(1, 1, 1), 0.9f * edge(static_cast<float>(glint - 0.2 * eye.radius)));
  ball = mix(ball, 0.45f * ball, std::clamp(1 - static_cast<float>(lash) / 0.045f, 0.0f, 1.0f));  // shade of the lid
  // the caruncle, which the landmark leaves out
  const double pink = std::hypot((x - eye.caruncle.x) / 1.6, y - eye.caruncle.y);
  paint.colour =
      mix(paint.colour, mix(skin_, rgb(0.62, 0.32, 0.30), 0.6f), 0.8f * edge(static_cast<float>(pink - 0.014)));
  const auto wing = static_cast<float>(segment_distance({x, y}, eye.wing, eye.wing_end));
  paint.colour = mix(paint.colour, 0.5f * skin_, 0.8f * edge(wing - 0.006f));
  const float inside = edge(d);
  paint.colour = mix(paint.colour, ball, inside);
  paint.gloss *= 1 - inside;
  // lashes above, a thin rim below
  const auto dark = static_cast<float>(identity_.eye_make_up);
  paint.colour = mix(paint.colour, (0.5f - 0.35f * dark) * hair_,
                     (0.6f + 0.35f * dark) * edge(static_cast<float>(lash) - 0.009f - 0.012f * dark));
  paint.colour = mix(paint.colour, mix(0.6f * skin_, 0.5f * lip_, 0.5f), 0.5f * edge(std::abs(d) - 0.006f));
}

// Bags under the eyes, lines beside them and on the forehead.
void FaceSkin::draw_age(FacePaint& paint, const Eye& eye, double x, double y) const {
  const auto age = static_cast<float>(identity_.age);
  const Point2 outer =
      eye.upper.front().x * eye.upper.back().x > 0 && std::abs(eye.upper.front().x) > std::abs(eye.upper.back().x)
          ? eye.upper.front()
          : eye.upper.back();
  const double bag = std::abs(std::hypot((x - eye.iris.x) / 1.3, y - eye.iris.y + 0.02) - 0.12);
  if (y > eye.iris.y + 0.03)
    paint.colour =
        mix(paint.colour, 0.7f * skin_, 0.55f * age * std::clamp(1 - static_cast<float>(bag) / 0.03f, 0.0f, 1.0f));
  const double side = outer.x < 0 ? -1 : 1;
  for (const double slope : {-0.5, 0.0, 0.5}) {
    const Point2 a{outer.x + side * 0.03, outer.y + 0.02 * slope},
        b{outer.x + side * 0.11, outer.y + 0.16 * slope * 0.6};
    const auto d = static_cast<float>(segment_distance({x, y}, a, b));
    paint.colour = mix(paint.colour, 0.7f * skin_, 0.5f * age * std::clamp(1 - d / 0.012f, 0.0f, 1.0f));
  }
}

// Rims, lenses and the bridge, as if they lay on the skin.
void FaceSkin::draw_glasses(FacePaint& paint, double x, double y) const {
  if (identity_.glasses <= 0) return;
  const double size = 0.85 + 0.4 * identity_.glasses_size, rim = 0.006 + 0.02 * identity_.glasses;
  double nearest = 1, inside = 1;
  for (const std::size_t first : {36u, 42u}) {
    const Point2 a = plan_[first], b = plan_[first + 3];
    const double u = std::abs(x - 0.5 * (a.x + b.x)) - 0.17 * size,
                 v = std::abs(y - 0.5 * (a.y + b.y) - 0.03) - 0.09 * size;
    // a rectangle with round corners
    const double d = std::hypot(std::max(u, 0.0), std::max(v, 0.0)) + std::min(0.0, std::max(u, v)) - 0.07;
    nearest = std::min(nearest, std::abs(d));
    inside = std::min(inside, d);
  }
  const double bridge = std::abs(x) < 0.16 ? std::abs(y + 0.03 - 0.02 * std::cos(12 * x)) : 1;
  const double temple = std::abs(x) > 0.5 ? std::abs(y + 0.02) : 1;
  const Colour frame = mix(rgb(0.05, 0.05, 0.06), 0.8f * hair_, static_cast<float>(identity_.texture % 97) / 97.0f);
  paint.colour = mix(paint.colour, rgb(0.06, 0.06, 0.07),
                     static_cast<float>(identity_.glasses_shade) * edge(static_cast<float>(inside)));
  if (inside < 0 && identity_.texture % 3 == 0)  // what the lens mirrors
    paint.colour = mix(paint.colour, rgb(0.9, 0.95, 1), 0.25f * bump(x + 0.6 * y, 0, x < 0 ? -0.36 : 0.3, 0, 0.05, 1));
  const auto line = static_cast<float>(std::min({nearest, bridge, temple}) - rim);
  paint.colour = mix(paint.colour, frame, edge(line));
  paint.gloss = std::max(paint.gloss * (1 - edge(line)), 0.8f * edge(line));
}

void FaceSkin::draw_nostrils(FacePaint& paint, double x, double y) const {
  if (std::abs(x) > 0.3 || std::abs(y - plan_[33].y) > 0.2) return;
  for (std::size_t i : {32u, 34u}) {
    // the landmarks lie under the nostrils, where the lip begins
    const double u = (x - plan_[i].x * 1.05) / 0.052, v = (y - plan_[i].y + 0.034) / 0.026;
    const auto d = static_cast<float>((std::hypot(u, v) - 1) * 0.03);
    paint.colour = mix(paint.colour, 0.22f * skin_, static_cast<float>(identity_.nostrils) * edge(d));
  }
  // the crease behind the wing
  for (std::size_t i : {31u, 35u}) {
    const double side = plan_[i].x < 0 ? -1 : 1;
    const double d = segment_distance({x, y}, {plan_[i].x + side * 0.015, plan_[i].y - 0.09}, {plan_[i].x, plan_[i].y});
    paint.colour = mix(paint.colour, 0.6f * skin_, 0.6f * edge(static_cast<float>(d - 0.008)));
  }
}

void FaceSkin::draw_mouth(FacePaint& paint, double x, double y) const {
  // folds from the nose to the corners, deep in a smile
  const auto smile = static_cast<float>(std::max(0.0, expression_.smile));
  for (double side : {-1.0, 1.0}) {
    const std::size_t wing = side < 0 ? 31 : 35, corner = side < 0 ? 48 : 54;
    const Point2 a{plan_[wing].x + side * 0.04, plan_[wing].y - 0.03};
    const Point2 b{plan_[corner].x + side * 0.07, plan_[corner].y - 0.03};
    const auto d = static_cast<float>(segment_distance({x, y}, a, b));
    paint.colour = mix(paint.colour, 0.7f * skin_, (0.12f + 0.55f * smile) * std::clamp(1 - d / 0.035f, 0.0f, 1.0f));
  }
  // the lips' line runs on into the cheek, and the lower lip throws a shade
  for (const std::size_t corner : {48u, 54u}) {
    const double side = corner == 48 ? -1 : 1, length = 0.025 + 0.05 * identity_.mouth_crease;
    const Point2 a{plan_[corner].x - side * 0.01, plan_[corner].y};
    const auto crease = static_cast<float>(segment_distance({x, y}, a, {a.x + side * length, a.y + 0.3 * length}));
    paint.colour = mix(paint.colour, 0.55f * skin_, 0.8f * std::clamp(1 - crease / 0.016f, 0.0f, 1.0f));
  }
  const float below = bump(x, y, 0.5 * (plan_[56].x + plan_[58].x), plan_[57].y + 0.035, 0.14, 0.022);
  paint.colour = mix(paint.colour, 0.68f * skin_, static_cast<float>(identity_.lip_shade) * below);
  constexpr double reach = 0.08;
  const float d = lips_.distance(x, y, reach);
  if (d >= static_cast<float>(reach)) return;
  const float inside = edge(d);
  const bool upper = y < 0.5 * (plan_[62].y + plan_[66].y);
  const float creases = value_noise({x * 40, y * 6, 0}, identity_.texture ^ 0x55u);
  paint.colour = mix(paint.colour, (upper ? 0.85f : 1.0f) * (0.9f + 0.15f * creases) * lip_, inside);
  paint.gloss += 0.35f * inside;
  paint.colour = mix(paint.colour, 0.75f * skin_, 0.4f * edge(std::abs(d) - 0.007f));

  const float gap = mouth_.distance(x, y, 0.05);
  const float open = edge(gap);
  const double opening = plan_[66].y - plan_[62].y;
  Colour cave = rgb(0.22, 0.06, 0.06);
  if (opening > 0.05) {
    const double teeth = std::min(0.11, 0.75 * opening), from_top = y - plan_[62].y;
    const double gaps = std::abs(std::fmod(std::abs(x) / 0.075, 1.0) - 0.5);
    const float white =
        static_cast<float>(std::clamp((teeth - from_top) / 0.02, 0.0, 1.0)) * (gaps > 0.44 ? 0.8f : 1.0f);
    cave = mix(cave, rgb(0.90, 0.87, 0.80),
               0.9f * white * static_cast<float>(std::clamp(1.3 - std::abs(x) / 0.3, 0.0, 1.0)));
    const float tongue = bump(x, y, 0, plan_[66].y, 0.15, 0.4 * opening);
    cave = mix(cave, rgb(0.62, 0.25, 0.26), 0.7f * tongue);
  }
  paint.colour = mix(paint.colour, cave, open);
  paint.gloss *= 1 - open;
  // closed lips meet in a dark line
  paint.colour = mix(paint.colour, rgb(0.25, 0.08, 0.08), 0.75f * edge(std::abs(gap) - 0.007f));
}

FacePaint FaceSkin::head(const Vec3f& place) const {
  const double x = place.x, y = place.y, z = place.z;
  // the hairline: an arch over the forehead that comes down before the ears
  const double side = std::abs(x) / 0.85;
  const double wave = 0.05 * (static_cast<double>(value_noise({x * 7, z * 7, 3}, identity_.texture ^ 0x66u)) - 0.5);
  const double locks = static_cast<double>(value_noise({x * 16, 0.5, 9}, identity_.texture ^ 0x77u)) - 0.5;
  const double fall = std::clamp(0.6 + 0.6 * x * identity_.fringe_side + 0.35 * locks, 0.0, 1.2);
  const double line =
      -0.74 - 0.07 * identity_.hairline + 0.34 * side * side * side * side + wave + 0.6 * identity_.fringe * fall;
  if (identity_.hair_length >= 0) {
    const bool behind = z < 0.05 && y < 0.1;
    if (behind || y < line - blur_) return {hair(place), 0.15f};
  }
  if (z < 0.1 * std::max(0.0, y)) return skin(5, y, z);
  FacePaint paint = skin(x, y, z);
  draw_beard(paint, x, y, place);
  draw_nostrils(paint, x, y);
  draw_mouth(paint, x, y);
  draw_brows(paint, x, y);
  draw_eye(paint, x < 0 ? left_eye_ : right_eye_, x, y);
  draw_glasses(paint, x, y);
  if (identity_.hair_length >= 0) {
    paint.colour = mix(paint.colour, hair(place), edge(static_cast<float>(y - line)));
    paint.colour =
        mix(paint.colour, 0.8f * paint.colour, std::clamp(1 - static_cast<float>(y - line) / 0.06f, 0.0f, 0.6f));
  }
  return paint;
}

}  // namespace kinema::synth
