// Lengths are metres for a person of 1.65 m, estimated by eye.
#include "synth/flesh.h"

#include <algorithm>
#include <cmath>

namespace kinema::synth {
namespace {

Vec3 unit_vector(Vec3 v) {
  const double size = norm(v);
  return size > 1e-9 ? (1 / size) * v : Vec3{0, 1, 0};
}

// Axes with y along `y` and x as close as possible to `x`.
std::array<Vec3, 3> axes_of(Vec3 y, Vec3 x) {
  const Vec3 up = unit_vector(y);
  Vec3 across = x - dot(x, up) * up;
  if (norm(across) < 1e-3 * norm(x)) {
    // any direction, where none is closest
    const Vec3 other = std::abs(up.x) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
    across = other - dot(other, up) * up;
  }
  const Vec3 left = unit_vector(across);
  return {left, up, cross(left, up)};
}

class Sculptor {
public:
  explicit Sculptor(const Figure& figure) : figure_(figure), size_(figure.size) {
    chest_ =
        axes_of(figure.joint("neck") - figure.waist, figure.joint("left_shoulder") - figure.joint("right_shoulder"));
    hips_ = axes_of(figure.waist - middle("hip"), figure.joint("left_hip") - figure.joint("right_hip"));
  }

  std::vector<Part> make() {
    trunk();
    head();
    for (int side = 0; side < 2; ++side) {
      arm(side);
      leg(side);
      foot(side);
    }
    return std::move(parts_);
  }

private:
  Vec3 middle(std::string_view joint) const {
    return 0.5 * (figure_.side_joint(0, joint) + figure_.side_joint(1, joint));
  }

  double half_width() const { return 0.5 * norm(figure_.side_joint(0, "hip") - figure_.side_joint(1, "hip")); }

  // From a to b, with radii at both ends; x is the reference direction of the stretch across.
  void cone(Vec3 a, Vec3 b, double start, double end, Vec3 x, Vec3 stretch, Material material) {
    Part part;
    part.origin = a;
    part.axes = axes_of(b - a, x);
    part.stretch = stretch;
    part.height = norm(b - a) / stretch.y;
    part.start = start * size_;
    part.end = end * size_;
    part.material = material;
    parts_.push_back(part);
  }
  void egg(Vec3 centre, const std::array<Vec3, 3>& axes, Vec3 radii, Material material) {
    Part part;
    part.origin = centre;
    part.axes = axes;
    part.stretch = radii;
    part.start = size_;
    part.material = material;
    parts_.push_back(part);
  }
  // A point offset from another, by metres along axes.
  Vec3 beside(Vec3 at, const std::array<Vec3, 3>& axes, double x, double y, double z) const {
    return at + (size_ * x) * axes[0] + (size_ * y) * axes[1] + (size_ * z) * axes[2];
  }

  void trunk() {
    const Vec3 neck = figure_.joint("neck"), hip = middle("hip");
    // half the width, wider where the joints of the file are far apart
    const double across = std::max(0.147, 0.95 * half_width() / size_);
    cone(beside(hip, hips_, 0, 0.02, -0.012), beside(figure_.waist, hips_, 0, -0.06, 0), 0.098, 0.084, hips_[0],
         {across / 0.098, 1, 1.08}, Material::trousers);
    cone(beside(figure_.waist, hips_, 0, -0.07, 0.005), beside(figure_.waist, chest_, 0, 0.04, 0.008), 0.097, 0.102,
         chest_[0], {1.4, 1, 1.06}, Material::shirt);
    cone(beside(figure_.waist, chest_, 0, 0.0, 0.006), beside(neck, chest_, 0, -0.03, 0), 0.1, 0.112, chest_[0],
         {1.5, 0.9, 1.02}, Material::shirt);
    // from shoulder to shoulder, following both
    const Vec3 left = figure_.side_joint(0, "shoulder"), right = figure_.side_joint(1, "shoulder");
    const Vec3 breast = beside(neck, chest_, 0, -0.01, 0.0);
    for (const Vec3& shoulder : {left, right}) {
      cone(breast, beside(shoulder, chest_, 0, -0.02, 0), 0.088, 0.052, chest_[2], {0.95, 1, 1.1}, Material::shirt);
    }
    for (double s : {1.0, -1.0}) {
      egg(beside(hip, hips_, s * 0.065, -0.01, -0.055), hips_, {0.085, 0.095, 0.075}, Material::trousers);
      egg(beside(neck, chest_, s * 0.065, -0.055, 0.05), chest_, {0.09, 0.065, 0.052}, Material::shirt);
    }
  }

  void head() {
    const Vec3 neck = figure_.joint("neck"), skull = figure_.joint("head");
    const std::array<Vec3, 3> axes = axes_of(figure_.head_up, cross(figure_.head_up, figure_.head_front));
    cone(beside(neck, chest_, 0, 0.02, -0.005), beside(skull, axes, 0, 0.02, 0), 0.062, 0.052, chest_[0], {1, 1, 1},
         Material::skin);
    egg(beside(skull, axes, 0, 0.085, 0.008), axes, {0.074, 0.105, 0.093}, Material::head);
    // jaw, and the nose between forehead and mouth
    cone(beside(skull, axes, 0, 0.065, 0.045), beside(skull, axes, 0, 0.005, 0.062), 0.052, 0.036, axes[0], {1, 1, 0.9},
         Material::skin);
    cone(beside(skull, axes, 0, 0.085, 0.092), beside(skull, axes, 0, 0.05, 0.108), 0.009, 0.014, axes[0], {1, 1, 1},
         Material::skin);
  }

  void arm(int side) {
    const Vec3 neck = figure_.joint("neck"), shoulder = figure_.side_joint(side, "shoulder");
    const Vec3 elbow = figure_.side_joint(side, "elbow"), wrist = figure_.side_joint(side, "wrist");
    const Vec3 front = chest_[2];
    const double s = side == 0 ? 1 : -1;
    cone(beside(neck, chest_, s * 0.03, 0.075, -0.02), beside(shoulder, chest_, -s * 0.02, 0, -0.005), 0.042, 0.055,
         front, {1, 1, 1}, Material::shirt);
    // the deltoid moves with the upper arm
    const std::array<Vec3, 3> upper = axes_of(elbow - shoulder, front);
    egg(beside(shoulder, upper, 0, 0.03, 0), upper, {0.058, 0.078, 0.056}, Material::shirt);
    cone(shoulder, elbow, 0.05, 0.037, front, {1.05, 1, 1}, Material::shirt);
    const Vec3 forearm = wrist - elbow;
    cone(elbow, wrist, 0.038, 0.026, figure_.palm[side], {0.92, 1, 1.1}, Material::skin);
    egg(elbow + 0.27 * forearm, axes_of(forearm, figure_.palm[side]), {0.042, 0.085, 0.043}, Material::skin);

    // the palm widens to the knuckles, the fingers narrow again
    const Vec3 knuckles = wrist + (0.075 * size_) * figure_.hand[side];
    cone(wrist, knuckles, 0.028, 0.04, figure_.palm[side], {0.5, 1, 1}, Material::skin);
    cone(knuckles, knuckles + (0.075 * size_) * figure_.hand[side], 0.038, 0.022, figure_.palm[side], {0.38, 1, 1},
         Material::skin);
  }

  void leg(int side) {
    const Vec3 hip = figure_.side_joint(side, "hip"), knee = figure_.side_joint(side, "knee");
    const Vec3 ankle = figure_.side_joint(side, "ankle");
    const Vec3 shin = ankle - knee;
    const Vec3 front = figure_.ball[side] - ankle;
    // some files place the hips at the outside of the body: legs start nearer to its middle
    const double inside = std::min(1.0, 0.1 * size_ / std::max(half_width(), 1e-6));
    const Vec3 top = middle("hip") + (0.3 + 0.7 * inside) * (hip - middle("hip"));
    cone(top + 0.05 * (knee - top), knee, 0.084, 0.052, hips_[0], {1, 1, 1.08}, Material::trousers);
    cone(knee, ankle, 0.05, 0.036, front, {1.05, 1, 1}, Material::trousers);
    // the calf bulges backwards
    const std::array<Vec3, 3> axes = axes_of(shin, front);
    egg(beside(knee + 0.3 * shin, axes, -0.014, 0, 0), axes, {0.055, 0.125, 0.053}, Material::trousers);
  }

  void foot(int side) {
    const Vec3 ankle = figure_.side_joint(side, "ankle"), ball = figure_.ball[side], toe = figure_.toe[side];
    const Vec3 shin = ankle - figure_.side_joint(side, "knee");
    const Vec3 front = unit_vector(ball - ankle);
    const Vec3 down = unit_vector(shin - dot(shin, front) * front);
    const Vec3 across = cross(front, down);
    const Vec3 heel = ankle - (0.035 * size_) * front + (0.032 * size_) * down;
    cone(heel, ball, 0.036, 0.032, across, {1.1, 1, 1}, Material::shoe);
    cone(ankle, ball, 0.036, 0.03, across, {1, 1, 1}, Material::shoe);
    const Vec3 tip = toe - (0.012 * size_) * unit_vector(toe - ball);
    cone(ball, tip, 0.032, 0.022, across, {1.35, 1, 0.95}, Material::shoe);
  }

  const Figure& figure_;
  double size_;
  std::array<Vec3, 3> chest_, hips_;
  std::vector<Part> parts_;
};

}  // namespace

std::vector<Part> flesh_of(const Figure& figure) { return Sculptor(figure).make(); }

double sole_of(const Figure& figure, Vec3 up) {
  double lowest = 0;
  bool first = true;
  for (const Part& part : flesh_of(figure)) {
    if (part.material != Material::shoe) continue;
    const Vec3 end = part.origin + (part.height * part.stretch.y) * part.axes[1];
    const double low = std::min(dot(part.origin, up) - part.start, dot(end, up) - part.end);
    lowest = first ? low : std::min(lowest, low);
    first = false;
  }
  return lowest;
}

}  // namespace kinema::synth
