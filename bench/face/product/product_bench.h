// The matrix–vector product of bench/face/product/matrix_vector_cuda.h against cuBLAS's SGEMV, over the shapes of the face. Part of `kinema
// bench face`.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kinema::bench {

struct ProductShape {
  std::string what;  ///< where the face needs it, or "memory": beyond the L2 cache
  int rows = 0, columns = 0;
};

struct ProductRow {
  ProductShape shape;
  std::string layout;              ///< ours
  double us = 0;                   ///< of one product among others, on the device
  std::optional<double> sgemv_us;  ///< cuBLAS's
  std::optional<double> ratio;     ///< sgemv_us over us
  double bytes_per_second = 0;     ///< of matrix, vector and result
  double copy_share = 0;           ///< of the bandwidth of a copy
  double difference = 0;           ///< farthest of the two results, over the largest value
};

struct ProductReport {
  std::string cublas;                ///< version; "": not installed
  double copy_bytes_per_second = 0;  ///< read and written by a copy within the device's memory
  double launch_us = 0;              ///< of an empty kernel among others: no product is faster
  std::vector<ProductRow> rows;

  std::optional<double> mean_ratio() const;  ///< geometric, of those within the cache
  std::optional<double> least_ratio() const;
  std::optional<double> least_copy_share() const;  ///< of those beyond the cache
};

/// R r of the sixteen models of the paper, the cascade and the texture of a model with the default settings, and four that no
/// cache holds. `quick`: a few of each.
std::vector<ProductShape> product_shapes(bool quick);

/// Where a layout has been kept for a shape, it is not measured again. `progress` as in measure_face(). Throws Error without a
/// GPU.
ProductReport measure_products(const std::vector<ProductShape>& shapes, double seconds,
                               const std::function<void(const std::string&)>& progress = {});

}  // namespace kinema::bench
