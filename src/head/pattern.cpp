#include "head/pattern.h"

#include "head/constants.h"
#include "head/moments/pixel_reader.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinema::head {
namespace {

using Complex = std::complex<float>;

constexpr std::size_t cells = Pattern::cells, samples = Pattern::samples;

std::array<Complex, cells / 2> roots() {
  std::array<Complex, cells / 2> values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double angle = -2 * std::numbers::pi * static_cast<double>(i) / cells;
    values[i] = {static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle))};
  }
  return values;
}

// The products of std::complex handle infinities, which costs more than all else here.
Complex product(const Complex& a, const Complex& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Cooley and Tukey's transform of one row or column, in place.
void transform(Complex* values, std::size_t stride, bool back) {
  static const std::array<Complex, cells / 2> root = roots();
  for (std::size_t i = 1, j = 0; i < cells; ++i) {
    std::size_t bit = cells >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i * stride], values[j * stride]);
  }
  for (std::size_t length = 2; length <= cells; length *= 2) {
    for (std::size_t first = 0; first < cells; first += length) {
      for (std::size_t i = 0; i < length / 2; ++i) {
        const Complex turn = root[i * (cells / length)];
        Complex& a = values[(first + i) * stride];
        Complex& b = values[(first + i + length / 2) * stride];
        const Complex turned = product(b, back ? std::conj(turn) : turn);
        b = a - turned;
        a += turned;
      }
    }
  }
}

void transform(Complex* values, bool back) {
  for (std::size_t i = 0; i < cells; ++i) transform(values + i * cells, 1, back);
  for (std::size_t i = 0; i < cells; ++i) transform(values + i, cells, back);
}

// The sampled pixels of a row or column of a frame, `fine` of them per sample.
std::vector<std::size_t> places(double centre, double radius, std::size_t size, std::size_t fine) {
  std::vector<std::size_t> result(samples * fine);
  const double step = 2 * Pattern::reach * radius / static_cast<double>(result.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    const double at = centre - Pattern::reach * radius + (static_cast<double>(i) + 0.5) * step;
    result[i] = static_cast<std::size_t>(std::clamp(std::round(at), 0.0, static_cast<double>(size) - 1));
  }
  return result;
}

}  // namespace

// A sample of many pixels is the mean of some of them.
Patch patch_of(const ColourView& frame, const Oval& about) {
  const double step = 2 * Pattern::reach * std::max(about.rx, about.ry) / samples;
  const auto fine = static_cast<std::size_t>(std::clamp(std::ceil(step), 2.0, 4.0));
  const std::vector<std::size_t> columns = places(about.cx, about.rx, frame.width, fine);
  const std::vector<std::size_t> rows = places(about.cy, about.ry, frame.height, fine);
  Patch patch(samples * samples);
  with_format(frame.format, [&](auto format) {
    std::array<unsigned, samples> sums{};
    for (std::size_t v = 0; v < rows.size(); ++v) {
      const PixelRow<decltype(format)::value> row(frame, rows[v]);
      for (std::size_t u = 0; u < columns.size(); ++u) {
        const Rgb colour = row[columns[u]];
        sums[u / fine] += 77u * colour.r + 150u * colour.g + 29u * colour.b;
      }
      if ((v + 1) % fine != 0) continue;
      for (std::size_t u = 0; u < samples; ++u) {
        patch[v / fine * samples + u] = static_cast<std::uint8_t>(sums[u] / (256 * fine * fine));
      }
      sums.fill(0);
    }
  });
  return patch;
}

void Pattern::Filter::mix(const Filter& other, float rate) {
  for (std::size_t c = 0; c < above.size(); ++c) {
    for (std::size_t i = 0; i < size; ++i) above[c][i] += rate * (other.above[c][i] - above[c][i]);
  }
  for (std::size_t i = 0; i < size; ++i) below[i] += rate * (other.below[i] - below[i]);
}

// Edges by direction, normalised per cell so that dim ones count as well; and brightness itself.
std::vector<Pattern::Spectrum> Pattern::spectra(const Patch& patch) {
  std::vector<std::array<float, size>> edges(channels);
  double mean = 0, square = 0;
  for (const std::uint8_t value : patch) {
    mean += value;
    square += static_cast<double>(value) * value;
  }
  mean /= static_cast<double>(patch.size());
  const double spread = std::sqrt(std::max(1.0, square / static_cast<double>(patch.size()) - mean * mean));
  for (std::size_t y = 1; y + 1 < samples; ++y) {
    for (std::size_t x = 1; x + 1 < samples; ++x) {
      const std::uint8_t* at = &patch[y * samples + x];
      const auto gx = static_cast<float>(at[1] - at[-1]);
      const auto gy = static_cast<float>(at[samples] - at[-static_cast<std::ptrdiff_t>(samples)]);
      const float length = std::hypot(gx, gy);
      if (length == 0) continue;
      const float turn = (std::atan2(gy, gx) / std::numbers::pi_v<float> + 1) * (directions / 2.0f);
      const auto lower = static_cast<std::size_t>(turn);
      const float share = turn - static_cast<float>(lower);
      const std::size_t cell = y / 2 * cells + x / 2;
      edges[lower % directions][cell] += (1 - share) * length;
      edges[(lower + 1) % directions][cell] += share * length;
    }
  }
  for (std::size_t y = 0; y < cells; ++y) {
    for (std::size_t x = 0; x < cells; ++x) {
      const std::uint8_t* at = &patch[2 * y * samples + 2 * x];
      const float light = 0.25f * static_cast<float>(at[0] + at[1] + at[samples] + at[samples + 1]);
      edges[directions][y * cells + x] =
          brightness_weight * (light - static_cast<float>(mean)) / static_cast<float>(spread);
    }
  }
  std::array<float, size> energy{};
  for (std::size_t c = 0; c < directions; ++c) {
    for (std::size_t i = 0; i < size; ++i) energy[i] += edges[c][i] * edges[c][i];
  }
  std::vector<Spectrum> result(channels);
  for (std::size_t y = 0; y < cells; ++y) {
    const double down = std::sin(std::numbers::pi * (static_cast<double>(y) + 0.5) / cells);
    for (std::size_t x = 0; x < cells; ++x) {
      const double across = std::sin(std::numbers::pi * (static_cast<double>(x) + 0.5) / cells);
      const auto fade = static_cast<float>(down * down * across * across);
      float about_here = 0;
      std::size_t count = 0;
      for (std::size_t v = y > 0 ? y - 1 : 0; v <= std::min(y + 1, cells - 1); ++v) {
        for (std::size_t u = x > 0 ? x - 1 : 0; u <= std::min(x + 1, cells - 1); ++u, ++count) {
          about_here += energy[v * cells + u];
        }
      }
      // an edge of less than a few levels is noise
      const float longest = std::sqrt(about_here / static_cast<float>(count) + edge_noise);
      for (std::size_t c = 0; c < channels; ++c) {
        const float value = edges[c][y * cells + x];
        result[c][y * cells + x] = fade * (c < directions ? std::min(value / longest, 1.0f) : value);
      }
    }
  }
  for (Spectrum& spectrum : result) transform(spectrum.data(), false);
  return result;
}

Pattern::Filter Pattern::fit(const Patch& patch) {
  static const Spectrum wanted = [] {
    Spectrum values;
    constexpr std::size_t half = cells / 2;
    const double deviation = response_deviation * cells / reach;  // in cells: the head is cells / reach wide
    for (std::size_t i = 0; i < size; ++i) {
      // the Gaussian's peak lies at the first cell, and wraps around
      const double x = static_cast<double>((i % cells + half) % cells) - half;
      const double y = static_cast<double>((i / cells + half) % cells) - half;
      values[i] = static_cast<float>(std::exp(-0.5 * (x * x + y * y) / (deviation * deviation)));
    }
    transform(values.data(), false);
    return values;
  }();
  Filter filter;
  filter.above = spectra(patch);
  for (Spectrum& channel : filter.above) {
    for (std::size_t i = 0; i < size; ++i) {
      filter.below[i] += std::norm(channel[i]);
      channel[i] = product(wanted[i], std::conj(channel[i]));
    }
  }
  return filter;
}

void Pattern::combine() {
  both_ = running_;
  both_.mix(start_, first_pattern);
  float mean = 0;
  for (float value : both_.below) mean += value / size;
  for (float& value : both_.below) value += pattern_regularisation * mean;
}

void Pattern::start(const Patch& patch) {
  start_ = running_ = fit(patch);
  combine();
}

void Pattern::learn(const ColourView& frame, const Oval& head, double rate) {
  running_.mix(fit(patch_of(frame, head)), static_cast<float>(rate));
  combine();
}

Pattern::Match Pattern::find(const ColourView& frame, const Oval& about) const {
  const std::vector<Spectrum> seen = spectra(patch_of(frame, about));
  Spectrum response{};
  for (std::size_t c = 0; c < channels; ++c) {
    for (std::size_t i = 0; i < size; ++i) response[i] += product(both_.above[c][i], seen[c][i]);
  }
  for (std::size_t i = 0; i < size; ++i) response[i] /= both_.below[i];
  transform(response.data(), true);
  const auto at = [&](int x, int y) {
    const auto column = static_cast<std::size_t>((x + static_cast<int>(cells)) % static_cast<int>(cells));
    const auto row = static_cast<std::size_t>((y + static_cast<int>(cells)) % static_cast<int>(cells));
    return static_cast<double>(response[row * cells + column].real());
  };
  constexpr int furthest = static_cast<int>(cells / (2 * reach));
  int best_x = 0, best_y = 0;
  for (int y = -furthest; y <= furthest; ++y) {
    for (int x = -furthest; x <= furthest; ++x) {
      if (at(x, y) > at(best_x, best_y)) {
        best_x = x;
        best_y = y;
      }
    }
  }
  // between cells: the top of a parabola
  const auto top = [](double before, double here, double after) {
    const double bend = before - 2 * here + after;
    return bend < 0 ? std::clamp(0.5 * (before - after) / bend, -0.5, 0.5) : 0;
  };
  const double here = at(best_x, best_y);
  const double x = best_x + top(at(best_x - 1, best_y), here, at(best_x + 1, best_y));
  const double y = best_y + top(at(best_x, best_y - 1), here, at(best_x, best_y + 1));
  return {about.cx + x * 2 * reach * about.rx / cells, about.cy + y * 2 * reach * about.ry / cells, here / size};
}

}  // namespace kinema::head
