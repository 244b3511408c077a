#include "bench/face/product/product_bench.h"
#include "core/cuda/device.h"
#include "kinema/error.h"

namespace kinema::bench {

ProductReport measure_products(const std::vector<ProductShape>&, double,
                               const std::function<void(const std::string&)>&) {
  throw Error("products of matrices cannot be timed: " + cuda::why_no_device());
}

}  // namespace kinema::bench
