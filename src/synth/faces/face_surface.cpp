#include "synth/faces/face_surface.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

namespace kinema::synth {
namespace {

using std::numbers::pi;

struct Knot {
  double at, value;
};

// Cubic between knots, with slopes that do not overshoot (Fritsch and Carlson).
double interpolate(std::span<const Knot> knots, double at) {
  if (at <= knots.front().at) return knots.front().value;
  if (at >= knots.back().at) return knots.back().value;
  std::size_t k = 0;
  while (at > knots[k + 1].at) ++k;
  const auto secant = [&](std::size_t i) {
    return (knots[i + 1].value - knots[i].value) / std::max(1e-9, knots[i + 1].at - knots[i].at);
  };
  const auto slope = [&](std::size_t i) {
    if (i == 0) return secant(0);
    if (i + 1 == knots.size()) return secant(i - 1);
    const double before = secant(i - 1), after = secant(i);
    return before * after <= 0 ? 0 : 2 * before * after / (before + after);
  };
  const double h = knots[k + 1].at - knots[k].at, t = (at - knots[k].at) / std::max(1e-9, h);
  const double t2 = t * t, t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * knots[k].value + (t3 - 2 * t2 + t) * h * slope(k) +
         (-2 * t3 + 3 * t2) * knots[k + 1].value + (t3 - t2) * h * slope(k + 1);
}

double bump(double x, double y, Point2 centre, double sx, double sy) {
  const double u = (x - centre.x) / sx, v = (y - centre.y) / sy;
  return std::exp(-0.5 * (u * u + v * v));
}

double signed_power(double value, double exponent) { return std::copysign(std::pow(std::abs(value), exponent), value); }

Point2 middle(const FacePlan& plan, std::size_t first, std::size_t count) {
  Point2 sum;
  for (std::size_t i = first; i < first + count; ++i) {
    sum.x += plan[i].x / static_cast<double>(count);
    sum.y += plan[i].y / static_cast<double>(count);
  }
  return sum;
}

// Corners row by row, each row from the same first angle: triangles between neighbours.
void add_triangles(FaceMesh& mesh, std::size_t rows, std::size_t columns) {
  for (std::size_t r = 0; r + 1 < rows; ++r) {
    for (std::size_t c = 0; c + 1 < columns; ++c) {
      const auto a = static_cast<std::uint32_t>(r * columns + c), below = static_cast<std::uint32_t>(a + columns);
      mesh.triangles.push_back({a, a + 1, below});
      mesh.triangles.push_back({a + 1, below + 1, below});
    }
  }
}

// The normal at a corner is the sum of its triangles' normals: soft shading.
void add_normals(FaceMesh& mesh) {
  std::vector<Vec3f> sums(mesh.position.size(), {0, 0, 0});
  for (const auto& triangle : mesh.triangles) {
    const Vec3f a = mesh.position[triangle[0]], b = mesh.position[triangle[1]], c = mesh.position[triangle[2]];
    const Vec3f n = cross(b - a, c - a);
    for (std::uint32_t corner : triangle) sums[corner] = sums[corner] + n;
  }
  mesh.normal.clear();
  for (const Vec3f& n : sums) mesh.normal.push_back((1 / std::max(1e-12f, norm(n))) * n);
}

FaceMesh ellipsoid(FaceMaterial material, Vec3 centre, Vec3 radius, double flat_top = -1) {
  constexpr std::size_t rows = 33, columns = 49;
  FaceMesh mesh;
  mesh.material = material;
  for (std::size_t r = 0; r < rows; ++r) {
    const double polar = pi * static_cast<double>(r) / (rows - 1);
    for (std::size_t c = 0; c < columns; ++c) {
      const double angle = 2 * pi * static_cast<double>(c) / (columns - 1) - pi;
      const double y = std::max(flat_top, -std::cos(polar));
      mesh.position.push_back(single({centre.x + radius.x * std::sin(polar) * std::sin(angle), centre.y + radius.y * y,
                                      centre.z + radius.z * std::sin(polar) * std::cos(angle)}));
    }
  }
  mesh.place = mesh.position;
  add_triangles(mesh, rows, columns);
  add_normals(mesh);
  return mesh;
}

}  // namespace

FaceSurface::FaceSurface(const FacePlan& plan, const FaceIdentity& identity)
    : plan_(plan), identity_(identity), top_(-1.22 * (1 + 0.03 * identity.length)) {}

// Below the ears the width is the jaw's, above a broad dome.
double FaceSurface::half_width(double y, double side) const {
  const auto outer = [&](std::size_t i) { return side < 0 ? plan_[i] : plan_[16 - i]; };
  const double ear = outer(0).y;
  if (y < ear) {
    const double up = (ear - y) / (ear - top_), dome = std::abs(outer(0).x) * (1 + 0.1 * up * (1 - up));
    return dome * std::pow(std::max(0.0, 1 - std::pow(up, 2.6)), 1 / 2.2);
  }
  std::array<Knot, 9> knots;
  for (std::size_t i = 0; i < 9; ++i) {
    knots[i] = {outer(i).y, i == 8 ? 0 : std::abs(outer(i).x)};
    if (i > 0) knots[i].at = std::max(knots[i].at, knots[i - 1].at + 1e-3);
  }
  return interpolate(knots, y);
}

// How far the face extends forward in the middle of a row.
double FaceSurface::front(double y) const {
  const double chin = plan_[8].y, eyes = 0, nose = plan_[33].y, mouth = 0.5 * (plan_[62].y + plan_[66].y);
  const std::array<Knot, 9> knots{{{top_, 0.05},
                                   {top_ + 0.06, 0.38},
                                   {top_ + 0.25, 0.72},
                                   {-0.55, 0.97},
                                   {eyes - 0.22, 1.04},
                                   {eyes, 0.98},
                                   {nose, 0.99},
                                   {mouth, 1.0},
                                   {chin, 0.92}}};
  return interpolate(knots, y);
}

// The axis of a row: under the ears it moves forward with the jaw bone, whose edge runs in an arc from its corners to the
// chin. Beside the chin it lies little behind it.
double FaceSurface::axis(double y) const {
  const double chin = plan_[8].y;
  const std::array<Knot, 7> knots{{{top_, -0.05},
                                   {0, 0},
                                   {0.5 * chin, 0.1},
                                   {0.8 * chin, 0.34},
                                   {0.9 * chin, 0.56},
                                   {0.975 * chin, 0.77},
                                   {chin, 0.87}}};
  return interpolate(knots, y);
}

double FaceSurface::relief(double x, double y) const {
  const FaceIdentity& who = identity_;
  const Point2 left_eye = middle(plan_, 36, 6), right_eye = middle(plan_, 42, 6);
  double z = 0;
  // sockets with the ball of the eye in them, and the ridge of the brows above
  for (const Point2& eye : {left_eye, right_eye}) {
    z -= 0.13 * bump(x, y, eye, 0.15, 0.10);
    z += 0.075 * bump(x, y, eye, 0.10, 0.075);
  }
  z += 0.045 * bump(x, y, {left_eye.x, plan_[19].y + 0.02}, 0.2, 0.06) +
       0.045 * bump(x, y, {right_eye.x, plan_[24].y + 0.02}, 0.2, 0.06);
  // the nose: a ridge that rises to its tip and ends at its base
  const Point2 root = plan_[27], tip = plan_[30], base = plan_[33];
  const double along = (y - root.y) / (tip.y - root.y);
  const double wing = std::abs(plan_[35].x - plan_[31].x) / 2;
  const double height = (0.27 + 0.03 * who.nose_depth) * std::pow(std::clamp(along, 0.0, 1.0), 1.15) + 0.035;
  const double fall = y > tip.y ? std::exp(-std::pow((y - tip.y) / (0.75 * (base.y - tip.y)), 2)) : 1;
  const double rise = along < 0 ? std::exp(-std::pow(along / 0.35, 2)) : 1;
  const double spread = 0.055 + 0.45 * (wing - 0.055) * std::pow(std::clamp(along, 0.0, 1.0), 2);
  z += height * fall * rise * std::exp(-0.5 * std::pow(x / spread, 2));
  for (std::size_t side : {31u, 35u}) {
    z += 0.085 * bump(x, y, {plan_[side].x * 0.8, plan_[side].y - 0.035}, 0.05, 0.05);
  }
  // lips, the groove between them, and the hollow below the lower lip
  const double gap = std::abs(plan_[66].y - plan_[62].y);
  const double half = std::abs(plan_[54].x - plan_[48].x) / 2;
  const double across = std::exp(-0.5 * std::pow(x / (0.62 * half), 2));
  z += 0.07 * across * std::exp(-0.5 * std::pow((y - 0.5 * (plan_[51].y + plan_[62].y)) / 0.04, 2));
  z += 0.075 * across * std::exp(-0.5 * std::pow((y - 0.5 * (plan_[57].y + plan_[66].y)) / 0.045, 2));
  z -= (0.04 + 0.12 * gap) * across *
       std::exp(-0.5 * std::pow((y - 0.5 * (plan_[62].y + plan_[66].y)) / (0.018 + 0.45 * gap), 2));
  z -= 0.05 * bump(x, y, {0, plan_[57].y + 0.09}, 0.16, 0.04);
  z += 0.08 * bump(x, y, {0, plan_[8].y - 0.1}, 0.14, 0.09);
  // cheeks, fuller in a smile
  const double smile = std::clamp((plan_[51].y - 0.5 * (plan_[48].y + plan_[54].y)) / 0.07 + 1, 0.0, 2.0);
  for (double side : {-1.0, 1.0}) z += (0.05 + 0.025 * smile) * bump(x, y, {side * 0.46, 0.36}, 0.14, 0.14);
  return z;
}

Vec3 FaceSurface::at(double y, double angle) const {
  const double s = std::sin(angle), c = std::cos(angle);
  const double x = half_width(y, s < 0 ? -1 : 1) * signed_power(s, 0.92);
  const double z0 = axis(y);
  if (c < 0) {
    // the back: deep at the skull, little under the jaw
    const double down = std::clamp(y / plan_[8].y, 0.0, 1.0);
    const double up = std::clamp(y / top_, 0.0, 1.0);
    const double depth = (1.0 - 0.75 * down) * std::sqrt(std::max(0.0, 1 - std::pow(up, 2.4)));
    return {x, y, z0 + depth * c};
  }
  const double facing = std::min(1.0, 2.2 * c);  // no relief at the contour
  return {x, y, z0 + (front(y) - z0) * std::pow(c, 0.8) + facing * relief(x, y)};
}

Vec3 FaceSurface::on_surface(Point2 p) const {
  const double width = std::max(1e-6, half_width(p.y, p.x < 0 ? -1 : 1));
  const double s = std::clamp(signed_power(std::clamp(p.x / width, -1.0, 1.0), 1 / 0.92), -1.0, 1.0);
  return at(p.y, std::asin(s));
}

FaceMesh FaceSurface::head() const {
  constexpr std::size_t rows = 121, columns = 129;
  FaceMesh mesh;
  mesh.material = FaceMaterial::head;
  for (std::size_t r = 0; r < rows; ++r) {
    // rows are dense at the two poles, where the surface turns fastest
    const double t = 0.5 - 0.5 * std::cos(pi * static_cast<double>(r) / (rows - 1));
    const double y = top_ + (bottom() - top_) * (0.35 * t + 0.65 * static_cast<double>(r) / (rows - 1));
    for (std::size_t c = 0; c < columns; ++c) {
      // most columns are in front
      const double u = 2 * static_cast<double>(c) / (columns - 1) - 1;
      const Vec3 p = at(y, pi * (0.6 * u + 0.4 * u * u * u));
      mesh.place.push_back(single(p));
      mesh.position.push_back(single(p));
    }
  }
  add_triangles(mesh, rows, columns);
  add_normals(mesh);
  return mesh;
}

// Long hair that hangs before the ear and a part of the cheek.
FaceMesh FaceSurface::curtain(double side) const {
  constexpr std::size_t rows = 41, columns = 25;
  FaceMesh mesh;
  mesh.material = FaceMaterial::hair;
  const double end = bottom() + 0.2 + 0.8 * identity_.hair_length, widest = 0.55 * bottom();
  for (std::size_t r = 0; r < rows; ++r) {
    const double down = static_cast<double>(r) / (rows - 1), y = 0.92 * top_ + (end - 0.92 * top_) * down;
    // parted at the top, furthest forward beside the cheeks
    const double wave = 0.06 * std::sin(7 * down + identity_.texture % 7);
    const double first = pi * (0.5 - 0.16 * identity_.curtain * std::sin(pi * std::clamp(1.15 * down, 0.0, 1.0)) -
                               0.12 * identity_.curtain * (1 - down)) +
                         wave;
    for (std::size_t c = 0; c < columns; ++c) {
      const double angle = first + (pi - first) * static_cast<double>(c) / (columns - 1);
      Vec3 p = at(std::min(y, widest), side * angle);
      const double off = 1.05 + 0.08 * std::min(1.0, 3 * down) + 0.02 * std::sin(9 * angle);
      p = {off * p.x, y, off * p.z + 0.03};
      mesh.position.push_back(single(p));
    }
  }
  mesh.place = mesh.position;
  add_triangles(mesh, rows, columns);
  if (side < 0) {
    for (auto& triangle : mesh.triangles) std::swap(triangle[1], triangle[2]);
  }
  add_normals(mesh);
  return mesh;
}

std::vector<FaceMesh> FaceSurface::meshes() const {
  std::vector<FaceMesh> all;
  all.push_back(head());
  const double ear = std::abs(plan_[0].x), chin = bottom();
  for (double side : {-1.0, 1.0}) {
    all.push_back(ellipsoid(FaceMaterial::skin, {side * (ear + 0.02), 0.16, -0.1}, {0.07, 0.2, 0.13}));
  }
  if (identity_.hair_length >= 0) {
    // the hair stands off the skull; long hair hangs behind the jaw
    const double bottom = -0.1 + 1.7 * identity_.hair_length, reach = 0.5 * (bottom - top_);
    all.push_back(ellipsoid(FaceMaterial::hair, {0, top_ + reach - 0.07, -0.35},
                            {ear * (1.1 + 0.25 * identity_.hair_length), reach + 0.05, 0.72}));
  }
  if (identity_.curtain > 0) {
    for (double side : {-1.0, 1.0}) all.push_back(curtain(side));
  }
  // a neck is about as broad as the corners of the jaw; with a double chin its front meets the chin
  const double broad = 0.6 * (1 + 0.1 * identity_.neck);
  all.push_back(ellipsoid(FaceMaterial::skin, {0, chin + 0.25, -0.2}, {broad, 1.1, 0.5}));
  if (identity_.double_chin > 0) {
    all.push_back(ellipsoid(FaceMaterial::skin, {0, chin - 0.05, 0.28},
                            {0.4 * broad + 0.18, 0.08 + 0.14 * identity_.double_chin, 0.36}));
  }
  all.push_back(ellipsoid(FaceMaterial::cloth, {0, chin + 1.45 - 0.35 * identity_.collar, -0.45}, {1.95, 1.0, 0.75}));
  return all;
}

}  // namespace kinema::synth
