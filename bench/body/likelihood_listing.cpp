#include "bench/body/likelihood_listing.h"

#include "bench/body/plain_points.h"
#include "body/likelihood/likelihood_backends.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kinema::bench {
namespace {

// The listing's float3, so that the code below matches the printed one.
struct Float3 {
  float x, y, z;
};

Float3 operator+(Float3 a, Float3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Float3 operator-(Float3 a, Float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Float3 operator*(Float3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
Float3 operator/(Float3 a, float s) { return {a.x / s, a.y / s, a.z / s}; }
float dot(Float3 a, Float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
float length(Float3 a) { return std::sqrt(dot(a, a)); }

// Appendix A and eq. 6: the distance of x_i from the capsule along the ray from p, at most tau.
float measurement(Float3 x_i, float r, Float3 a, Float3 b, Float3 p, float tau) {
  // the ray (eq. 5)
  float const delta = length(x_i - p);
  Float3 const v = (x_i - p) / delta;

  // the axis; a sphere has none, and with c = 0 eq. 10 becomes eq. 12
  float const axis = length(b - a);
  Float3 const c = axis > 0 ? (b - a) / axis : Float3{0, 0, 0};

  // the infinite capsule (eqs. 9 and 10)
  Float3 const p_a = p - a;
  Float3 const v_perp = v - c * dot(v, c);
  Float3 const p_perp = p_a - c * dot(p_a, c);
  float const qa = dot(v_perp, v_perp);
  float const qb = dot(v_perp, p_perp);
  float const qc = dot(p_perp, p_perp) - r * r;
  float const discriminant = qb * qb - qa * qc;

  auto const height = [&](float root) { return dot(c, p_a + v * root); };
  auto const on_side = [&](float root) { return root > 0 && height(root) >= 0 && height(root) <= axis; };
  float delta_min = std::numeric_limits<float>::infinity();
  if (qa > 0) {
    if (discriminant < 0) return tau;
    float const s = std::sqrt(discriminant);
    float const near = (-qb - s) / qa, far = (-qb + s) / qa;
    if (on_side(near)) return std::min(std::fabs(near - delta), tau);
    if (on_side(far)) delta_min = far;
  }

  // otherwise the end spheres (eqs. 11 and 12), of each the half beyond its end of the axis; the far side of the
  // cylinder counts if no end comes before it
  for (int end = 0; end < 2; ++end) {
    Float3 const p_s = p - (end == 0 ? a : b);
    float const sb = dot(v, p_s);
    float const sd = sb * sb - (dot(p_s, p_s) - r * r);
    if (sd < 0) continue;
    float const s = std::sqrt(sd);
    for (float const root : {-sb - s, -sb + s}) {
      float const h = height(root);
      bool const beyond = end == 0 ? h <= 0 : h >= axis;
      if (root > 0 && beyond) delta_min = std::min(delta_min, root);
    }
  }
  return std::min(std::fabs(delta_min - delta), tau);
}

class ListingLikelihood final : public body::Likelihood {
public:
  explicit ListingLikelihood(const body::LikelihoodSettings& settings)
      : settings_(settings),
        p_{static_cast<float>(settings.camera.x), static_cast<float>(settings.camera.y),
           static_cast<float>(settings.camera.z)},
        tau_(static_cast<float>(settings.tau)),
        scale_(-1 / (2 * settings.sigma * settings.sigma)) {
    check_plain(settings, name_of_program);
  }

  body::PointCount set_points(PointsView points) override {
    points_ = plain_points(points, settings_, name_of_program);
    return plain_count(points_, points);
  }

  void evaluate(body::CapsulesView capsules, std::span<double> out) override {
    body::check_sizes(capsules, out);
    body::check_capsules(capsules);
    std::size_t const I = points_.size() / 3, J = capsules.rows, K = capsules.columns;
    const float* const X = points_.data();
    const float* const C = capsules.data;
    for (std::size_t j = 0; j < J; ++j) {
      float m = 0;
      for (std::size_t i = 0; i < I; ++i) {
        std::size_t const ii = i * 3;
        Float3 const x_i{X[ii], X[ii + 1], X[ii + 2]};
        float value = tau_;
        for (std::size_t k = 0; k < K; ++k) {
          std::size_t const kk = (j * K + k) * 7;
          Float3 const a{C[kk], C[kk + 1], C[kk + 2]};
          Float3 const b{C[kk + 4], C[kk + 5], C[kk + 6]};
          float const r = C[kk + 3];
          value = std::min(measurement(x_i, r, a, b, p_, tau_), value);
        }
        m += value * value;  // eq. 3 sums squares
      }
      out[j] = scale_ * m;
    }
  }

private:
  static constexpr const char* name_of_program = "the sequential listing";
  body::LikelihoodSettings settings_;
  Float3 p_;
  float tau_;
  double scale_;
  std::vector<float> points_;  // (I, 3)
};

}  // namespace

std::unique_ptr<body::Likelihood> make_listing_likelihood(const body::LikelihoodSettings& settings) {
  return std::make_unique<ListingLikelihood>(settings);
}

}  // namespace kinema::bench
