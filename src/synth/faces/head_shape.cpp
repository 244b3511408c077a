#include "synth/faces/head_shape.h"

#include "synth/faces/face_surface.h"
#include "synth/faces/faces.h"

#include <fmt/format.h>
#include <Eigen/Dense>

#include <cmath>
#include <functional>

namespace kinema::synth {
namespace {

constexpr double unit = 9000;  // hundredths of a millimetre between the outer corners of the eyes

using Coordinates = Eigen::VectorXd;

// The surface's frame has y down.
Coordinates points_of(const FacePlan& plan, const FaceIdentity& identity) {
  const FaceSurface surface(plan, identity);
  Coordinates points(3 * face_landmarks);
  for (std::size_t i = 0; i < face_landmarks; ++i) {
    const Vec3 p = surface.on_surface(plan[i]);
    points.segment<3>(3 * static_cast<Eigen::Index>(i)) << p.x, -p.y, p.z;
  }
  return points;
}

// The part of an expression that moves each point, 0 to 1. The person's left is on the right of the plan.
using Share = std::function<double(std::size_t point, const Point2& at)>;

double on_left(const Point2& at) { return at.x > 1e-9 ? 1 : at.x < -1e-9 ? 0 : 0.5; }
double outward(const Point2& at) { return (std::abs(at.x) - 0.14) / 0.5; }
bool is_brow(std::size_t point) { return point >= 17 && point < 27; }

Coordinates moved(const FaceExpression& expression, const Share& share) {
  const FaceIdentity mean;
  const FacePlan rest = frontal_plan(mean, {}), full = frontal_plan(mean, expression);
  FacePlan plan = rest;
  for (std::size_t i = 0; i < face_landmarks; ++i) {
    const double part = share(i, rest[i]);
    plan[i] = {rest[i].x + part * (full[i].x - rest[i].x), rest[i].y + part * (full[i].y - rest[i].y)};
  }
  return points_of(plan, mean) - points_of(rest, mean);
}

std::vector<Coordinates> expressions() {
  const auto all = [](std::size_t, const Point2&) { return 1.0; };
  const auto left = [](std::size_t, const Point2& at) { return on_left(at); };
  const auto right = [](std::size_t, const Point2& at) { return 1 - on_left(at); };
  const auto inner = [](std::size_t point, const Point2& at) { return is_brow(point) ? 1 - outward(at) : 0; };
  const auto outer = [](double side) {
    return [side](std::size_t point, const Point2& at) { return is_brow(point) && side * at.x > 0 ? outward(at) : 0; };
  };
  return {moved({.open = 1}, all),
          moved({.smile = 1}, left),
          moved({.smile = 1}, right),
          moved({.pucker = 1}, all),
          moved({.blink = 1}, left),
          moved({.blink = 1}, right),
          moved({.brow_raise = 1}, inner),
          moved({.brow_raise = -1}, left),
          moved({.brow_raise = -1}, right),
          moved({.brow_raise = 1}, outer(1)),
          moved({.brow_raise = 1}, outer(-1))};
}

std::vector<double> plain(const Coordinates& points) { return {points.begin(), points.end()}; }

}  // namespace

DrawnHeadShape drawn_head_shape(std::size_t people, std::size_t components) {
  const auto count = static_cast<Eigen::Index>(people);
  Eigen::MatrixXd shapes(3 * static_cast<Eigen::Index>(face_landmarks), count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const FaceIdentity identity = face_identity(1, static_cast<std::uint32_t>(i));
    shapes.col(i) = points_of(frontal_plan(identity, {}), identity);
  }
  const Coordinates mean = shapes.rowwise().mean();
  shapes.colwise() -= mean;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(shapes * shapes.transpose() / static_cast<double>(count));

  DrawnHeadShape shape;
  const Eigen::Vector3d origin = 0.5 * (mean.segment<3>(3 * 36) + mean.segment<3>(3 * 45));
  Coordinates centred = mean;
  for (Eigen::Index i = 0; i < centred.size(); i += 3) centred.segment<3>(i) -= origin;
  shape.mean = plain(centred);
  for (std::size_t k = 0; k < components; ++k) {
    const Eigen::Index at = eigen.eigenvalues().size() - 1 - static_cast<Eigen::Index>(k);
    Coordinates mode = std::sqrt(std::max(0.0, eigen.eigenvalues()[at])) * eigen.eigenvectors().col(at);
    // of the two directions, that in which the largest coordinate grows
    Eigen::Index largest = 0;
    mode.cwiseAbs().maxCoeff(&largest);
    if (mode[largest] < 0) mode = -mode;
    shape.people.push_back(plain(mode));
  }
  for (const Coordinates& delta : expressions()) shape.expressions.push_back(plain(delta));
  return shape;
}

std::string head_shape_source(const DrawnHeadShape& shape) {
  const auto row = [](const std::vector<double>& values) {
    std::string text = "    {", line;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string number =
          fmt::format("{}{}", std::lround(unit * values[i]), i + 1 < values.size() ? "," : "},\n");
      if (line.size() + number.size() > 112) {
        text += line + "\n     ";
        line.clear();
      }
      line += number;
    }
    return text + line;
  };
  std::string text = "// Made by the target print_head_shape from the faces of src/synth; do not edit.\n";
  text +=
      fmt::format("#{} \"face/tracker/head_shape.h\"\n\nnamespace kinema::face {{\n\n// clang-format off\n", "include");
  text += "const HeadShapeRow head_shape_mean[1] = {\n";
  text += row(shape.mean) + "};\n\nconst HeadShapeRow head_shape_people[head_shape_components] = {\n";
  for (const auto& mode : shape.people) text += row(mode);
  text += "};\n\nconst HeadShapeRow head_shape_expressions[expression_names.size()] = {\n";
  for (const auto& delta : shape.expressions) text += row(delta);
  return text + "};\n// clang-format on\n\n}  // namespace kinema::face\n";
}

}  // namespace kinema::synth
