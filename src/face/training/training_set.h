// The examples of a training, with their mirrored copies, and starts displaced at random.
#pragma once

#include "core/threads.h"
#include "kinema/face.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kinema::face {

/// Examples and their mirrored copies, which share the fold of their original.
class TrainingSet {
public:
  /// Throws Error, naming the example, if one is invalid.
  TrainingSet(std::span<const Example> examples, const Layout& layout, bool mirrored);

  std::size_t size() const { return images_.size(); }
  const GreyView& image(std::size_t i) const { return images_[i]; }
  std::span<const float> landmarks(std::size_t i) const { return shapes_[i]; }
  std::span<const std::vector<float>> shapes() const { return shapes_; }
  std::size_t original(std::size_t i) const { return i % originals_; }

private:
  std::size_t originals_ = 0;
  std::vector<GreyView> images_;
  std::vector<std::vector<std::uint8_t>> mirrored_;
  std::vector<std::vector<float>> shapes_;
};

/// Left and right exchanged. The layout must know the mirror of each landmark.
std::vector<std::uint8_t> mirror_image(const GreyView& image);
std::vector<float> mirror_landmarks(std::span<const float> landmarks, std::size_t width, const Layout& layout);

/// Displacement of starts, as standard deviations: relative to sqrt(width height) of the landmarks' box, of the scale's
/// logarithm, in radians.
struct Displacement {
  double shift = 0, scale = 0, turn = 0;
};

/// The pose of a shape, displaced; `number` selects one of several displacements of an example.
Similarity displaced_pose(const Similarity& pose, std::span<const float> landmarks, const Displacement& by,
                          std::uint64_t seed, std::uint32_t example, std::uint32_t number);

/// The distance that normalises errors.
double error_unit(const Layout& layout, std::span<const float> landmarks);

/// Examples that view these, named by their number from `first`.
std::vector<Example> views_of(std::span<const OwnedExample> owned, std::uint32_t first = 0);

/// A few examples of a stream, in memory together with their mirror images.
struct ExampleBatch {
  /// Examples first, first + 1, ...
  ExampleBatch(const ExampleStream& stream, std::uint32_t first, std::uint32_t count, const Layout& layout,
               bool mirrored, const Threads& threads);

  std::vector<OwnedExample> owned;
  std::vector<Example> examples;  ///< views of them
  TrainingSet set;
};

/// Copies of the examples with noise of several scales, the same for one seed and number: what no model of drawn faces
/// explains, as the skin, hair and light of photographs.
std::vector<OwnedExample> with_noise(std::span<const Example> examples, const Layout& layout, std::uint64_t seed,
                                     const Threads& threads);

}  // namespace kinema::face
