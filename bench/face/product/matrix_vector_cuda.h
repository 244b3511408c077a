// y = A x in single precision, A row by row, with a layout chosen for its shape. Sums are in a fixed order: a layout gives
// the same bits every time, another layout others.
#pragma once

#include "bench/face/product/layout_file.h"
#include "bench/face/product/matrix_vector_layout.h"
#include "core/cuda/buffer.h"

#include <cstddef>

namespace kinema::cuda {

/// The GPU that this thread uses.
MatrixVectorDevice matrix_vector_device();

/// All on the device.
struct MatrixVectorOperands {
  const float* matrix;  ///< rows x columns
  const float* vector;  ///< columns
  float* result;        ///< rows

  /// Null, or which of several vectors is taken, where they lie one after the other from `vector` on: for a choice that an
  /// earlier kernel makes.
  const int* chosen = nullptr;
};

/// The product of one shape. Its launches share memory for partial sums: those that may overlap need one object each.
class MatrixVector {
public:
  /// Throws Error for a layout that this device cannot run.
  MatrixVector(int rows, int columns, const MatrixVectorLayout& layout);

  /// On a stream, which may be recording a graph.
  void launch(const MatrixVectorOperands& operands, cudaStream_t stream) const;

  int rows() const { return rows_; }
  int columns() const { return columns_; }
  const MatrixVectorLayout& layout() const { return layout_; }

private:
  int rows_, columns_;
  MatrixVectorLayout layout_;
  Buffer<float> partial_;     // rows x parts
  Buffer<unsigned> arrived_;  // blocks of each group of rows; 0 between launches
};

/// The layout in the file, or the fastest of all candidates by measurement, which is then kept there. A measurement
/// multiplies by `operands` hundreds of times; their product is left in the result in any case.
MatrixVectorLayout tuned_layout(int rows, int columns, const MatrixVectorOperands& operands, const LayoutFile& file);

}  // namespace kinema::cuda
