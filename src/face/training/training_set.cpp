#include "face/training/training_set.h"

#include "core/random.h"
#include "face/model/similarity.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::face {
namespace {

std::string name_of(const Example& example, std::size_t i) {
  return example.name.empty() ? fmt::format("example {}", i) : example.name;
}

void check_example(const Example& example, std::size_t i, std::size_t landmarks) {
  const std::string name = name_of(example, i);
  const GreyView& image = example.image;
  if (image.data == nullptr || image.width == 0 || image.height == 0)
    throw Error(fmt::format("{}: the image has no pixels", name));
  if (image.stride < image.width)
    throw Error(fmt::format("{}: a stride of {} for rows of {} pixels", name, image.stride, image.width));
  if (example.landmarks.size() % 2 != 0)
    throw Error(fmt::format("{}: {} coordinates; a landmark has two", name, example.landmarks.size()));
  if (example.landmarks.size() != landmarks)
    throw Error(fmt::format("{}: {} landmarks, but the first example has {}; label all alike", name,
                            example.landmarks.size() / 2, landmarks / 2));
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
  const std::size_t points = landmarks / 2;
  const auto n = static_cast<double>(points);
  for (std::size_t k = 0; k < landmarks; k += 2) {
    const double u = example.landmarks[k], v = example.landmarks[k + 1];
    if (!std::isfinite(u) || !std::isfinite(v)) throw Error(fmt::format("{}: landmark {} is not finite", name, k / 2));
    // beyond this the face cannot be in the image, and numbers lose their precision
    const double most = 10.0 * static_cast<double>(std::max(image.width, image.height)) + 1000;
    if (std::abs(u) > most || std::abs(v) > most)
      throw Error(fmt::format("{}: landmark {} at ({}, {}) is far outside the image of {} x {} pixels", name, k / 2, u,
                              v, image.width, image.height));
    x += u, y += v;
  }
  x /= n, y /= n;
  for (std::size_t k = 0; k < landmarks; k += 2) {
    const double u = example.landmarks[k] - x, v = example.landmarks[k + 1] - y;
    xx += u * u, xy += u * v, yy += v * v;
  }
  // the thickness of the shape across its best-fitting line, over its length
  const double half = (xx + yy) / 2, root = std::hypot((xx - yy) / 2, xy);
  if (!(half + root > 1e-6 * n))
    throw Error(fmt::format("{}: all landmarks lie at one place; label points of a face", name));
  if (half - root < 1e-6 * (half + root))
    throw Error(fmt::format("{}: all landmarks lie on one line; label points that span a face", name));
}

std::vector<OwnedExample> drawn(const ExampleStream& stream, std::uint32_t first, std::uint32_t count,
                                const Threads& threads) {
  std::vector<OwnedExample> result(count);
  threads.for_each(count, [&](std::size_t i) { result[i] = stream(first + static_cast<std::uint32_t>(i)); });
  return result;
}

}  // namespace

TrainingSet::TrainingSet(std::span<const Example> examples, const Layout& layout, bool mirrored)
    : originals_(examples.size()) {
  if (examples.size() < 3) throw Error(fmt::format("{} labelled images; a model needs at least 3", examples.size()));
  const std::size_t size = examples.front().landmarks.size();
  if (size < 6)
    throw Error(fmt::format("{}: {} landmarks; a model needs at least 3", name_of(examples[0], 0), size / 2));
  if (size > 2 * 4096)
    throw Error(fmt::format("{}: {} landmarks; a model has at most 4096", name_of(examples[0], 0), size / 2));
  for (std::size_t i = 0; i < examples.size(); ++i) check_example(examples[i], i, size);
  if (mirrored && layout.mirror.size() != size / 2)
    throw Error(fmt::format("mirrored copies need the mirror of each of the {} landmarks; the layout names {}",
                            size / 2, layout.mirror.size()));
  for (const Example& example : examples) {
    images_.push_back(example.image);
    shapes_.push_back(example.landmarks);
  }
  if (!mirrored) return;
  for (const Example& example : examples) {
    const GreyView& from = example.image;
    mirrored_.push_back(mirror_image(from));
    images_.push_back({mirrored_.back().data(), from.width, from.height, from.width});
    shapes_.push_back(mirror_landmarks(example.landmarks, from.width, layout));
  }
}

std::vector<std::uint8_t> mirror_image(const GreyView& image) {
  std::vector<std::uint8_t> result(image.width * image.height);
  for (std::size_t y = 0; y < image.height; ++y)
    for (std::size_t x = 0; x < image.width; ++x) result[y * image.width + x] = image.at(image.width - 1 - x, y);
  return result;
}

std::vector<float> mirror_landmarks(std::span<const float> landmarks, std::size_t width, const Layout& layout) {
  std::vector<float> result(landmarks.size());
  for (std::size_t k = 0; k < landmarks.size() / 2; ++k) {
    const auto other = static_cast<std::size_t>(layout.mirror[k]);
    result[2 * k] = static_cast<float>(width - 1) - landmarks[2 * other];
    result[2 * k + 1] = landmarks[2 * other + 1];
  }
  return result;
}

Similarity displaced_pose(const Similarity& pose, std::span<const float> landmarks, const Displacement& by,
                          std::uint64_t seed, std::uint32_t example, std::uint32_t number) {
  const Random random{seed, number, example};
  float left = landmarks[0], right = left, top = landmarks[1], bottom = top;
  for (std::size_t i = 0; i + 1 < landmarks.size(); i += 2) {
    left = std::min(left, landmarks[i]), right = std::max(right, landmarks[i]);
    top = std::min(top, landmarks[i + 1]), bottom = std::max(bottom, landmarks[i + 1]);
  }
  const double size = std::sqrt(std::max(1e-12, double{right - left} * double{bottom - top}));
  const double scale = std::exp(by.scale * random.normal(0)), turn = by.turn * random.normal(1);
  // rotated and scaled about the face's own centre, then shifted
  Similarity result = compose(pose, {scale * std::cos(turn), scale * std::sin(turn), 0, 0});
  result.tx += by.shift * size * random.normal(2);
  result.ty += by.shift * size * random.normal(3);
  return result;
}

double error_unit(const Layout& layout, std::span<const float> landmarks) {
  const auto [a, b] = layout.outer_eyes;
  const std::size_t n = landmarks.size() / 2;
  if (a >= 0 && b >= 0 && static_cast<std::size_t>(std::max(a, b)) < n) {
    const auto i = static_cast<std::size_t>(a) * 2, j = static_cast<std::size_t>(b) * 2;
    const double distance = std::hypot(landmarks[i] - landmarks[j], landmarks[i + 1] - landmarks[j + 1]);
    if (distance > 0) return distance;
  }
  // without eyes: the root mean square distance from the centroid, which is close to it
  double x = 0, y = 0, square = 0;
  for (std::size_t i = 0; i < n; ++i) x += landmarks[2 * i], y += landmarks[2 * i + 1];
  x /= static_cast<double>(n), y /= static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i)
    square += (landmarks[2 * i] - x) * (landmarks[2 * i] - x) + (landmarks[2 * i + 1] - y) * (landmarks[2 * i + 1] - y);
  return std::sqrt(square / static_cast<double>(n));
}

std::vector<Example> views_of(std::span<const OwnedExample> owned, std::uint32_t first) {
  std::vector<Example> result;
  result.reserve(owned.size());
  for (const OwnedExample& one : owned)
    result.push_back({{one.pixels.data(), one.width, one.height, one.width},
                      one.landmarks,
                      fmt::format("example {}", first + result.size())});
  return result;
}

ExampleBatch::ExampleBatch(const ExampleStream& stream, std::uint32_t first, std::uint32_t count, const Layout& layout,
                           bool mirrored, const Threads& threads)
    : owned(drawn(stream, first, count, threads)), examples(views_of(owned, first)), set(examples, layout, mirrored) {}

}  // namespace kinema::face
