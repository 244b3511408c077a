
#include "core/random.h"
#include "face/constants.h"
#include "face/training/training_set.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace kinema::face {
namespace {

// Means over 2 radius + 1 neighbours along lines of `count` values that lie `step` apart, fewer at the ends.
void smooth(std::vector<float>& values, std::size_t lines, std::size_t stride, std::size_t count, std::size_t step,
            std::size_t radius) {
  std::vector<double> sums(count + 1, 0.0);
  for (std::size_t line = 0; line < lines; ++line) {
    float* from = values.data() + line * stride;
    for (std::size_t i = 0; i < count; ++i) sums[i + 1] = sums[i] + from[i * step];
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t first = i - std::min(i, radius), end = std::min(count, i + radius + 1);
      from[i * step] = static_cast<float>((sums[end] - sums[first]) / static_cast<double>(end - first));
    }
  }
}

// Of one scale, with a root mean square of 1.
std::vector<float> noise(std::size_t width, std::size_t height, std::size_t radius, const Random& random) {
  std::vector<float> values(width * height);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(random.normal(static_cast<std::uint32_t>(i)));
  for (int pass = 0; pass < 2; ++pass) {
    smooth(values, height, width, width, 1, radius);
    smooth(values, width, 1, height, width, radius);
  }
  double square = 0;
  for (const float value : values) square += double{value} * value;
  const auto factor = static_cast<float>(1 / std::sqrt(std::max(1e-12, square / static_cast<double>(values.size()))));
  for (float& value : values) value *= factor;
  return values;
}

OwnedExample with_noise(const Example& example, double unit, std::uint64_t seed, std::uint32_t number) {
  const GreyView& image = example.image;
  std::vector<float> sum(image.width * image.height, 0.0f);
  for (std::uint32_t scale = 0; scale < std::size(noise_radii); ++scale) {
    const Random random{seed, 4'000'000 + scale, number}, strength{seed, 5'000'000 + scale, number};
    const auto radius = static_cast<std::size_t>(std::max(1.0, std::round(noise_radii[scale] * unit)));
    const auto amplitude = static_cast<float>(noise_amplitude * strength.uniform(0));
    const std::vector<float> values = noise(image.width, image.height, radius, random);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += amplitude * values[i];
  }
  OwnedExample result{{}, image.width, image.height, example.landmarks};
  result.pixels.reserve(sum.size());
  for (std::size_t y = 0; y < image.height; ++y)
    for (std::size_t x = 0; x < image.width; ++x) {
      const float value = static_cast<float>(image.data[y * image.stride + x]) + sum[y * image.width + x];
      result.pixels.push_back(static_cast<std::uint8_t>(std::clamp(value + 0.5f, 0.0f, 255.0f)));
    }
  return result;
}

}  // namespace

std::vector<OwnedExample> with_noise(std::span<const Example> examples, const Layout& layout, std::uint64_t seed,
                                     const Threads& threads) {
  std::vector<OwnedExample> result(examples.size());
  threads.for_each(examples.size(), [&](std::size_t i) {
    result[i] = with_noise(examples[i], error_unit(layout, examples[i].landmarks), seed, static_cast<std::uint32_t>(i));
  });
  return result;
}

}  // namespace kinema::face
