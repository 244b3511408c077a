#include "head/adaptation.h"

#include "head/degree_map.h"
#include "head/pixels.h"

#include <algorithm>
#include <cmath>
#include "/tmp/w/lab/ht/tune.h"

namespace kinema::head {
namespace {

constexpr int bins = 32;
constexpr std::size_t cells = std::size_t{bins} * bins * bins;

const double reach = static_cast<double>(tune("reach", 2.6));             // radii: how far "around" goes
const double apart = static_cast<double>(tune("apart", 1.25));            // radii: from here on it starts
const double inner = tune("inner", 1.0);
const double neck = static_cast<double>(tune("neck", 2));                // radii below the centre that count for neither side
const double most_samples = static_cast<double>(tune("most_samples", 24000));    // pixels that are looked at
const float of_frame = static_cast<float>(tune("of_frame", 0.25));         // of what is around: the rest of the frame, for when the head is lost
const float of_start = static_cast<float>(tune("of_start", 0.35));         // of what is known: the start
const float unknown = static_cast<float>(tune("unknown", 2e-5));          // share of pixels in a cell below which its degree falls to 0

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

// A quarter to each neighbour along each channel: colours vary, and a cell's edge is nobody's.
void smooth(std::vector<float>& shares) {
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

bool on_neck(const Oval& oval, double x, double y) {
  return std::abs(x - oval.cx) < oval.rx && y > oval.cy && y < oval.cy + neck * oval.ry;
}

}  // namespace

Adaptation::Counts Adaptation::count(const ColourView& frame, const Oval& oval) {
  Counts counts{std::vector<float>(cells), std::vector<float>(cells)};
  const Part part = part_of(frame, oval.cx, oval.cy, reach * oval.rx, reach * oval.ry);
  const double pixels = static_cast<double>((part.right - part.left) * (part.bottom - part.top));
  const auto step = static_cast<std::size_t>(std::max(1.0, std::floor(std::sqrt(pixels / most_samples))));
  for (std::size_t y = part.top; y < part.bottom; y += step) {
    const double row = static_cast<double>(y), v = (row - oval.cy) / oval.ry;
    for (std::size_t x = part.left; x < part.right; x += step) {
      const double column = static_cast<double>(x), h = (column - oval.cx) / oval.rx, u = h * h + v * v;
      if (u < inner * inner) {
        counts.head[cell_of(pixel_at(frame, x, y))] += static_cast<float>(1 - u);
      } else if (u > apart * apart && !on_neck(oval, column, row)) {
        counts.around[cell_of(pixel_at(frame, x, y))] += 1;
      }
    }
  }
  std::vector<float> rest(cells);
  const double whole = static_cast<double>(frame.width * frame.height);
  const auto stride = static_cast<std::size_t>(std::max(1.0, std::floor(std::sqrt(whole / (most_samples / 2)))));
  for (std::size_t y = stride / 2; y < frame.height; y += stride) {
    const double row = static_cast<double>(y), v = (row - oval.cy) / oval.ry;
    for (std::size_t x = stride / 2; x < frame.width; x += stride) {
      const double column = static_cast<double>(x), h = (column - oval.cx) / oval.rx;
      if (h * h + v * v > apart * apart && !on_neck(oval, column, row)) rest[cell_of(pixel_at(frame, x, y))] += 1;
    }
  }
  normalise(counts.head);
  normalise(counts.around);
  normalise(rest);
  for (std::size_t i = 0; i < cells; ++i) counts.around[i] += of_frame * (rest[i] - counts.around[i]);
  smooth(counts.head);
  smooth(counts.around);
  return counts;
}

void Adaptation::start(const ColourView& frame, const Oval& oval) { start_ = running_ = count(frame, oval); }

void Adaptation::learn(const ColourView& frame, const Oval& oval, double rate) {
  const Counts fresh = count(frame, oval);
  const auto mix = static_cast<float>(rate);
  for (std::size_t i = 0; i < cells; ++i) {
    running_.head[i] += mix * (fresh.head[i] - running_.head[i]);
    running_.around[i] += mix * (fresh.around[i] - running_.around[i]);
  }
}

Histogram Adaptation::histogram() const {
  Histogram histogram;
  histogram.bins = bins;
  histogram.degrees.resize(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    const float head = of_start * start_.head[i] + (1 - of_start) * running_.head[i];
    const float around = running_.around[i];
    const float degree = head / (head + around + unknown);
    histogram.degrees[i] = static_cast<std::uint8_t>(std::lround(255 * degree));
  }
  return histogram;
}

}  // namespace kinema::head
