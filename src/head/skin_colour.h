// The degree of one colour by each classifier, in double: the single definition for degree(), tables and fitting.
#pragma once

#include "kinema/head_classifier.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace kinema::head {

using Pair = std::array<double, 2>;

/// Normalised red and green; grey for black.
inline Pair rg_of(double r, double g, double b) {
  const double sum = r + g + b;
  return sum > 0 ? Pair{r / sum, g / sum} : Pair{1.0 / 3, 1.0 / 3};
}

/// CIE x and y; those of grey for black.
inline Pair xy_of(double r, double g, double b) {
  const double X = 0.412453 * r + 0.357580 * g + 0.180423 * b, Y = 0.212671 * r + 0.715160 * g + 0.072169 * b,
               Z = 0.019334 * r + 0.119193 * g + 0.950227 * b, sum = X + Y + Z;
  return sum > 0 ? Pair{X / sum, Y / sum} : xy_of(1, 1, 1);
}

inline double luma_of(double r, double g, double b) { return 0.299 * r + 0.587 * g + 0.114 * b; }

/// BT.601 in full range.
inline Pair cbcr_of(double r, double g, double b) {
  const double y = luma_of(r, g, b);
  return {128 + 0.564334 * (b - y), 128 + 0.713267 * (r - y)};
}

/// Saturation of TSL, 0...1.
inline double tsl_saturation(Pair rg) {
  const double r = rg[0] - 1.0 / 3, g = rg[1] - 1.0 / 3;
  return std::sqrt(1.8 * (r * r + g * g));
}

/// Tint of TSL, 0...1 around the circle: arctan(r'/g') / 2 pi, plus a quarter for g' > 0 and three quarters for g' < 0.
inline double tsl_tint(Pair rg) {
  const double r = rg[0] - 1.0 / 3, g = rg[1] - 1.0 / 3;
  if (g == 0) return 0;
  return std::atan(r / g) / (2 * std::numbers::pi) + (g > 0 ? 0.25 : 0.75);
}

/// The shorter difference around a circle of circumference `around`.
inline double wrapped(double difference, double around) {
  return difference - around * std::nearbyint(difference / around);
}

/// Hue in degrees, saturation and value 0...1; the hue of grey is 0.
inline std::array<double, 3> hsv_of(double r, double g, double b) {
  const double most = std::max({r, g, b}), least = std::min({r, g, b}), chroma = most - least;
  if (!(chroma > 0)) return {0, 0, most / 255};
  double hue = 0;
  if (most == r)
    hue = 60 * (g - b) / chroma;
  else if (most == g)
    hue = 120 + 60 * (b - r) / chroma;
  else
    hue = 240 + 60 * (r - g) / chroma;
  return {hue, chroma / most, most / 255};
}

/// An Ellipse, prepared for evaluation of many colours.
class GaussianOf {
public:
  explicit GaussianOf(const Ellipse& ellipse) : mean_(ellipse.mean) {
    const auto& c = ellipse.covariance;
    const double determinant = c[0] * c[2] - c[1] * c[1];
    inverse_ = {c[2] / determinant, -c[1] / determinant, c[0] / determinant};
    reach_ = {std::sqrt(far * c[0]), std::sqrt(far * c[2])};
  }

  /// exp(-q/2), and 0 where it would round to 0 of 255.
  double operator()(double first, double second) const {
    const double x = first - mean_[0], y = second - mean_[1];
    const double q = inverse_[0] * x * x + 2 * inverse_[1] * x * y + inverse_[2] * y * y;
    return q > far ? 0 : std::exp(-0.5 * q);
  }
  /// False where it is 0 at first/unit, second/unit.
  bool reaches(double first, double second, double unit) const {
    return std::abs(first - mean_[0] * unit) <= reach_[0] * unit &&
           std::abs(second - mean_[1] * unit) <= reach_[1] * unit;
  }
  const Pair& mean() const { return mean_; }
  const Pair& reach() const { return reach_; }

private:
  static constexpr double far = 12.5;  // exp(-6.25) is less than half of 1/255
  Pair mean_, reach_;
  std::array<double, 3> inverse_;
};

/// The factor for colours too dark to be distinguished from noise.
inline double lit(double brightness, double darkest) { return brightness < darkest ? brightness / darkest : 1; }

/// Each of these is prepared once from a model and evaluated for many colours.
class PlaneDegree {
public:
  explicit PlaneDegree(const SkinPlane& f) : f_(f) {}
  double operator()(double r, double g, double b) const {
    return std::max(0.0, std::min(1.0, r * f_.r + g * f_.g + b * f_.b + f_.d));
  }

private:
  SkinPlane f_;
};

class RgDegree {
public:
  explicit RgDegree(const RgGaussian& model) : gaussian_(model.rg), darkest_(model.darkest) {}
  double operator()(double r, double g, double b) const {
    const double sum = r + g + b;
    if (!gaussian_.reaches(r, g, sum)) return 0;  // before the division
    const Pair rg = rg_of(r, g, b);
    return gaussian_(rg[0], rg[1]) * lit(sum, darkest_);
  }

private:
  GaussianOf gaussian_;
  double darkest_;
};

class XyzDegree {
public:
  explicit XyzDegree(const XyzGaussian& model) : gaussian_(model.xy), darkest_(model.darkest) {}
  double operator()(double r, double g, double b) const {
    const Pair xy = xy_of(r, g, b);
    return gaussian_(xy[0], xy[1]) * lit(r + g + b, darkest_);
  }

private:
  GaussianOf gaussian_;
  double darkest_;
};

class CbCrDegree {
public:
  explicit CbCrDegree(const CbCrGaussian& model) : gaussian_(model.cbcr), darkest_(model.darkest) {}
  double operator()(double r, double g, double b) const {
    const Pair cbcr = cbcr_of(r, g, b);
    return gaussian_(cbcr[0], cbcr[1]) * lit(luma_of(r, g, b), darkest_);
  }

private:
  GaussianOf gaussian_;
  double darkest_;
};

class TslDegree {
public:
  explicit TslDegree(const TslGaussian& model) : gaussian_(model.ts), darkest_(model.darkest) {
    // tint is a quarter more than the angle from g' to r', see tsl_tint()
    const double angle = 2 * std::numbers::pi * (gaussian_.mean()[0] - 0.25);
    towards_ = {std::sin(angle), std::cos(angle)};
    least_cosine_ = std::cos(2 * std::numbers::pi * std::min(gaussian_.reach()[0], 0.5)) - slack;
    const double saturation = gaussian_.mean()[1], reach = gaussian_.reach()[1] + slack;
    nearest_ = saturation > reach ? 5 * (saturation - reach) * (saturation - reach) : 0;
    furthest_ = 5 * (saturation + reach) * (saturation + reach);
  }
  double operator()(double r, double g, double b) const {
    if (!reaches(r, g, r + g + b)) return 0;
    const Pair rg = rg_of(r, g, b);
    const double mean = gaussian_.mean()[0];
    return gaussian_(mean + wrapped(tsl_tint(rg) - mean, 1), tsl_saturation(rg)) * lit(luma_of(r, g, b), darkest_);
  }

private:
  static constexpr double slack = 1e-9;  // for rounding

  // Products only, since most colours are rejected here: r' and g' in units of a third of the sum.
  bool reaches(double r, double g, double sum) const {
    const double red = 3 * r - sum, green = 3 * g - sum, square = red * red + green * green;
    if (square < nearest_ * sum * sum || square > furthest_ * sum * sum) return false;
    const double along = red * towards_[0] + green * towards_[1];
    if (green == 0 || least_cosine_ <= 0) return true;
    return along >= 0 && along * along >= least_cosine_ * least_cosine_ * square;
  }

  GaussianOf gaussian_;
  double darkest_;
  Pair towards_;               // where the mean tint is, r' and g'
  double least_cosine_;        // of the angle to it
  double nearest_, furthest_;  // r'^2 + g'^2, in units of a ninth of the sum's square
};

class HsvDegree {
public:
  explicit HsvDegree(const HsvBox& box)
      : box_(box), middle_((box.hue[0] + box.hue[1]) / 2), half_((box.hue[1] - box.hue[0]) / 2) {}
  double operator()(double r, double g, double b) const {
    const double most = std::max({r, g, b}), chroma = most - std::min({r, g, b});
    // before the divisions
    if (chroma < (box_.saturation[0] - box_.soft[1]) * most || chroma > (box_.saturation[1] + box_.soft[1]) * most ||
        most < 255 * (box_.value[0] - box_.soft[2]))
      return 0;
    const auto [hue, saturation, value] = hsv_of(r, g, b);
    const double by_value = ramp(saturation, box_.saturation, box_.soft[1]) * ramp(value, box_.value, box_.soft[2]);
    if (by_value == 0) return 0;
    const double beyond = std::abs(wrapped(hue - middle_, 360)) - half_;
    return by_value * std::clamp(1 - beyond / box_.soft[0], 0.0, 1.0);
  }

private:
  static double ramp(double x, const std::array<double, 2>& range, double soft) {
    const double beyond = std::max(range[0] - x, x - range[1]);
    return std::clamp(1 - beyond / soft, 0.0, 1.0);
  }
  HsvBox box_;
  double middle_, half_;
};

class HistogramDegree {
public:
  explicit HistogramDegree(const Histogram& histogram)
      : degrees_(histogram.degrees.data()), bins_(static_cast<std::size_t>(histogram.bins)) {}

  /// The degrees along blue at a red and green: bins() of them, 255 for 1.
  void along_blue(double r, double g, double* out) const {
    const Between red = between(r), green = between(g);
    const std::uint8_t* rows[4] = {at(red.cell, green.cell), at(red.cell, green.next), at(red.next, green.cell),
                                   at(red.next, green.next)};
    for (std::size_t b = 0; b < bins_; ++b) {
      const double low = rows[0][b] + green.share * (rows[1][b] - rows[0][b]);
      const double high = rows[2][b] + green.share * (rows[3][b] - rows[2][b]);
      out[b] = low + red.share * (high - low);
    }
  }
  double across_blue(const double* along, double b) const {
    const Between blue = between(b);
    return (along[blue.cell] + blue.share * (along[blue.next] - along[blue.cell])) / 255;
  }
  double operator()(double r, double g, double b) const {
    double along[64];
    along_blue(r, g, along);
    return across_blue(along, b);
  }
  std::size_t bins() const { return bins_; }

private:
  struct Between {
    std::size_t cell, next;
    double share;  // of the next
  };
  Between between(double channel) const {
    const double last = static_cast<double>(bins_ - 1);
    const double place = std::clamp((channel + 0.5) / 256 * static_cast<double>(bins_) - 0.5, 0.0, last);
    const double cell = std::min(std::floor(place), last - 1);
    return {static_cast<std::size_t>(cell), static_cast<std::size_t>(cell) + 1, place - cell};
  }
  const std::uint8_t* at(std::size_t r, std::size_t g) const { return degrees_ + (r * bins_ + g) * bins_; }

  const std::uint8_t* degrees_;
  std::size_t bins_;
};

inline PlaneDegree degree_of(const SkinPlane& model) { return PlaneDegree(model); }
inline RgDegree degree_of(const RgGaussian& model) { return RgDegree(model); }
inline XyzDegree degree_of(const XyzGaussian& model) { return XyzDegree(model); }
inline CbCrDegree degree_of(const CbCrGaussian& model) { return CbCrDegree(model); }
inline HsvDegree degree_of(const HsvBox& model) { return HsvDegree(model); }
inline TslDegree degree_of(const TslGaussian& model) { return TslDegree(model); }
inline HistogramDegree degree_of(const Histogram& model) { return HistogramDegree(model); }

}  // namespace kinema::head
