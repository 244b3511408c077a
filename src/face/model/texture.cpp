#include "face/model/texture.h"

#include "core/reduction.h"
#include "face/model/similarity.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::face {
namespace {

// Sums of 64 neighbours, then pairwise: in a fixed order, and fast.
template <class Term>
double sum_of(std::size_t count, Term term) {
  constexpr std::size_t block = 64;
  std::vector<double> parts((count + block - 1) / block);
  for (std::size_t b = 0; b < parts.size(); ++b) {
    double sum = 0;
    for (std::size_t i = b * block; i < std::min(count, (b + 1) * block); ++i) sum += term(i);
    parts[b] = sum;
  }
  return pairwise_sum(parts.data(), parts.size());
}

double subtract_mean(std::span<float> texture) {
  const auto n = static_cast<double>(texture.size());
  const double mean = sum_of(texture.size(), [&](std::size_t i) { return double{texture[i]}; }) / n;
  for (float& value : texture) value = static_cast<float>(value - mean);
  return std::sqrt(sum_of(texture.size(), [&](std::size_t i) { return double{texture[i]} * texture[i]; }) / n);
}

}  // namespace

TextureSource texture_source(const Level& level, const GreyView& image, const Similarity& pose,
                             const Threads* threads) {
  TextureSource source;
  if (level.resampled) {
    Channels grey;
    resample(image, pose, level.frame, grey, threads);
    texture_features(level.features, grey, source.channels);
    source.to_source = frame_pose(level.frame);
    return source;
  }
  source.channels.width = image.width, source.channels.height = image.height, source.channels.count = 1;
  source.channels.values.reserve(image.width * image.height);
  for (std::size_t v = 0; v < image.height; ++v)
    for (std::size_t u = 0; u < image.width; ++u) source.channels.values.push_back(image.at(u, v));
  source.to_source = pose;
  return source;
}

void sample_texture(const Level& level, std::span<const std::array<std::uint16_t, 3>> triangles, const Channels& from,
                    std::span<const float> shape, std::span<float> texture) {
  const std::size_t channels = from.count;
  const float* weight = level.barycentric.data();
  for (std::size_t i = 0; i < level.pixels(); ++i, weight += 3) {
    const auto& corner = triangles[level.pixel_triangles[i]];
    const float* a = shape.data() + 2 * std::size_t{corner[0]};
    const float* b = shape.data() + 2 * std::size_t{corner[1]};
    const float* c = shape.data() + 2 * std::size_t{corner[2]};
    const float x = weight[0] * a[0] + weight[1] * b[0] + weight[2] * c[0];
    const float y = weight[0] * a[1] + weight[1] * b[1] + weight[2] * c[1];
    sample(from, x, y, texture.data() + i * channels);
  }
}

void normalise_texture(std::span<float> texture, std::span<const float> mean) {
  const double deviation = subtract_mean(texture);
  if (!(deviation > 0)) return std::fill(texture.begin(), texture.end(), 0.0f);
  const double along = sum_of(texture.size(), [&](std::size_t i) { return double{texture[i]} * mean[i]; }) /
                       static_cast<double>(texture.size());
  const double alpha = std::max(along, 0.1 * deviation);
  for (float& value : texture) value = static_cast<float>(value / alpha);
}

bool standardise_texture(std::span<float> texture) {
  const double deviation = subtract_mean(texture);
  if (!(deviation > 0)) return false;
  for (float& value : texture) value = static_cast<float>(value / deviation);
  return true;
}

std::vector<float> sample_texture(const Model& model, std::uint32_t level, const GreyView& image,
                                  std::span<const float> landmarks) {
  if (level >= model.levels.size()) throw Error(fmt::format("level {} of a model with {}", level, model.levels.size()));
  if (landmarks.size() != model.shape.mean.size())
    throw Error(fmt::format("{} landmarks for a model of {}", landmarks.size() / 2, model.shape.landmarks()));
  if (image.width == 0 || image.height == 0 || image.data == nullptr) throw Error("the image has no pixels");
  const Level& at = model.levels[level];
  const Similarity pose = similarity_between<float, float>(model.shape.mean, landmarks);
  if (!(magnification(pose) > 0)) throw Error("the landmarks have no extent");
  const TextureSource source = texture_source(at, image, pose);
  const Similarity to_source = compose(source.to_source, inverse(pose));
  const std::vector<float> shape = transformed<float>(to_source, landmarks);
  std::vector<float> texture(at.pixels() * at.channel_count());
  sample_texture(at, model.triangles, source.channels, shape, texture);
  if (at.photometric) normalise_texture(texture, at.mean);
  return texture;
}

}  // namespace kinema::face
