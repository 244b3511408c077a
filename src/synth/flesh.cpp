// Lengths are metres on body::default_human(), of 1.65 m. Girths, breadths and depths are within 8 % of those of the ANSUR
// II survey, the mean of men and women; what lies between them is drawn by eye.
#include "synth/flesh.h"

#include "synth/turn.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinema::synth {
namespace {

// A point in the frame of a joint.
struct Spot {
  int joint = 0;
  Vec3 at{};
};

class Sculptor {
public:
  explicit Sculptor(const Figure& figure) : figure_(figure), skeleton_(figure.person->skeleton) {}

  std::vector<Part> make() {
    trunk();
    head();
    for (int side = 0; side < 2; ++side) {
      shoulder(side);
      arm(side);
      leg(side);
      foot(side);
    }
    return std::move(parts_);
  }

private:
  Spot spot(std::string_view joint, double x, double y, double z) const { return {skeleton_.find(joint), {x, y, z}}; }
  Spot spot(int side, std::string_view joint, double x, double y, double z) const {
    return spot(side_name(side, joint), side == 0 ? x : -x, y, z);
  }
  const FleshScale& scale(const Spot& spot) const {
    return figure_.person->flesh[static_cast<std::size_t>(spot.joint)];
  }
  Vec3 place(const Spot& spot) const {
    const FleshScale& s = scale(spot);
    return figure_.place(spot.joint, {s.width * spot.at.x, s.length * spot.at.y, s.length * spot.at.z});
  }
  Vec3 axis(const Spot& spot, Vec3 direction) const {
    return rotate(figure_.rotations[static_cast<std::size_t>(spot.joint)], direction);
  }

  // From a to b, with radii at both ends; x, in the frame of a's joint, is the direction of the stretch across.
  void cone(const Spot& a, const Spot& b, double start, double end, Vec3 x, Vec3 stretch, Material material) {
    const Vec3 from = place(a), to = place(b);
    Part part;
    part.origin = from;
    part.axes = axes_of(to - from, axis(a, x));
    part.stretch = stretch;
    if (x.x == 1) part.stretch.x *= scale(a).breadth / scale(a).radius;
    part.height = norm(to - from) / stretch.y;
    part.start = start * scale(a).radius;
    part.end = end * scale(b).radius;
    part.material = material;
    parts_.push_back(part);
  }
  void egg(const Spot& centre, Vec3 radii, Material material) {
    Part part;
    part.origin = place(centre);
    part.axes = {axis(centre, {1, 0, 0}), axis(centre, {0, 1, 0}), axis(centre, {0, 0, 1})};
    part.stretch = radii;
    part.start = scale(centre).radius;
    part.material = material;
    parts_.push_back(part);
  }

  void trunk() {
    cone(spot("pelvis", 0, -0.01, -0.01), spot("pelvis", 0, 0.085, -0.008), 0.11, 0.104, left, {1.5, 0.6, 1.05},
         Material::trousers);
    cone(spot("lower_back", 0, -0.005, 0.022), spot("spine", 0, 0.01, 0.042), 0.105, 0.106, left, {1.43, 0.7, 1.06},
         Material::shirt);
    cone(spot("spine", 0, -0.01, 0.042), spot("spine", 0, 0.1, 0.04), 0.108, 0.108, left, {1.33, 0.8, 1.1},
         Material::shirt);
    for (int side = 0; side < 2; ++side) {
      const double s = side == 0 ? 1 : -1;
      egg(spot("pelvis", s * 0.06, -0.025, -0.042), {0.092, 0.105, 0.08}, Material::trousers);
      egg(spot("spine", s * 0.055, 0.06, 0.082), {0.088, 0.1, 0.07}, Material::shirt);
    }
  }

  void head() {
    cone(spot("spine", 0, 0.17, 0.025), spot("neck", 0, 0, 0.004), 0.085, 0.06, left, {1.05, 1, 0.95}, Material::shirt);
    cone(spot("neck", 0, -0.035, 0), spot("head", 0, 0.01, -0.008), 0.058, 0.055, left, {1, 1, 1}, Material::skin);
    egg(spot("head", 0, 0.051, 0.01), {0.075, 0.081, 0.097}, Material::head);
    if (figure_.person->hair > 0) hair(figure_.person->hair, figure_.person->long_hair);
    // jaw, and the nose between forehead and mouth
    cone(spot("head", 0, 0.02, 0.05), spot("head", 0, -0.05, 0.068), 0.06, 0.034, left, {1, 1, 0.92}, Material::skin);
    cone(spot("head", 0, 0.018, 0.1), spot("head", 0, -0.02, 0.114), 0.009, 0.014, left, {1, 1, 1}, Material::skin);
  }

  // Behind the face.
  void hair(double thick, bool falls) {
    egg(spot("head", 0, 0.053, -0.006), {0.075 + thick, 0.081 + thick, 0.085 + thick}, Material::hair);
    if (falls) {
      cone(spot("head", 0, 0.04, -0.02), spot("head", 0, -0.11, -0.045), 0.07 + thick, 0.05 + thick, left,
           {1.1, 0.7, 0.7}, Material::hair);
    }
  }

  void shoulder(int side) {
    const double s = side == 0 ? 1 : -1;
    const Spot joint = spot(side, "shoulder", 0, 0, 0);
    // the upper chest, and the trapezius above it
    cone(spot("spine", s * 0.02, 0.105, 0.03), joint, 0.085, 0.05, front, {1, 1, 1}, Material::shirt);
    cone(spot("neck", s * 0.025, -0.03, -0.01), joint, 0.052, 0.046, front, {1, 1, 1}, Material::shirt);
    // the deltoid moves with the upper arm
    egg(spot(side, "shoulder", 0.025, 0, 0), {0.078, 0.056, 0.056}, Material::shirt);
  }

  void arm(int side) {
    cone(spot(side, "shoulder", 0, 0, 0), spot(side, "elbow", 0, 0, 0), 0.048, 0.038, front, {1.04, 1, 1},
         Material::shirt);
    cone(spot(side, "elbow", 0, 0, 0), spot(side, "wrist", 0, 0, 0), 0.039, 0.026, front, {1.04, 1, 1}, Material::skin);
    egg(spot(side, "elbow", 0.068, 0, 0), {0.085, 0.043, 0.045}, Material::skin);
    // the palm widens to the knuckles, the fingers narrow again
    cone(spot(side, "wrist", 0, 0, 0), spot(side, "wrist", 0.085, 0, 0), 0.028, 0.04, up, {0.5, 1, 1}, Material::skin);
    cone(spot(side, "wrist", 0.085, 0, 0), spot(side, "wrist", 0.158, 0, 0), 0.038, 0.02, up, {0.38, 1, 1},
         Material::skin);
  }

  void leg(int side) {
    cone(spot(side, "hip", 0, -0.03, 0), spot(side, "knee", 0, 0, 0), 0.092, 0.057, left, {0.95, 1, 1.07},
         Material::trousers);
    cone(spot(side, "knee", 0, 0, 0), spot(side, "ankle", 0, 0, 0), 0.055, 0.036, front, {1.05, 1, 1},
         Material::trousers);
    // the calf bulges backwards
    egg(spot(side, "knee", 0, -0.12, -0.017), {0.055, 0.125, 0.054}, Material::trousers);
  }

  void foot(int side) {
    const Spot ball = spot(side, "toe", 0, 0.004, -0.005);
    cone(spot(side, "ankle", 0, -0.034, -0.03), ball, 0.034, 0.03, left, {1.15, 1, 1}, Material::shoe);
    cone(spot(side, "ankle", 0, 0, 0), ball, 0.037, 0.03, left, {1, 1, 1}, Material::shoe);
    cone(ball, spot(side, "toe", 0, -0.002, 0.046), 0.03, 0.022, left, {1.5, 1, 0.97}, Material::shoe);
  }

  static constexpr Vec3 left{1, 0, 0}, up{0, 1, 0}, front{0, 0, 1};

  const Figure& figure_;
  const body::Skeleton& skeleton_;
  std::vector<Part> parts_;
};

}  // namespace

std::vector<Part> flesh_of(const Figure& figure) {
  std::vector<Part> parts = Sculptor(figure).make();
  if (figure.person->loose <= 0) return parts;
  const std::vector<Part> rest = Sculptor(rest_figure(figure.person)).make();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].material != Material::shirt && parts[i].material != Material::trousers) continue;
    parts[i].loose = figure.person->loose;
    parts[i].folds = figure.person->folds;
    parts[i].rest_origin = rest[i].origin;
    parts[i].rest_axes = rest[i].axes;
  }
  return parts;
}

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
