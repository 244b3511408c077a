#include "io/cameras/disparity.h"

#include "io/cameras/disparity_steps.h"

#include <opencv2/core/utility.hpp>

#include <algorithm>
#include <cmath>

namespace kinema::io {
namespace {

constexpr float unlike = 3;              // times the usual difference
constexpr float least_difference = 0.5;  // grey levels: the effect of rounding in noise-free images
constexpr float most_different = 30;     // as a pixel's part in the mean

constexpr int margin = square_reach;

// Calls work(y) for every row, several concurrently: it may write to its own row only.
template <class Work>
void for_each_row(std::size_t rows, Work&& work) {
  cv::parallel_for_(cv::Range(0, static_cast<int>(rows)), [&](const cv::Range& range) {
    for (int y = range.start; y < range.end; ++y) work(static_cast<std::size_t>(y));
  });
}

// The left image, the right one shifted by each pixel's disparity and its derivative there, with a margin that does not
// count.
struct Shifted {
  std::size_t stride;
  std::vector<float> left, right, slope, disparity;

  Shifted(const GreyImage& seen, const GreyImage& other, const DisparityImage& disparities)
      : stride(static_cast<std::size_t>(disparities.width) + 2 * margin + further),
        left(stride * (static_cast<std::size_t>(disparities.height) + 2 * margin)),
        right(left.size()),
        slope(left.size()),
        disparity(left.size(), no_disparity) {
    for_each_row(static_cast<std::size_t>(disparities.height),
                 [&](std::size_t y) { set_row(seen, other, disparities, static_cast<int>(y)); });
  }

  std::size_t at(int x, int y) const {
    return static_cast<std::size_t>(y + margin) * stride + static_cast<std::size_t>(x + margin);
  }
  ShiftedView view() const { return {left.data(), right.data(), slope.data(), disparity.data(), stride}; }

  void set_row(const GreyImage& seen, const GreyImage& other, const DisparityImage& disparities, int y) {
    const auto begin = static_cast<std::size_t>(y) * static_cast<std::size_t>(disparities.width);
    for (int x = 0; x < disparities.width; ++x) {
      const std::size_t i = at(x, y), pixel = begin + static_cast<std::size_t>(x);
      const float d = disparities.pixels[pixel];
      const float place = static_cast<float>(x) - d, whole = std::floor(place), t = place - whole;
      left[i] = seen.grey[pixel];
      if (d <= 0 || whole < 1 || whole + 2 >= static_cast<float>(disparities.width)) continue;
      // Catmull-Rom between four pixels: linear interpolation would blur half-way positions
      const std::uint8_t* p = other.grey.data() + begin + static_cast<std::size_t>(whole) - 1;
      const float p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
      const float c1 = 0.5f * (p2 - p0), c2 = p0 - 2.5f * p1 + 2 * p2 - 0.5f * p3,
                  c3 = 0.5f * (p3 - p0) + 1.5f * (p1 - p2);
      right[i] = ((c3 * t + c2) * t + c1) * t + p1;
      slope[i] = (3 * c3 * t + 2 * c2) * t + c1;
      disparity[i] = d;
    }
  }
};

// The gain and offset that match the right image to the left one in brightness and contrast, where both show the same.
struct Exposure {
  float gain = 1, offset = 0;
};

Exposure exposure_of(const Shifted& s, int width, int height) {
  struct Sums {
    double n = 0, l = 0, r = 0, ll = 0, rr = 0;
  };
  std::vector<Sums> rows(static_cast<std::size_t>(height));
  for_each_row(rows.size(), [&](std::size_t y) {
    Sums& sum = rows[y];
    for (int x = 0; x < width; ++x) {
      const std::size_t i = s.at(x, static_cast<int>(y));
      if (s.disparity[i] <= 0) continue;
      const double l = s.left[i], r = s.right[i];
      sum.n += 1, sum.l += l, sum.r += r, sum.ll += l * l, sum.rr += r * r;
    }
  });
  Sums all;
  for (const Sums& row : rows) {
    all.n += row.n, all.l += row.l, all.r += row.r, all.ll += row.ll, all.rr += row.rr;
  }
  if (all.n == 0) return {};
  const double of_left = all.ll - all.l * all.l / all.n, of_right = all.rr - all.r * all.r / all.n;
  const double gain = of_left > 0 && of_right > 0 ? std::clamp(std::sqrt(of_left / of_right), 0.5, 2.0) : 1;
  return {static_cast<float>(gain), static_cast<float>((all.l - gain * all.r) / all.n)};
}

float median(std::vector<float> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void refine_disparities(const GreyImage& left, const GreyImage& right, DisparityImage& disparity) {
  const Shifted shifted(left, right, disparity);
  const auto width = static_cast<std::size_t>(disparity.width);
  for_each_row(static_cast<std::size_t>(disparity.height), [&](std::size_t y) {
    std::vector<float> step(width + further);
    refinement_steps(shifted.view(), shifted.at(0, static_cast<int>(y)), width, step.data());
    float* own = disparity.pixels.data() + y * width;
    for (std::size_t x = 0; x < width; ++x) own[x] += step[x];
  });
}

void drop_unlike(const GreyImage& left, const GreyImage& right, DisparityImage& disparity) {
  const int width = disparity.width, height = disparity.height;
  const auto rows = static_cast<std::size_t>(height), columns = static_cast<std::size_t>(width);
  const Shifted shifted(left, right, disparity);
  const Exposure exposure = exposure_of(shifted, width, height);

  // means over three by three pixels, of those with a match
  std::vector<float> difference(columns * rows, 0.0f);
  for_each_row(rows, [&](std::size_t y) {
    for (int x = 0; x < width; ++x) {
      if (shifted.disparity[shifted.at(x, static_cast<int>(y))] <= 0) continue;
      float sum = 0, count = 0;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const std::size_t i = shifted.at(x + dx, static_cast<int>(y) + dy);
          if (shifted.disparity[i] <= 0) continue;
          const float away = shifted.left[i] - exposure.gain * shifted.right[i] - exposure.offset;
          sum += std::min(std::abs(away), most_different);
          count += 1;
        }
      }
      difference[y * columns + static_cast<std::size_t>(x)] = sum / count;
    }
  });
  std::vector<float> some;
  for (std::size_t i = 0; i < difference.size(); i += 7) {
    if (disparity.pixels[i] > 0) some.push_back(difference[i]);
  }
  const float limit = unlike * std::max(median(std::move(some)), least_difference);
  for (std::size_t i = 0; i < difference.size(); ++i) {
    if (difference[i] > limit) disparity.pixels[i] = 0;
  }
}

}  // namespace kinema::io
