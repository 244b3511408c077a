#include "face/chain/ordered_product.h"

#include <algorithm>

#ifdef KINEMA_HAVE_HIGHWAY
// vectors are stored in arrays, which SVE's sizeless vectors do not allow
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "face/chain/ordered_product.cpp"
#include <hwy/foreach_target.h>
#endif
// after foreach_target
#include "core/simd_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace kinema::face {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;
using Floats = hn::Vec<Lanes>;

// Segments of some rows: each value of the vector is loaded once for all of them. A product is not fused with a sum: the
// device and CPUs without such an instruction give the same bits.
template <std::size_t rows>
HWY_INLINE HWY_ATTR void add_segment(const float* const (&row)[rows], const float* vector, int count,
                                     float (&all)[rows]) {
  const Lanes d;
  constexpr std::size_t lanes = hn::MaxLanes(d), vectors = product_strands / lanes;
  const int whole = count / product_strands * product_strands;
  Floats sum[rows][vectors];
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t s = 0; s < vectors; ++s) sum[r][s] = hn::Zero(d);
  for (int i = 0; i < whole; i += product_strands)
    for (std::size_t s = 0; s < vectors; ++s) {
      const std::size_t at = static_cast<std::size_t>(i) + s * lanes;
      const Floats value = hn::LoadU(d, vector + at);
      for (std::size_t r = 0; r < rows; ++r) sum[r][s] = hn::Add(sum[r][s], hn::Mul(hn::LoadU(d, row[r] + at), value));
    }
  float strands[rows][product_strands];
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t s = 0; s < vectors; ++s) hn::StoreU(sum[r][s], d, strands[r] + s * lanes);
    for (int i = whole; i < count; ++i) strands[r][i - whole] += row[r][i] * vector[i];
  }
  // side by side, since each addition waits for the one before
  float total[rows] = {};
  for (int s = 0; s < product_strands; ++s)
    for (std::size_t r = 0; r < rows; ++r) total[r] += strands[r][s];
  for (std::size_t r = 0; r < rows; ++r) all[r] += total[r];
}

template <std::size_t rows>
HWY_INLINE HWY_ATTR void multiply(const Matrix& matrix, std::size_t first, const float* vector, float* out) {
  const auto columns = static_cast<int>(matrix.columns);
  float all[rows] = {};
  for (int start = 0; start < columns; start += product_segment) {
    const float* row[rows];
    for (std::size_t r = 0; r < rows; ++r) row[r] = matrix.row(first + r).data() + start;
    add_segment<rows>(row, vector + start, std::min(product_segment, columns - start), all);
  }
  std::copy_n(all, rows, out + first);
}

HWY_ATTR void multiply_rows(const Matrix& matrix, std::size_t first, std::size_t last, const float* vector,
                            float* out) {
  constexpr std::size_t abreast = 2;
  for (; first + abreast <= last; first += abreast) multiply<abreast>(matrix, first, vector, out);
  for (; first < last; ++first) multiply<1>(matrix, first, vector, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace kinema::face
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace kinema::face {

HWY_EXPORT(multiply_rows);

void ordered_product(const Matrix& matrix, std::span<const float> vector, std::span<float> out,
                     const Threads* threads) {
  const auto rows = [&](std::size_t first, std::size_t last) {
    HWY_DYNAMIC_DISPATCH(multiply_rows)(matrix, first, last, vector.data(), out.data());
  };
  in_parts(threads, matrix.rows, rows);
}

}  // namespace kinema::face
#endif
