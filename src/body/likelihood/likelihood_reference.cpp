// The paper's likelihood, transcribed in double precision: section 4 and appendix A, as nested loops. It is the
// reference of every test, so it is literal and shares nothing with the fast backends. Comments mark where the paper
// has an error or leaves something open.
#include "body/likelihood/likelihood_backends.h"

#include <cmath>
#include <limits>

namespace kinema::body {
namespace {

struct Vector {
  double x, y, z;
};
Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector operator*(double s, Vector a) { return {s * a.x, s * a.y, s * a.z}; }
double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
double norm(Vector a) { return std::sqrt(dot(a, a)); }

constexpr double nothing = std::numeric_limits<double>::infinity();

// Appendix A: the smallest positive ray length at which the ray p + v Delta meets the surface of the capsule; `nothing`
// if it does not. A root counts if its point lies on the capsule's own surface: on the cylinder between the ends (the
// paper's bound of 1 is ||b - a||), on a sphere beyond its end.
double smallest_positive_root(Vector p, Vector v, Vector a, Vector b, double r) {
  double smallest = nothing;
  const double length = norm(b - a);
  const Vector c = length > 0 ? (1 / length) * (b - a) : Vector{0, 0, 0};

  // cylinder and spheres share a circle at each end: a tolerance there leaves no gap between them, and where it admits
  // a point twice the two agree to second order
  const double slack = 1e-9 * (length + r);

  const auto along_axis = [&](double delta) { return dot(c, p + delta * v - a); };  // c^T (y - a), eq. 7
  const auto consider = [&](double delta, bool on_surface) {
    if (delta > 0 && on_surface && delta < smallest) smallest = delta;
  };

  // P_c, eq. 10
  const Vector v_perp = v - dot(v, c) * c;
  const Vector p_perp = (p - a) - dot(p - a, c) * c;
  const double A = dot(v_perp, v_perp);
  if (length > 0 && A > 0) {
    const double B = dot(v_perp, p_perp);
    const double C = dot(p_perp, p_perp) - r * r;
    const double discriminant = B * B - A * C;
    if (discriminant >= 0) {
      for (double sign : {-1.0, 1.0}) {
        const double delta = (-B + sign * std::sqrt(discriminant)) / A;
        const double s = along_axis(delta);
        consider(delta, s >= -slack && s <= length + slack);
      }
    }
  }

  // P_a and P_b, eq. 12
  for (const bool first : {true, false}) {
    const Vector centre = first ? a : b;
    const double B = dot(v, p - centre);
    const double C = dot(p - centre, p - centre) - r * r;
    const double discriminant = B * B - C;
    if (discriminant < 0) continue;
    for (double sign : {-1.0, 1.0}) {
      const double delta = -B + sign * std::sqrt(discriminant);
      const double s = along_axis(delta);
      consider(delta, length == 0 || (first ? s <= slack : s >= length - slack));
    }
  }
  return smallest;
}

class ReferenceLikelihood final : public Likelihood {
public:
  explicit ReferenceLikelihood(const LikelihoodSettings& settings) : settings_(settings) {}

  PointCount set_points(PointsView points) override {
    check_points(points);
    rays_.clear();
    const Vector p = camera();
    for (std::size_t i = 0; i < points.size; ++i) {
      const float* x = points.xyz + 3 * i;
      const Vector to_point = Vector{x[0], x[1], x[2]} - p;
      const double delta = norm(to_point);
      if (!std::isfinite(delta) || delta == 0) continue;
      const bool background = settings_.free_space && !points.background.empty() && points.background[i] != 0;
      const double sigma = settings_.sigma, own = points.deviation.empty() ? 0 : points.deviation[i];
      rays_.push_back({(1 / delta) * to_point, delta, sigma / std::sqrt(sigma * sigma + own * own), background});
    }
    return {rays_.size(), points.size - rays_.size()};
  }

  void evaluate(CapsulesView capsules, std::span<double> out) override {
    check_sizes(capsules, out);
    check_capsules(capsules);
    for (std::size_t j = 0; j < capsules.rows; ++j) {
      double sum = 0;
      for (const Ray& ray : rays_) sum += squared_distance(ray, capsules.row(j), capsules.columns);
      out[j] = -sum / (2 * settings_.sigma * settings_.sigma);  // eq. 3; Listing 1.2 omits the square
    }
  }

private:
  struct Ray {
    Vector v;
    double delta;
    double scale;  // of distances: a point that is not sure counts less, one that is missed as much
    bool background;
  };

  Vector camera() const { return {settings_.camera.x, settings_.camera.y, settings_.camera.z}; }

  double squared_distance(const Ray& ray, const float* capsule, std::size_t count) const {
    const double tau = settings_.tau;
    double first = nothing;  // the shortest ray length to any capsule
    double d = tau;          // eqs. 4 and 6
    for (std::size_t k = 0; k < count; ++k, capsule += capsule_floats) {
      const Vector a{capsule[0], capsule[1], capsule[2]}, b{capsule[4], capsule[5], capsule[6]};
      const double delta = smallest_positive_root(camera(), ray.v, a, b, capsule[3]);
      first = std::fmin(first, delta);
      d = std::fmin(d, ray.scale * std::fabs(delta - ray.delta));
    }
    // free space: nothing may stand before a point seen behind the person
    if (ray.background) return first < ray.delta ? tau * tau : 0;
    if (settings_.association == Association::first_hit) d = std::fmin(ray.scale * std::fabs(first - ray.delta), tau);
    return d * d;
  }

  LikelihoodSettings settings_;
  std::vector<Ray> rays_;
};

}  // namespace

std::unique_ptr<Likelihood> make_reference_likelihood(const LikelihoodSettings& settings) {
  return std::make_unique<ReferenceLikelihood>(settings);
}

}  // namespace kinema::body
