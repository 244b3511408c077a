// Classifiers from marked pixels. An oval also contains hair, eyes and background, so a colour is weighted by the share
// of its pixels that are skin, and the size of the fitted model is the one with the best score.
#include "head/constants.h"
#include "head/skin_colour.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <cmath>
#include <numeric>

namespace kinema::head {
namespace {

// The evidence of each colour for skin: its share of all skin pixels, times the certainty that such a pixel is skin.
// Zero for unknown colours. The sum is 1.
std::vector<double> skin_weights(std::span<const ColourCount> colours) {
  double skin = 0, other = 0;
  for (const ColourCount& colour : colours) {
    if (!(colour.skin >= 0) || !(colour.other >= 0) || !std::isfinite(colour.skin + colour.other) ||
        !std::isfinite(colour.r + colour.g + colour.b))
      throw Error("marked pixels: a count is below 0 or a number is not finite");
    skin += colour.skin;
    other += colour.other;
  }
  if (!(skin > 0)) throw Error("marked pixels: none is skin; put the oval on the face");
  if (!(other > 0)) throw Error("marked pixels: none is background; leave some of the frame outside of the oval");
  std::vector<double> weights;
  double sum = 0;
  for (const ColourCount& colour : colours) {
    const double s = colour.skin / skin, o = colour.other / other;
    weights.push_back(s > 0 ? s * s / (s + o) : 0);
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

// A Gaussian of the weighted points, refitted to what it covers: outliers would widen it. `least` is the minimum
// variance of 8-bit colours.
Ellipse fit_ellipse(std::span<const Pair> points, std::span<const double> weights, const Pair& least) {
  Ellipse ellipse{};
  for (int round = 0; round < gaussian_rounds; ++round) {
    const auto counts = [&, earlier = ellipse](const Pair& p) {
      if (round == 0) return true;
      const auto& c = earlier.covariance;
      const double x = p[0] - earlier.mean[0], y = p[1] - earlier.mean[1];
      return c[2] * x * x - 2 * c[1] * x * y + c[0] * y * y <= colour_outlier * (c[0] * c[2] - c[1] * c[1]);
    };
    double sum = 0;
    Pair mean{};
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (weights[i] == 0 || !counts(points[i])) continue;
      sum += weights[i];
      mean[0] += weights[i] * points[i][0];
      mean[1] += weights[i] * points[i][1];
    }
    if (!(sum > 0)) break;
    mean = {mean[0] / sum, mean[1] / sum};
    std::array<double, 3> covariance{};
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (weights[i] == 0 || !counts(points[i])) continue;
      const double x = points[i][0] - mean[0], y = points[i][1] - mean[1];
      covariance[0] += weights[i] * x * x;
      covariance[1] += weights[i] * x * y;
      covariance[2] += weights[i] * y * y;
    }
    ellipse.mean = mean;
    ellipse.covariance = {covariance[0] / sum + least[0], covariance[1] / sum, covariance[2] / sum + least[1]};
  }
  return ellipse;
}

// The model whose Gaussian has the best score: scaled, then moved and stretched.
template <class Model>
Model best_size(Model model, Ellipse Model::*ellipse, std::span<const ColourCount> colours) {
  const Ellipse fitted = model.*ellipse;
  double best = -2;
  Model chosen = model;
  for (double size = 0.25; size < 20; size *= 1.35) {
    for (std::size_t i = 0; i < 3; ++i) (model.*ellipse).covariance[i] = size * fitted.covariance[i];
    if (const double now = score(model, colours); now > best) {
      best = now;
      chosen = model;
    }
  }
  // background on one side of skin only pushes the best Gaussian to the other: its mean and axes are optimised too
  constexpr double smallest = 0.05;
  for (double step = 0.4; step > smallest;) {
    const Model from = chosen;
    const Ellipse& now = from.*ellipse;
    const double rx = std::sqrt(now.covariance[0]), ry = std::sqrt(now.covariance[2]);
    const auto try_out = [&](const Ellipse& other) {
      // without background along an axis it could grow without bound
      for (const std::size_t i : {0u, 2u}) {
        const double grown = other.covariance[i] / fitted.covariance[i];
        if (grown > largest_growth || grown < 1 / largest_growth) return;
      }
      model = from;
      model.*ellipse = other;
      if (const double value = score(model, colours); value > best + 1e-6) {
        best = value;
        chosen = model;
      }
    };
    for (const double way : {-step, step}) {
      const double wider = std::exp(way);
      try_out({{now.mean[0] + way * rx, now.mean[1]}, now.covariance});
      try_out({{now.mean[0], now.mean[1] + way * ry}, now.covariance});
      try_out({now.mean, {wider * wider * now.covariance[0], wider * now.covariance[1], now.covariance[2]}});
      try_out({now.mean, {now.covariance[0], wider * now.covariance[1], wider * wider * now.covariance[2]}});
    }
    if ((chosen.*ellipse).mean == now.mean && (chosen.*ellipse).covariance == now.covariance) step /= 2;
  }
  return chosen;
}

// A Gaussian of two numbers of a colour.
template <class Model, class Numbers>
Model fit_gaussian(Ellipse Model::*ellipse, std::span<const ColourCount> colours, std::span<const double> weights,
                   const Numbers& numbers, const Pair& least) {
  std::vector<Pair> points;
  for (const ColourCount& colour : colours) points.push_back(numbers(colour.r, colour.g, colour.b));
  Model model;
  model.*ellipse = fit_ellipse(points, weights, least);
  return best_size(model, ellipse, colours);
}

// The weighted quantile.
double quantile(std::span<const double> values, std::span<const double> weights, std::span<const std::size_t> order,
                double share) {
  double sum = 0;
  for (const std::size_t i : order) {
    sum += weights[i];
    if (sum >= share && weights[i] > 0) return values[i];
  }
  return values[order.back()];
}

std::vector<std::size_t> order_of(std::span<const double> values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  return order;
}

// Neighbours along one axis count half, so that an unmarked colour is judged by those beside it.
void smooth(std::vector<double>& cells, std::size_t bins, std::size_t stride) {
  std::vector<double> line(bins);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i / stride % bins != 0) continue;
    for (std::size_t n = 0; n < bins; ++n) line[n] = cells[i + n * stride];
    for (std::size_t n = 0; n < bins; ++n) {
      const double before = line[n == 0 ? n : n - 1], after = line[n + 1 == bins ? n : n + 1];
      cells[i + n * stride] = (before + 2 * line[n] + after) / 4;
    }
  }
}

}  // namespace

RgGaussian fit_rg(std::span<const ColourCount> colours) {
  return fit_gaussian(&RgGaussian::rg, colours, skin_weights(colours), rg_of, {1e-5, 1e-5});
}

XyzGaussian fit_xyz(std::span<const ColourCount> colours) {
  return fit_gaussian(&XyzGaussian::xy, colours, skin_weights(colours), xy_of, {4e-6, 4e-6});
}

CbCrGaussian fit_cbcr(std::span<const ColourCount> colours) {
  return fit_gaussian(&CbCrGaussian::cbcr, colours, skin_weights(colours), cbcr_of, {1, 1});
}

TslGaussian fit_tsl(std::span<const ColourCount> colours) {
  const std::vector<double> weights = skin_weights(colours);
  // tints are unwrapped around their mean direction, or those at the seam would pull both ways
  double sine = 0, cosine = 0;
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const double angle = 2 * std::numbers::pi * tsl_tint(rg_of(colours[i].r, colours[i].g, colours[i].b));
    sine += weights[i] * std::sin(angle);
    cosine += weights[i] * std::cos(angle);
  }
  const double middle = std::atan2(sine, cosine) / (2 * std::numbers::pi);
  const auto tint_and_saturation = [&](double r, double g, double b) {
    const Pair rg = rg_of(r, g, b);
    return Pair{middle + wrapped(tsl_tint(rg) - middle, 1), tsl_saturation(rg)};
  };
  return fit_gaussian(&TslGaussian::ts, colours, weights, tint_and_saturation, {1e-4, 1e-4});
}

HsvBox fit_hsv(std::span<const ColourCount> colours) {
  const std::vector<double> weights = skin_weights(colours);
  double sine = 0, cosine = 0;
  std::array<std::vector<double>, 3> values;
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const auto hsv = hsv_of(colours[i].r, colours[i].g, colours[i].b);
    for (std::size_t k = 0; k < 3; ++k) values[k].push_back(hsv[k]);
    const double angle = hsv[0] * std::numbers::pi / 180;
    sine += weights[i] * hsv[1] * std::sin(angle);  // the hue of near-greys says little
    cosine += weights[i] * hsv[1] * std::cos(angle);
  }
  const double middle = std::atan2(sine, cosine) * 180 / std::numbers::pi;
  for (double& hue : values[0]) hue = middle + wrapped(hue - middle, 360);
  const std::array<std::vector<std::size_t>, 3> orders = {order_of(values[0]), order_of(values[1]),
                                                          order_of(values[2])};

  HsvBox chosen;
  double best = -2;
  for (const double share : {0.005, 0.01, 0.02, 0.04, 0.07, 0.1, 0.15, 0.2, 0.25}) {
    HsvBox box;
    const auto range = [&](std::size_t k, double low, double high) {
      return std::array<double, 2>{quantile(values[k], weights, orders[k], low),
                                   quantile(values[k], weights, orders[k], high)};
    };
    box.hue = range(0, share, 1 - share);
    box.saturation = range(1, share, 1 - share);
    box.value = {range(2, share, 1 - share)[0], 1};
    box.soft = {std::max(4.0, (box.hue[1] - box.hue[0]) / 4),
                std::max(0.03, (box.saturation[1] - box.saturation[0]) / 4), 0.1};
    if (const double now = score(box, colours); now > best) {
      best = now;
      chosen = box;
    }
  }
  return chosen;
}

Histogram fit_histogram(std::span<const ColourCount> colours, int bins) {
  constexpr double skin_share = 0.3;  // of a frame, before anything is known of it
  if (bins < 2 || bins > 64) throw Error(fmt::format("histogram: {} bins a channel; give 2 to 64", bins));
  skin_weights(colours);  // for its checks
  const auto n = static_cast<std::size_t>(bins);
  std::vector<double> skin(n * n * n), other(n * n * n);
  double skin_sum = 0, other_sum = 0;
  const auto cell = [&](float channel) {
    return static_cast<std::size_t>(
        std::clamp(channel / 256.0f * static_cast<float>(bins), 0.0f, static_cast<float>(bins - 1)));
  };
  for (const ColourCount& colour : colours) {
    const std::size_t i = (cell(colour.r) * n + cell(colour.g)) * n + cell(colour.b);
    skin[i] += colour.skin;
    other[i] += colour.other;
    skin_sum += colour.skin;
    other_sum += colour.other;
  }
  for (const std::size_t stride : {std::size_t{1}, n, n * n}) {
    smooth(skin, n, stride);
    smooth(other, n, stride);
  }
  // as if background had been seen once, spread over all colours: unmarked colours are not skin
  const double unseen = 1 / (other_sum * static_cast<double>(skin.size()));
  Histogram histogram;
  histogram.bins = bins;
  for (std::size_t i = 0; i < skin.size(); ++i) {
    const double s = skin_share * skin[i] / skin_sum, o = (1 - skin_share) * (other[i] / other_sum + unseen);
    histogram.degrees.push_back(static_cast<std::uint8_t>(std::lround(255 * s / (s + o))));
  }
  return histogram;
}

}  // namespace kinema::head
