#include "face/ordered_product.h"

#include <algorithm>

namespace kinema::face {

void ordered_product(const Matrix& matrix, std::span<const float> vector, std::span<float> out) {
  const auto columns = static_cast<int>(matrix.columns);
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    const float* row = matrix.row(r).data();
    float all = 0;
    for (int first = 0; first < columns; first += product_segment) {
      const int count = std::min(product_segment, columns - first), whole = count / product_strands * product_strands;
      const float *a = row + first, *b = vector.data() + first;
      float strands[product_strands] = {};
      for (int i = 0; i < whole; i += product_strands)
        for (int s = 0; s < product_strands; ++s) strands[s] += a[i + s] * b[i + s];
      for (int i = whole; i < count; ++i) strands[i - whole] += a[i] * b[i];
      all += sum_of_strands(strands);
    }
    out[r] = all;
  }
}

}  // namespace kinema::face
