// The steepest-descent images J of the independent model at its current texture, never formed: a mode moves a pixel
// through the three corners around it, so products with J are products with 6 numbers per triangle (3 corners, x and
// y), accumulated at the corners and multiplied with the modes at the end.
#pragma once

#include "face/stages/texture_stack_cpu.h"

#include <Eigen/Dense>

#include <array>
#include <utility>
#include <vector>

namespace kinema::face {

/// Products of J, (4 + shape modes) x values.
struct DescentProducts {
  Eigen::MatrixXd by_self;      ///< J J^T
  Eigen::MatrixXd by_rows;      ///< J [Pg; g0; 1]^T
  Eigen::VectorXd by_residual;  ///< J d
};

class SteepestDescent {
public:
  /// Of a stack whose rows are those of Pg.
  SteepestDescent(const Model& model, const Level& level, const TextureStack& stack);

  /// What one call leaves for the next, so that memory is taken once a fit.
  struct Workspace {
    std::vector<float> texture, run_sums;
    Eigen::MatrixXd by_self, half;  // at the vertices
    Eigen::VectorXd by_residual;
    DescentProducts products;
  };

  /// J at the texture g0 + Pg^T lambda. d = (x - offset) factor - g0 of samples x, in the order of the stack's layout.
  const DescentProducts& products(const Eigen::VectorXd& lambda, std::span<const float> samples, double offset,
                                  double factor, const Threads* threads, Workspace& space) const;

private:
  void slopes(std::span<const float> texture, std::size_t block, float* across, float* down) const;
  void block_sums(std::size_t block, std::span<const float> texture, std::span<const float> samples, float offset,
                  float factor, std::vector<float>& run_sums) const;
  std::size_t run_size() const;
  template <class Add>
  void at_corners(const Add& add) const;
  void multiply_self(Workspace& space) const;
  void multiply_rows(Eigen::Index first, Eigen::Index count, Workspace& space) const;

  const Model& model_;
  const TextureStack& stack_;
  PixelSlopes slopes_;
  std::vector<float> mean_;                                      // g0, in the order of the layout
  std::array<std::vector<float>, 3> barycentric_;                // of each value, in the order of the layout
  Eigen::MatrixXd modes_;                                        // [pose_modes; shape modes]
  Eigen::MatrixXf single_modes_;                                 // the same
  std::vector<std::pair<Eigen::Index, Eigen::Index>> adjacent_;  // coordinates of vertices of one triangle
};

}  // namespace kinema::face
