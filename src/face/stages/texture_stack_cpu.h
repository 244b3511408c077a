// The hot loop of the cpu backend: samples textures at several shapes and multiplies them with the rows that a stage
// needs, in one pass over those rows. Neither these textures nor the model's are stored as a whole.
#pragma once

#include "core/threads.h"
#include "face/model/texture_layout.h"
#include "face/model/texture_sampling.h"
#include "face/model/texture_sums.h"

#include <Eigen/Dense>

#include <span>
#include <vector>

namespace kinema::face {

class TextureStack {
public:
  /// The rows of these matrices of the level, stacked, then g0 and 1. The model must outlive this.
  TextureStack(const Model& model, const Level& level, std::span<const Matrix* const> parts);

  const TextureLayout& layout() const { return layout_; }
  const StackProducts& products() const { return products_; }
  const RowStack& rows() const { return rows_; }

  /// A B^T of the rows A without g0 and 1, and those of another matrix of the level.
  Eigen::MatrixXd times(const Matrix& other, const Threads& threads) const;

  /// Textures at shapes in pixels of the image, as far as a fit needs them. Divided among the threads, if any are
  /// given; the result does not depend on them. `texture`: receives the samples of the first one unless null, in the
  /// order of the layout and with whole tiles.
  std::vector<NormalisedSums> sample(const TextureImage& image, std::span<const std::vector<float>> shapes,
                                     const Threads* threads, float* texture = nullptr) const;

private:
  const Model* model_;
  std::vector<const Matrix*> parts_;
  TextureLayout layout_;
  StackProducts products_;
  RowStack rows_;
};

}  // namespace kinema::face
