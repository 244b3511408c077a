#include "head/adaptation.h"

#include "core/threads.h"
#include "head/constants.h"
#include "head/moments/degree_map.h"
#include "head/moments/pixel_reader.h"

#include <algorithm>
#include <cmath>

namespace kinema::head {
namespace {

constexpr int bins = 32;
constexpr std::size_t cells = std::size_t{bins} * bins * bins;

std::size_t cell_of(Rgb colour) {
  return ((std::size_t{colour.r} >> 3) * bins + (std::size_t{colour.g} >> 3)) * bins + (std::size_t{colour.b} >> 3);
}

void normalise(std::vector<float>& shares) {
  double sum = 0;
  for (float share : shares) sum += static_cast<double>(share);
  if (!(sum > 0)) return;
  const auto factor = static_cast<float>(1 / sum);
  for (float& share : shares) share *= factor;
}

// A quarter to each neighbour along each channel: colours vary, and cell boundaries are arbitrary.
void smooth(std::vector<float>& shares) {
  if (!mechanisms::smoothed_colours) return;
  std::vector<float> line(bins);
  for (std::size_t stride : {std::size_t{1}, std::size_t{bins}, std::size_t{bins} * bins}) {
    for (std::size_t first = 0; first < cells; ++first) {
      if (first / stride % bins != 0) continue;
      bool empty = true;
      for (std::size_t i = 0; i < bins; ++i) {
        line[i] = shares[first + i * stride];
        empty = empty && line[i] == 0;
      }
      if (empty) continue;
      for (std::size_t i = 0; i < bins; ++i) {
        const float before = line[i > 0 ? i - 1 : 0], after = line[i + 1 < bins ? i + 1 : i];
        shares[first + i * stride] = 0.5f * line[i] + 0.25f * (before + after);
      }
    }
  }
}

// The two cells around a level, and its position between their centres.
struct Between {
  std::size_t lower, upper;
  float share;
};

Between between(std::size_t level) {
  const float place = (static_cast<float>(level) + 0.5f) / 8 - 0.5f;
  const float floor = std::floor(place);
  const int cell = static_cast<int>(floor);
  return {static_cast<std::size_t>(std::max(cell, 0)), static_cast<std::size_t>(std::min(cell + 1, bins - 1)),
          place - floor};
}

// The degrees of all colours with this red.
void fill_red(const float* degrees, std::size_t red, std::uint8_t* out) {
  const Between r = between(red);
  for (std::size_t green = 0; green < 256; ++green, out += 256) {
    const Between g = between(green);
    const float *p00 = degrees + (r.lower * bins + g.lower) * bins, *p01 = degrees + (r.lower * bins + g.upper) * bins,
                *p10 = degrees + (r.upper * bins + g.lower) * bins, *p11 = degrees + (r.upper * bins + g.upper) * bins;
    const float w00 = (1 - r.share) * (1 - g.share), w01 = (1 - r.share) * g.share, w10 = r.share * (1 - g.share),
                w11 = r.share * g.share;
    float row[bins + 2];  // with the first and the last once more
    float all = 0;
    for (int b = 0; b < bins; ++b) {
      row[b + 1] = w00 * p00[b] + w01 * p01[b] + w10 * p10[b] + w11 * p11[b];
      all += row[b + 1];
    }
    if (all == 0) continue;  // the table starts with zeros
    row[0] = row[1];
    row[bins + 1] = row[bins];
    std::uint8_t levels[8 * (bins + 1)];
    // no level is negative, and a loop with lround would not be vectorised
    for (int b = 0; b <= bins; ++b) {
      for (int i = 0; i < 8; ++i) {
        const float share = (static_cast<float>(i) + 0.5f) / 8;
        const float level = row[b] + share * (row[b + 1] - row[b]);
        levels[8 * b + i] = static_cast<std::uint8_t>(level + 0.5f);  // NOLINT(bugprone-incorrect-roundings)
      }
    }
    std::copy(levels + 4, levels + 4 + 256, out);
  }
}

// The shares if all colours were brighter by this factor.
std::vector<float> in_light(const std::vector<float>& shares, double gain) {
  std::vector<float> brighter(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    if (shares[i] == 0) continue;
    std::size_t cell[3];
    float part[3];
    for (std::size_t c = 0, left = i; c < 3; ++c, left /= bins) {
      const double place = std::clamp((static_cast<double>(left % bins) + 0.5) * gain - 0.5, 0.0, bins - 1.001);
      cell[c] = static_cast<std::size_t>(place);
      part[c] = static_cast<float>(place - std::floor(place));
    }
    for (std::size_t corner = 0; corner < 8; ++corner) {
      float share = shares[i];
      std::size_t to = 0;
      for (std::size_t c = 3; c-- > 0;) {
        const bool upper = (corner >> c) & 1;
        share *= upper ? part[c] : 1 - part[c];
        to = to * bins + cell[c] + upper;
      }
      brighter[to] += share;
    }
  }
  return brighter;
}

bool on_neck(const Oval& oval, double x, double y) {
  return std::abs(x - oval.cx) < oval.rx && y > oval.cy && y < oval.cy + colour_neck * oval.ry;
}

}  // namespace

Adaptation::Counts Adaptation::count(const ColourView& frame, const Oval& oval) {
  Counts counts{std::vector<float>(cells), std::vector<float>(cells)};
  const Part part = part_of(frame, oval.cx, oval.cy, colour_reach * oval.rx, colour_reach * oval.ry);
  const double pixels = static_cast<double>((part.right - part.left) * (part.bottom - part.top));
  const auto step = static_cast<std::size_t>(std::max(1.0, std::floor(std::sqrt(pixels / colour_samples))));
  double level = 0, weight = 0;
  for (std::size_t y = part.top; y < part.bottom; y += step) {
    const double row = static_cast<double>(y), v = (row - oval.cy) / oval.ry;
    for (std::size_t x = part.left; x < part.right; x += step) {
      const double column = static_cast<double>(x), h = (column - oval.cx) / oval.rx, u = h * h + v * v;
      if (u < 1) {
        const Rgb colour = pixel_at(frame, x, y);
        counts.head[cell_of(colour)] += static_cast<float>(1 - u);
        level += (1 - u) * (colour.r + colour.g + colour.b);
        weight += 1 - u;
      } else if (u > colour_gap * colour_gap && !on_neck(oval, column, row)) {
        counts.around[cell_of(pixel_at(frame, x, y))] += 1;
      }
    }
  }
  counts.level = weight > 0 ? level / weight : 0;
  std::vector<float> rest(cells);
  const double whole = static_cast<double>(frame.width * frame.height);
  const auto stride = static_cast<std::size_t>(std::max(1.0, std::floor(std::sqrt(whole / (colour_samples / 2)))));
  for (std::size_t y = stride / 2; y < frame.height; y += stride) {
    const double row = static_cast<double>(y), v = (row - oval.cy) / oval.ry;
    for (std::size_t x = stride / 2; x < frame.width; x += stride) {
      const double column = static_cast<double>(x), h = (column - oval.cx) / oval.rx;
      if (h * h + v * v > colour_gap * colour_gap && !on_neck(oval, column, row))
        rest[cell_of(pixel_at(frame, x, y))] += 1;
    }
  }
  normalise(counts.head);
  normalise(counts.around);
  normalise(rest);
  for (std::size_t i = 0; i < cells; ++i) counts.around[i] += frame_colours * (rest[i] - counts.around[i]);
  smooth(counts.head);
  smooth(counts.around);
  return counts;
}

void Adaptation::start(const ColourView& frame, const Oval& oval, const Degrees& prior) {
  start_ = running_ = count(frame, oval);
  prior_.resize(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    const auto level = [](std::size_t cell) { return static_cast<std::uint8_t>(8 * (cell % bins) + 4); };
    prior_[i] = prior({level(i / bins / bins), level(i / bins), level(i)});
  }
}

void Adaptation::learn(const ColourView& frame, const Oval& oval, double rate) {
  const Counts fresh = count(frame, oval);
  // the head's colours follow a change of light at once, and the rest is learned
  if (running_.level > 0 && fresh.level > 0) {
    const double gain = std::pow(std::clamp(fresh.level / running_.level, 0.5, 2.0), light_exponent);
    if (std::abs(gain - 1) > least_light_change) {
      running_.head = in_light(running_.head, gain);
      running_.level *= gain;
    }
  }
  const auto mix = static_cast<float>(rate);
  for (std::size_t i = 0; i < cells; ++i) {
    running_.head[i] += mix * (fresh.head[i] - running_.head[i]);
    running_.around[i] += mix * (fresh.around[i] - running_.around[i]);
  }
}

// As make_table() of a Histogram, up to rounding, in a small part of the time: most rows are of colours never seen, and
// in the others eight neighbours lie between the same two cells.
std::shared_ptr<const Table> Adaptation::table(int threads) const {
  const double gain = start_.level > 0 ? running_.level / start_.level : 1;
  const std::vector<float> first = in_light(start_.head, gain);
  std::vector<float> degrees(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    const float head = first_colours * first[i] + (1 - first_colours) * running_.head[i];
    degrees[i] = 255 * (head + rare_colour * prior_[i]) / (head + running_.around[i] + rare_colour);
  }
  auto table = std::make_shared<Table>();
  table->degrees.resize(std::size_t{1} << 24);
  Threads(threads).for_each(256, [&](std::size_t r) { fill_red(degrees.data(), r, &table->degrees[r << 16]); });
  return table;
}

}  // namespace kinema::head
