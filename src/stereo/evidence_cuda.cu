#include "stereo/evidence_cuda.cuh"

#include "core/cuda/buffer.h"
#include "stereo/constants.h"
#include "stereo/matcher_backends.h"

namespace kinema::stereo {
namespace {

constexpr int block_width = 32, block_height = 8;
constexpr float none = -1e6f;  // a disparity that differs from all others

// opposite ones follow each other
__device__ constexpr int ways[8][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, -1}, {1, -1}, {-1, 1}};

// A thread's pixel of the window.
struct Pixel {
  int x, y, at;
  bool inside;
};
__device__ Pixel own_pixel(const DeviceEvidence& e) {
  const int x = static_cast<int>(blockIdx.x * block_width + threadIdx.x),
            y = static_cast<int>(blockIdx.y * block_height + threadIdx.y);
  return {x, y, y * e.columns + x, x < e.columns && y < e.rows};
}
// 1: a row of the window begins with a black pixel.
__device__ int odd(const DeviceEvidence& e, int y) { return on_white(e.x, e.y + y) ? 0 : 1; }
// Where each thread has a pixel of one colour: `other` is odd(e, y) for white ones.
__device__ Pixel every_other_pixel(const DeviceEvidence& e, int y, int other) {
  const int x = 2 * static_cast<int>(blockIdx.x * block_width + threadIdx.x) + other;
  return {x, y, y * e.columns + x, x < e.columns && y < e.rows};
}
__device__ int own_row() { return static_cast<int>(blockIdx.y * block_height + threadIdx.y); }

__device__ int clamped(int value, int low, int high) { return min(max(value, low), high); }
__device__ float grey(const DeviceEvidence& e, int x, int y) {
  return static_cast<float>(e.left[(e.y + y) * e.width + e.x + x]);
}
__device__ float brightness(const DeviceEvidence& e, int x, int y) {
  return static_cast<float>(e.smooth[(e.y + y) * e.width + e.x + x]) / 16;
}
__device__ bool in_window(const DeviceEvidence& e, int x, int y) {
  return x >= 0 && y >= 0 && x < e.columns && y < e.rows;
}

// Sobel, per pixel, at a pixel of the picture.
__device__ float2 slopes_at(const DeviceEvidence& e, int column, int row) {
  const auto s = [&](int dx, int dy) {
    return static_cast<int>(
        e.smooth[clamped(row + dy, 0, e.height - 1) * e.width + clamped(column + dx, 0, e.width - 1)]);
  };
  const int across = s(1, -1) + 2 * s(1, 0) + s(1, 1) - s(-1, -1) - 2 * s(-1, 0) - s(-1, 1);
  const int down = s(-1, 1) + 2 * s(0, 1) + s(1, 1) - s(-1, -1) - 2 * s(0, -1) - s(1, -1);
  return {static_cast<float>(across) / 128, static_cast<float>(down) / 128};
}

__global__ void slopes_kernel(DeviceEvidence e) {
  const auto [x, y, at, inside] = own_pixel(e);
  if (inside) e.slopes[at] = slopes_at(e, e.x + x, e.y + y);
}

// The right picture where a pixel's disparity points, and its slope there.
struct Moved {
  float grey, slope;
  bool inside;
};
// Catmull-Rom between four pixels: linear interpolation would blur half-way positions
template <class Number>
__device__ Moved moved_to(const DeviceEvidence& e, const Number* right, int x, int y, float disparity) {
  const float place = static_cast<float>(e.x + x) - disparity, whole = floorf(place), t = place - whole;
  if (!(disparity > 0) || whole < 1 || whole + 2 >= static_cast<float>(e.width)) return {0, 0, false};
  const Number* p = right + (e.y + y) * e.width + static_cast<int>(whole) - 1;
  const float p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
  const float c1 = 0.5f * (p2 - p0), c2 = p0 - 2.5f * p1 + 2 * p2 - 0.5f * p3, c3 = 0.5f * (p3 - p0) + 1.5f * (p1 - p2);
  return {((c3 * t + c2) * t + c1) * t + p1, (3 * c3 * t + 2 * c2) * t + c1, true};
}

// Numbers of the white pixels: of every other pixel of a plane of the window, or of a plane of these alone.
struct WhitePlane {
  float* numbers;
  bool alone;
  __device__ float& at(const DeviceEvidence& e, int x, int y) const {
    return numbers[alone ? y * ((e.columns + 1) / 2) + x / 2 : y * e.columns + x];
  }
};

// What the squares of a block read, in shared memory: each pixel lies in 25 of them. Only white pixels, `side` more on both sides.
// `disparity` is `none` where there is none, or where it leaves the right picture.
constexpr int side = (square_reach + 1) / 2;
constexpr int tile_width = block_width + 2 * side, tile_height = block_height + 2 * square_reach;
struct Tile {
  float disparity[tile_height][tile_width], bright[tile_height][tile_width], say[tile_height][tile_width];
  float left[tile_height][tile_width];  // as it is; where both pictures are smoothed, it is `bright`
  float right[tile_height][tile_width], slope[tile_height][tile_width];
};

// With both pictures smoothed or as they are. All threads of a block take part.
template <bool smoothed>
__device__ void fill(Tile& tile, const DeviceEvidence& e, const WhitePlane& disparity, const float* trust) {
  const int left = 2 * (static_cast<int>(blockIdx.x) * block_width - side),
            top = static_cast<int>(blockIdx.y) * block_height - square_reach;
  for (int i = static_cast<int>(threadIdx.y * block_width + threadIdx.x); i < tile_width * tile_height;
       i += block_width * block_height) {
    const int row = i / tile_width, column = i % tile_width, y = top + row, x = left + 2 * column + odd(e, y);
    tile.disparity[row][column] = none;
    tile.bright[row][column] = tile.say[row][column] = 0;
    if (!smoothed) tile.left[row][column] = 0;
    tile.right[row][column] = tile.slope[row][column] = 0;
    if (!in_window(e, x, y)) continue;
    const float d = disparity.at(e, x, y);
    const float scale = smoothed ? 1.0f / 16 : 1.0f;
    const Moved moved = smoothed ? moved_to(e, e.smooth_right, x, y, d) : moved_to(e, e.right, x, y, d);
    if (!moved.inside) continue;
    tile.disparity[row][column] = d;
    tile.bright[row][column] = brightness(e, x, y);
    tile.say[row][column] =
        say_of(e.slopes[y * e.columns + x].x) * (trust != nullptr ? trust[y * ((e.columns + 1) / 2) + x / 2] : 1.0f);
    if (!smoothed) tile.left[row][column] = grey(e, x, y);
    tile.right[row][column] = scale * moved.grey;
    tile.slope[row][column] = scale * moved.slope;
  }
  __syncthreads();
}

// Calls add(dx, dy, weight, left, right, slope, away) for the white pixels of a square; greys and disparities are relative to
// the centre's. `begins`: odd() of the centre's row.
template <bool smoothed, class Add>
__device__ void over_square(const Tile& tile, int begins, const float2& slopes, float flatness, const Add& add) {
  const int column = static_cast<int>(threadIdx.x) + side, row = static_cast<int>(threadIdx.y) + square_reach;
  const auto& left = smoothed ? tile.bright : tile.left;
  const float middle = tile.disparity[row][column], bright = tile.bright[row][column], base = left[row][column];
  constexpr auto surface = static_cast<float>(constants::same_surface);
  const float falloff = 1 / (static_cast<float>(constants::alike_on_edge) * (fabsf(slopes.x) + fabsf(slopes.y)) +
                             static_cast<float>(constants::alike));
#pragma unroll
  for (int dy = -square_reach; dy <= square_reach; ++dy) {
#pragma unroll
    for (int dx = -square_reach; dx <= square_reach; ++dx) {
      if ((dx + dy) % 2 != 0) continue;
      const int x = column + (dx % 2 == 0 ? dx / 2 : (dx - 1) / 2 + begins), y = row + dy;
      const float away = tile.disparity[y][x] - middle;
      const float alike = fmaxf(1 - fabsf(tile.bright[y][x] - bright) * falloff, 0.0f);
      const float weight = fabsf(away) <= surface ? alike * tile.say[y][x] : 0.0f;
      const float g = tile.slope[y][x];
      add(dx, dy, weight, left[y][x] - base, tile.right[y][x] - base + g * (flatness * away), g, away);
    }
  }
}

// Of the left picture's contrast over the right one's, from their sums of squares.
__device__ float gain_of(float ll, float rr) {
  return fmaxf(fminf(sqrtf(fmaxf(ll, 1e-6f) / fmaxf(rr, 1e-6f)), 1.4f), 0.7f);
}

// With r the right picture at the square's disparity and g its slope, the left one is a (r - g step) + b. The mean of the
// disparities around is a measurement too, which decides where the pictures say little. `trust` of the step before, null: 1.
__global__ void refine_kernel(DeviceEvidence e, WhitePlane disparity, WhitePlane refined, const float* trust,
                              float* next_trust) {
  __shared__ Tile tile;
  fill<true>(tile, e, disparity, trust);
  const int begins = odd(e, own_row());
  const Pixel own = every_other_pixel(e, own_row(), begins);
  if (!own.inside) return;
  const int column = static_cast<int>(threadIdx.x) + side, row = static_cast<int>(threadIdx.y) + square_reach;
  const float d = tile.disparity[row][column];
  float& result = refined.at(e, own.x, own.y);
  float& trusted = next_trust[own.y * ((e.columns + 1) / 2) + own.x / 2];
  result = fmaxf(d, 0.0f);
  trusted = 1;
  if (d <= 0) return;
  float n = 0, sl = 0, sr = 0, sg = 0, ll = 0, rr = 0, gg = 0, gl = 0, gr = 0, around = 0, weights = 0;
  constexpr auto flatness = static_cast<float>(constants::flatness);
  const float2 slopes = e.slopes[own.at];
  over_square<true>(tile, begins, slopes, flatness, [&](int, int, float w, float l, float r, float g, float away) {
    const float wl = w * l, wr = w * r, wg = w * g;
    n += w, sl += wl, sr += wr, sg += wg;
    ll += wl * l, rr += wr * r, gg += wg * g, gl += wg * l, gr += wg * r;
    constexpr auto over_surface = static_cast<float>(1 / (constants::same_surface * constants::same_surface));
    const float like = w * (1 - over_surface * away * away);
    around += like * away, weights += like;
  });
  if (n < static_cast<float>(constants::fewest)) return;
  const float share = 1 / n, ml = share * sl, mr = share * sr, mg = share * sg;
  ll -= ml * sl, rr -= mr * sr, gg -= mg * sg, gl -= mg * sl, gr -= mg * sr;
  const float gain = gain_of(ll, rr);
  constexpr auto most = static_cast<float>(constants::longest_step);
  constexpr auto smoothness = static_cast<float>(constants::smoothness);
  const float step =
      static_cast<float>(constants::overstep) * (gr - gl / gain + smoothness * around / weights) / (gg + smoothness);
  result = d + fmaxf(fminf(step, most), -most);
  trusted = trust_of(gain * (mr - (tile.right[row][column] - tile.bright[row][column])) - ml, slopes.x, slopes.y);
}

// The noise of both pictures over the texture of the left one, and what an error of the rows does where edges lie along
// them. Disparities that leave the right picture are dropped.
__global__ void deviation_kernel(DeviceEvidence e, WhitePlane disparity, float* kept, const float* trust) {
  __shared__ Tile tile;
  fill<false>(tile, e, disparity, trust);
  const int begins = odd(e, own_row());
  const Pixel own = every_other_pixel(e, own_row(), begins);
  if (!own.inside) return;
  const float d = tile.disparity[threadIdx.y + square_reach][threadIdx.x + side];
  e.sure[own.at] = 0;
  kept[own.at] = fmaxf(d, 0.0f);
  if (d <= 0) return;
  float n = 0, nn = 0, sl = 0, sr = 0, ll = 0, rr = 0, lr = 0, sx = 0, sy = 0, xx = 0, xy = 0;
  const auto add = [&](int dx, int dy, float w, float l, float r, float, float) {
    if (w <= 0) return;  // also what lies outside the window
    const float2 slope = e.slopes[own.at + dy * e.columns + dx];
    const float wl = w * l, wr = w * r, wx = w * slope.x;
    n += w, nn += w * w, sl += wl, sr += wr, ll += wl * l, rr += wr * r, lr += wl * r;
    sx += wx, sy += w * slope.y, xx += wx * slope.x, xy += wx * slope.y;
  };
  over_square<false>(tile, begins, e.slopes[own.at], 1, add);
  if (n < static_cast<float>(constants::fewest)) return;
  const float share = 1 / n, ml = share * sl, mr = share * sr, mx = share * sx;
  ll = fmaxf(ll - ml * sl, 0), rr = fmaxf(rr - mr * sr, 0), lr -= ml * sr, xx -= mx * sx, xy -= mx * sy;
  if (lr <= static_cast<float>(constants::least_correlation) * sqrtf(ll * rr)) return;
  const float gain = gain_of(ll, rr);
  const float noise = share * fmaxf(ll + gain * (gain * rr - 2 * lr), 0);
  const float texture = fmaxf(share * xx - static_cast<float>(constants::slope_noise) * noise, 1e-3f);
  const float rows = static_cast<float>(constants::row_error) * share * xy / texture;
  const float variance = noise / (texture * (2 * n * n / nn)) + rows * rows;  // with the black pixels
  const float seen = static_cast<float>(constants::deviation_scale * constants::deviation_scale) * variance;
  constexpr auto most = static_cast<float>(constants::most_deviation * constants::most_deviation);
  if (seen > most || d > e.nearest || d < e.farthest) return;
  e.sure[own.at] = d;
  e.deviation[own.at] = combined_deviation(seen);
}

// A black pixel has what its white neighbours have that lie on its surface; it is sure if two of them are.
__global__ void black_kernel(DeviceEvidence e, float* disparity) {
  const Pixel own = every_other_pixel(e, own_row(), 1 - odd(e, own_row()));
  if (!own.inside) return;
  const float found = e.found[own.at];
  float all = 0, sure = 0, deviations = 0;
  int count = 0, sure_count = 0;
  for (int w = 0; w < 4; ++w) {
    const int x = own.x + ways[w][0], y = own.y + ways[w][1], at = y * e.columns + x;
    if (!in_window(e, x, y)) continue;
    const float other = disparity[at];
    if (other <= 0 || fabsf(other - found) > static_cast<float>(constants::same_surface)) continue;
    all += other, ++count;
    if (e.sure[at] > 0) sure += other, deviations += e.deviation[at], ++sure_count;
  }
  const bool known = found > 0 && count > 0, two = found > 0 && sure_count >= 2;
  disparity[own.at] = known ? all / static_cast<float>(count) : 0;
  e.sure[own.at] = two ? sure / static_cast<float>(sure_count) : 0;
  if (two) e.deviation[own.at] = deviations / static_cast<float>(sure_count);
}

// Where a surface has little texture, what the paths found is right if the sure disparities around it say the same.
__global__ void confirm_kernel(DeviceEvidence e, const float* disparity) {
  const Pixel own = own_pixel(e);
  if (!own.inside) return;
  const float sure = e.sure[own.at], d = disparity[own.at];
  e.kept[own.at] = sure > 0 ? sure : none;
  if (sure > 0 || !(d > 0 && d <= e.nearest && d >= e.farthest)) return;
  const float bright = brightness(e, own.x, own.y);
  int lines = 0, sides = 0, contradicting = 0;
  float between = 0, weights = 0;  // the confirming disparities, by their nearness
  for (int w = 0; w < 8; ++w) {
    const auto& way = ways[w];
    if (w % 2 == 0) sides = 0;
    for (int n = 1; n <= constants::confirming_reach; ++n) {
      const int x = own.x + n * way[0], y = own.y + n * way[1];
      if (!in_window(e, x, y)) break;
      const float other = e.sure[y * e.columns + x];
      if (other <= 0) continue;
      if (fabsf(other - d) > static_cast<float>(constants::same_surface))
        ++contradicting;
      else if (fabsf(brightness(e, x, y) - bright) <= static_cast<float>(constants::as_bright))
        ++sides, between += other / static_cast<float>(n), weights += 1 / static_cast<float>(n);
      break;
    }
    if (w % 2 == 1 && sides == 2) ++lines;
  }
  if (lines < constants::confirming || contradicting > constants::contradicting) return;
  e.kept[own.at] = (d + 2 * (between / weights)) / 3;  // of which the paths' own part is the less precise
  e.deviation[own.at] = confirmed_deviation();
}

// A square that reaches over an outline matches beside it as well as on it: whatever lies between the outline and the
// open side has no disparity of its own.
__global__ void trim_kernel(DeviceEvidence e) {
  const Pixel own = own_pixel(e);
  if (!own.inside) return;
  const float d = e.kept[own.at];
  e.trimmed[own.at] = d;
  if (d <= 0) return;
  const auto steepness = [&](int x, int y) {
    const float2 slope = in_window(e, x, y)
                             ? e.slopes[y * e.columns + x]
                             : slopes_at(e, clamped(e.x + x, 0, e.width - 1), clamped(e.y + y, 0, e.height - 1));
    return slope.x * slope.x + slope.y * slope.y;
  };
  constexpr auto outline = static_cast<float>(constants::outline_slope * constants::outline_slope);
  const float limit = fmaxf(steepness(own.x, own.y), outline);
  const float open = static_cast<float>(1 - constants::behind) * d;
  for (const auto& way : ways) {
    int out = 1;
    while (out <= outline_reach && in_window(e, own.x + out * way[0], own.y + out * way[1]) &&
           e.kept[(own.y + out * way[1]) * e.columns + own.x + out * way[0]] >= open)
      ++out;
    for (int in = 1; in <= outline_reach + 1 - out; ++in)
      if (steepness(own.x - in * way[0], own.y - in * way[1]) > limit) {
        e.trimmed[own.at] = none;
        return;
      }
  }
}

// Drops patches that are too small to be a surface.
__global__ void support_kernel(DeviceEvidence e) {
  const Pixel own = own_pixel(e);
  if (!own.inside) return;
  const float d = e.trimmed[own.at];
  float2 result{0, 0};
  if (d > 0) {
    int count = 0;
    for (int y = max(own.y - support_reach, 0); y <= min(own.y + support_reach, e.rows - 1); ++y)
      for (int x = max(own.x - support_reach, 0); x <= min(own.x + support_reach, e.columns - 1); ++x)
        count += fabsf(e.trimmed[y * e.columns + x] - d) <= static_cast<float>(constants::same_surface) ? 1 : 0;
    if (count > constants::support) result = {d, e.deviation[own.at]};
  }
  e.out[own.at] = result;
}

}  // namespace

void judge_disparities(const DeviceEvidence& e, cudaStream_t stream) {
  const dim3 block(block_width, block_height);
  const auto blocks = [&](int columns) {
    return dim3(static_cast<unsigned>((columns + block_width - 1) / block_width),
                static_cast<unsigned>((e.rows + block_height - 1) / block_height));
  };
  const int whites = (e.columns + 1) / 2;
  const dim3 grid = blocks(e.columns), half = blocks(whites);
  slopes_kernel<<<grid, block, 0, stream>>>(e);
  WhitePlane disparities{e.found, false};
  const float* trust = nullptr;
  for (int i = 0; i < constants::refinements; ++i) {
    const std::ptrdiff_t plane = i % 2 * (static_cast<std::ptrdiff_t>(e.rows) * whites);
    const WhitePlane refined{e.steps + plane, true};
    refine_kernel<<<half, block, 0, stream>>>(e, disparities, refined, trust, e.trust + plane);
    disparities = refined;
    trust = e.trust + plane;
  }
  float* disparity = e.trimmed;  // which is filled later
  deviation_kernel<<<half, block, 0, stream>>>(e, disparities, disparity, trust);
  black_kernel<<<half, block, 0, stream>>>(e, disparity);
  confirm_kernel<<<grid, block, 0, stream>>>(e, disparity);
  trim_kernel<<<grid, block, 0, stream>>>(e);
  support_kernel<<<grid, block, 0, stream>>>(e);
  cuda::check_launch("judging disparities");
}

}  // namespace kinema::stereo
