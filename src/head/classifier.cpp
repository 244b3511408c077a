#include "core/threads.h"
#include "head/moments/moments_backends.h"
#include "head/skin_colour.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace kinema::head {
namespace {

// In the order of SkinModel.
constexpr std::array<std::string_view, 7> names = {
    "plane", RgGaussian::name, XyzGaussian::name, CbCrGaussian::name, HsvBox::name, TslGaussian::name, Histogram::name};
static_assert(names.size() == std::variant_size_v<SkinModel>);

/// Far beyond what distinguishes neighbouring colours; sums of larger numbers would lose precision.
constexpr double steepest = 1e9;

constexpr std::size_t table_size = std::size_t{1} << 24;

template <class... Numbers>
void check_finite(std::string_view what, const Numbers&... numbers) {
  for (const double number : {numbers...})
    if (!std::isfinite(number)) throw Error(fmt::format("{}: a number is not finite", what));
}

void check_gaussian(std::string_view what, const Ellipse& ellipse, double darkest) {
  const auto& c = ellipse.covariance;
  check_finite(what, ellipse.mean[0], ellipse.mean[1], c[0], c[1], c[2]);
  if (!(c[0] > 0) || !(c[2] > 0) || !(c[0] * c[2] - c[1] * c[1] > 0))
    throw Error(
        fmt::format("{}: the covariance [{}, {}, {}] is none; its variances and its determinant must be above 0", what,
                    c[0], c[1], c[2]));
  check_finite(what, darkest);
  if (darkest < 0) throw Error(fmt::format("{}: the darkest is {}; it must not be below 0", what, darkest));
}

void check_range(std::string_view what, const std::array<double, 2>& range, double soft) {
  check_finite(what, range[0], range[1], soft);
  if (range[0] > range[1]) throw Error(fmt::format("{}: the range {} to {} is empty", what, range[0], range[1]));
  if (!(soft > 0)) throw Error(fmt::format("{}: an edge of {}; it must be above 0", what, soft));
}

void check_model(const SkinPlane& plane) { check_classifier(plane); }
void check_model(const RgGaussian& model) { check_gaussian("rg", model.rg, model.darkest); }
void check_model(const XyzGaussian& model) { check_gaussian("xyz", model.xy, model.darkest); }
void check_model(const CbCrGaussian& model) { check_gaussian("cbcr", model.cbcr, model.darkest); }
void check_model(const TslGaussian& model) { check_gaussian("tsl", model.ts, model.darkest); }
void check_model(const HsvBox& box) {
  check_range("hsv: hue", box.hue, box.soft[0]);
  check_range("hsv: saturation", box.saturation, box.soft[1]);
  check_range("hsv: value", box.value, box.soft[2]);
}
void check_model(const Histogram& histogram) {
  if (histogram.bins < 2 || histogram.bins > 64)
    throw Error(fmt::format("histogram: {} bins a channel; give 2 to 64", histogram.bins));
  const auto bins = static_cast<std::size_t>(histogram.bins);
  if (histogram.degrees.size() != bins * bins * bins)
    throw Error(fmt::format("histogram: {} degrees for {} bins a channel; give {}", histogram.degrees.size(), bins,
                            bins * bins * bins));
}

// lround, a function call on x86-64, would be called for 2^24 colours; degrees are never negative
std::uint8_t to_byte(double degree) {
  return static_cast<std::uint8_t>(255 * degree + 0.5);  // NOLINT(bugprone-incorrect-roundings)
}

template <class Degree>
void fill_row(const Degree& degree, double r, double g, std::uint8_t* out) {
  for (int b = 0; b < 256; ++b) out[b] = to_byte(degree(r, g, b));
}

// the same sums as colour by colour, with those along red and green computed once
void fill_row(const HistogramDegree& degree, double r, double g, std::uint8_t* out) {
  double along[64];
  degree.along_blue(r, g, along);
  for (int b = 0; b < 256; ++b) out[b] = to_byte(degree.across_blue(along, b));
}

}  // namespace

void check_classifier(const Classifier& classifier) {
  if (const auto* plane = std::get_if<SkinPlane>(&classifier)) {
    for (const double number : {plane->r, plane->g, plane->b, plane->d})
      if (!(std::abs(number) <= steepest))
        throw Error(
            fmt::format("plane: {} is not a number of a filter; give fR, fG, fB and fD up to {}", number, steepest));
    return;
  }
  const auto& table = std::get<std::shared_ptr<const Table>>(classifier);
  if (table == nullptr) throw Error("table: there is none; make one with make_table()");
  if (table->degrees.size() != table_size)
    throw Error(
        fmt::format("table: {} degrees; give one for each of the {} colours", table->degrees.size(), table_size));
}

std::string_view name(const SkinModel& model) { return names[model.index()]; }

std::vector<std::string_view> skin_model_names() { return {names.begin(), names.end()}; }

void check(const SkinModel& model) {
  std::visit([](const auto& m) { check_model(m); }, model);
}

double degree(const SkinModel& model, double r, double g, double b) {
  return std::visit([&](const auto& m) { return degree_of(m)(r, g, b); }, model);
}

Table make_table(const SkinModel& model, int threads) {
  check(model);
  Table table;
  table.degrees.resize(std::size_t{1} << 24);
  std::visit(
      [&](const auto& m) {
        const auto degree = degree_of(m);
        Threads(threads).for_each(256, [&](std::size_t r) {
          for (std::size_t g = 0; g < 256; ++g)
            fill_row(degree, static_cast<double>(r), static_cast<double>(g),
                     table.degrees.data() + 256 * (256 * r + g));
        });
      },
      model);
  return table;
}

Classifier make_classifier(const SkinModel& model, int threads) {
  check(model);
  if (const auto* plane = std::get_if<SkinPlane>(&model)) return *plane;
  return std::make_shared<const Table>(make_table(model, threads));
}

double score(const SkinModel& model, std::span<const ColourCount> colours) {
  return std::visit(
      [&](const auto& m) {
        const auto degree = degree_of(m);
        double skin = 0, other = 0, weight_in_skin = 0, weight_in_other = 0;
        for (const ColourCount& colour : colours) {
          const double weight = degree(colour.r, colour.g, colour.b);
          skin += colour.skin;
          other += colour.other;
          weight_in_skin += colour.skin * weight;
          weight_in_other += colour.other * weight;
        }
        return (skin > 0 ? weight_in_skin / skin : 0) - (other > 0 ? weight_in_other / other : 0);
      },
      model);
}

}  // namespace kinema::head
