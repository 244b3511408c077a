// cuBLAS's matrix–vector product, which ours is measured against. Its library is loaded when it is needed, so that the command
// starts without it.
#pragma once

#include <cuda_runtime.h>

#include <memory>
#include <string>

namespace kinema::bench {

class Sgemv {
public:
  virtual ~Sgemv() = default;

  /// y = A x, A row by row. May be recorded.
  virtual void launch(int rows, int columns, const float* matrix, const float* vector, float* result,
                      cudaStream_t stream) = 0;
  virtual std::string version() const = 0;
};

/// Null if cuBLAS is not installed.
std::unique_ptr<Sgemv> make_sgemv();

}  // namespace kinema::bench
