#include "face/training/example_batch.h"

#include <fmt/format.h>

namespace kinema::face {
namespace {

std::vector<OwnedExample> drawn(const ExampleStream& stream, std::uint32_t first, std::uint32_t count,
                                const Threads& threads) {
  std::vector<OwnedExample> result(count);
  threads.for_each(count, [&](std::size_t i) { result[i] = stream(first + static_cast<std::uint32_t>(i)); });
  return result;
}

}  // namespace

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
