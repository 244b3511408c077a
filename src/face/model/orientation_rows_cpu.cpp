#include "face/model/orientation_rows_cpu.h"

#include "face/model/frame_pixels.h"

#include <algorithm>

#ifdef KINEMA_HAVE_HIGHWAY
// rows are computed in buffers of whole vectors, whose number of lanes is known
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "face/model/orientation_rows_cpu.cpp"
#include <hwy/foreach_target.h>
#endif
// after foreach_target
#include "core/simd_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::face {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t most_lanes = 16, together = 4;
using Lanes = hn::CappedTag<float, most_lanes>;
using Floats = hn::Vec<Lanes>;

// A product is never fused with a sum here: the device and CPUs without such an instruction give the same bits.
HWY_INLINE HWY_ATTR Floats smoothed_lanes(Floats before, Floats here, Floats after) {
  const Lanes d;
  return hn::Mul(hn::Set(d, 0.25f), hn::Add(hn::Add(before, hn::Mul(hn::Set(d, 2.0f), here)), after));
}

// Rows of a band in their order, each smoothed along x, along y, along x and along y again. Of the rows between, three are
// kept: they stay in the L1 cache.
class Band {
public:
  Band(const BinRows& rows, std::size_t first, std::size_t last)
      : rows_(rows),
        first_(first),
        last_(last),
        planes_((rows.bins + together - 1) / together * together),
        stride_((rows.width + most_lanes - 1) / most_lanes * most_lanes + 2 * margin),
        buffer_(8 * planes_ * stride_),
        lines_(5 * stride_) {}

  HWY_ATTR void run() {
    const std::size_t height = rows_.height;
    const std::size_t end = std::min(height, last_ + 2);
    for (std::size_t v = first_ < 2 ? 0 : first_ - 2; v < end; ++v) {
      gradients(v);
      smooth_across(raw(), once(v));
      if (v > 0 && v >= first_) second(v - 1);
      if (v + 1 == height && v <= last_) second(v);
    }
  }

private:
  static constexpr std::size_t margin = most_lanes;  // before the first pixel and past the last

  float* plane(std::size_t number) { return buffer_.data() + number * planes_ * stride_ + margin; }
  float* raw() { return plane(0); }
  float* column() { return plane(1); }
  float* once(std::size_t v) { return plane(2 + v % 3); }
  float* twice(std::size_t v) { return plane(5 + v % 3); }
  float* line(std::size_t number) { return lines_.data() + number * stride_ + margin; }

  // Repeats the first and last values of a row at its ends.
  void extend(float* row, std::size_t by) const {
    std::fill_n(row - by, by, row[0]);
    std::fill_n(row + rows_.width, by, row[rows_.width - 1]);
  }

  // The bins of a row, not smoothed.
  HWY_ATTR void gradients(std::size_t v) {
    const Lanes d;
    const std::size_t width = rows_.width;
    const float* from = rows_.grey + v * width;
    std::copy_n(v > 0 ? from - width : from, width, line(0));
    std::copy_n(from, width, line(1));
    std::copy_n(v + 1 < rows_.height ? from + width : from, width, line(2));
    extend(line(1), 1);
    const Floats half = hn::Set(d, 0.5f), one = hn::Set(d, 1.0f), zero = hn::Zero(d);
    for (std::size_t u = 0; u < width; u += hn::Lanes(d)) {
      const Floats x = hn::Mul(half, hn::Sub(hn::LoadU(d, line(1) + u + 1), hn::LoadU(d, line(1) + u - 1)));
      const Floats y = hn::Mul(half, hn::Sub(hn::LoadU(d, line(2) + u), hn::LoadU(d, line(0) + u)));
      const Floats magnitude = hn::Sqrt(hn::Add(hn::Mul(x, x), hn::Mul(y, y)));
      const Floats share = hn::IfThenElseZero(hn::Gt(magnitude, zero), hn::Div(one, magnitude));
      const Floats along_x = hn::Mul(x, share), along_y = hn::Mul(y, share);
      for (std::size_t k = 0; k < planes_; ++k) {
        const Floats towards =
            hn::Add(hn::Mul(along_x, hn::Set(d, rows_.cosines[k])), hn::Mul(along_y, hn::Set(d, rows_.sines[k])));
        const Floats along = hn::Max(towards, zero), square = hn::Mul(along, along);
        hn::StoreU(hn::Mul(hn::Mul(magnitude, square), square), d, raw() + k * stride_ + u);
      }
    }
  }

  HWY_ATTR void smooth_across(float* from, float* to) {
    const Lanes d;
    for (std::size_t k = 0; k < planes_; ++k, from += stride_, to += stride_) {
      extend(from, 1);
      for (std::size_t u = 0; u < rows_.width; u += hn::Lanes(d))
        hn::StoreU(smoothed_lanes(hn::LoadU(d, from + u - 1), hn::LoadU(d, from + u), hn::LoadU(d, from + u + 1)), d,
                   to + u);
    }
  }

  // Row v, once its neighbours are smoothed along x: along y, and along x again.
  HWY_ATTR void second(std::size_t v) {
    const Lanes d;
    const float *above = once(v > 0 ? v - 1 : 0), *here = once(v), *below = once(v + 1 < rows_.height ? v + 1 : v);
    for (std::size_t k = 0; k < planes_; ++k)
      for (std::size_t u = 0, at = k * stride_; u < rows_.width; u += hn::Lanes(d), at += hn::Lanes(d))
        hn::StoreU(smoothed_lanes(hn::LoadU(d, above + at), hn::LoadU(d, here + at), hn::LoadU(d, below + at)), d,
                   column() + at);
    smooth_across(column(), twice(v));
    if (v > first_) last(v - 1);
    if (v + 1 == rows_.height && v < last_) last(v);
  }

  // Row v, complete: written, with its energies.
  HWY_ATTR void last(std::size_t v) {
    const Lanes d;
    const std::size_t width = rows_.width, pixels = width * rows_.height, lanes = hn::Lanes(d);
    const float *above = twice(v > 0 ? v - 1 : 0), *here = twice(v), *below = twice(v + 1 < rows_.height ? v + 1 : v);
    float* energy = line(3);
    for (std::size_t u = 0; u < width; u += lanes) {
      Floats sum = hn::Zero(d);
      for (std::size_t k = 0; k < planes_; k += together) {
        const auto bin = [&](std::size_t i) HWY_ATTR {
          const std::size_t at = (k + i) * stride_ + u;
          return smoothed_lanes(hn::LoadU(d, above + at), hn::LoadU(d, here + at), hn::LoadU(d, below + at));
        };
        const Floats a = bin(0), b = bin(1), c = bin(2), e = bin(3);
        sum = hn::Add(hn::Add(sum, hn::Mul(a, a)), hn::Mul(b, b));
        sum = hn::Add(hn::Add(sum, hn::Mul(c, c)), hn::Mul(e, e));
        float* to = rows_.values + (k / together * pixels + v * width + u) * together;
        if (u + lanes <= width) {
          hn::StoreInterleaved4(a, b, c, e, d, to);
        } else {
          float rest[together * most_lanes];
          hn::StoreInterleaved4(a, b, c, e, d, rest);
          std::copy_n(rest, (width - u) * together, to);
        }
      }
      hn::StoreU(sum, d, energy + u);
    }
    const int across = frame_tiles(static_cast<int>(width));
    double* tiles = rows_.tiles + v / frame_tile * static_cast<std::size_t>(across);
    for (int tile = 0; tile < across; ++tile) {
      const int start = tile * frame_tile, count = std::min(frame_tile, static_cast<int>(width) - start);
      tiles[tile] += tile_row_sum(energy + start, count);
    }
    extend(energy, bins_window);
    const Floats share = hn::Set(d, 1 / static_cast<float>(2 * bins_window + 1));
    for (std::size_t u = 0; u < width; u += lanes) {
      Floats sum = hn::Zero(d);
      for (std::size_t i = 0; i <= 2 * bins_window; ++i) sum = hn::Add(sum, hn::LoadU(d, energy + u + i - bins_window));
      hn::StoreU(hn::Mul(sum, share), d, line(4) + u);
    }
    std::copy_n(line(4), width, rows_.energies + v * width);
  }

  BinRows rows_;
  std::size_t first_, last_, planes_, stride_;
  std::vector<float> buffer_, lines_;
};

HWY_ATTR void bin_rows(const BinRows& rows, std::size_t first, std::size_t last) { Band(rows, first, last).run(); }

HWY_ATTR void bin_factors(const BinRows& rows, float floor, std::size_t first, std::size_t last, float* factors) {
  const Lanes d;
  constexpr std::size_t window = 2 * bins_window + 1;
  const std::size_t width = rows.width, lanes = hn::Lanes(d), whole = width / lanes * lanes;
  const Floats share = hn::Set(d, 1 / static_cast<float>(window)), low = hn::Set(d, floor);
  for (std::size_t v = first; v < last; ++v) {
    float lines[window];
    const float* from[window];
    for (std::size_t k = 0; k < window; ++k)
      from[k] = rows.energies + std::min(rows.height - 1, v + k < bins_window ? 0 : v + k - bins_window) * width;
    float* to = factors + v * width;
    for (std::size_t u = 0; u < whole; u += lanes) {
      Floats sum = hn::Zero(d);
      for (std::size_t k = 0; k < window; ++k) sum = hn::Add(sum, hn::LoadU(d, from[k] + u));
      const Floats size = hn::Add(hn::Sqrt(hn::Mul(sum, share)), low);
      hn::StoreU(hn::IfThenElseZero(hn::Gt(size, hn::Zero(d)), hn::Div(hn::Set(d, 1.0f), size)), d, to + u);
    }
    for (std::size_t u = whole; u < width; ++u) {
      for (std::size_t k = 0; k < window; ++k) lines[k] = from[k][u];
      to[u] = bins_share(lines, floor);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::face
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::face {

HWY_EXPORT(bin_rows);
HWY_EXPORT(bin_factors);
void bin_rows(const BinRows& rows, std::size_t first, std::size_t last) {
  HWY_DYNAMIC_DISPATCH(bin_rows)(rows, first, last);
}
void bin_factors(const BinRows& rows, float floor, std::size_t first, std::size_t last, float* factors) {
  HWY_DYNAMIC_DISPATCH(bin_factors)(rows, floor, first, last, factors);
}

}  // namespace kinema::face
#endif
