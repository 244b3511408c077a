// Strips of a plane by the dot products of Armv8.6 (usdot and udot), which Highway does not offer. A number q of 16 bits is
// 256 h + l: four pixels cost one shuffle, the product with h, a shift, the product with l, two clamps and two additions,
// 32 instructions for 16 pixels where shuffles and products of 32 bits take 44.
//
// Compiled for such a CPU: nothing that other sources share may be made here, so it includes next to nothing.
#include "head/plane_strip.h"

#include <arm_neon.h>
#include <sys/auxv.h>

namespace kinema::head {
namespace {

constexpr std::size_t tile = 16, groups = 4;
constexpr std::size_t chunk = 16 * tile;  // columns: 64 sums of up to 2^25 a lane fit 32 bits
constexpr std::size_t ahead = 768;        // bytes of a row that are fetched before they are needed

template <std::size_t pixel_bytes>
struct Lanes {
  uint8x16_t first, last;  // where the bytes of four pixels are; the last four are loaded by their end
  int8x16_t high;          // of q
  uint8x16_t low;
  int32x4_t zero, one;  // q.c at which the weight is 0, and full

  explicit Lanes(const PlaneOfBytes& plane) : zero(vdupq_n_s32(-plane.d)), one(vdupq_n_s32(plane.one - plane.d)) {
    std::uint8_t from[16], from_end[16], l[16];
    std::int8_t h[16];
    for (std::size_t i = 0; i < 16; ++i) {
      const std::size_t c = i % 4;
      const std::int32_t q = c < 3 ? plane.q[c] : 0;
      h[i] = static_cast<std::int8_t>(q >> 8);
      l[i] = static_cast<std::uint8_t>(q & 255);
      from[i] = static_cast<std::uint8_t>(pixel_bytes * (i / 4) + c);
      from_end[i] = static_cast<std::uint8_t>(from[i] + 16 - 4 * pixel_bytes);
    }
    for (std::size_t i = 3; i < 16; i += 4) from[i] = from_end[i] = 255;  // nothing
    first = vld1q_u8(from);
    last = vld1q_u8(from_end);
    high = vld1q_s8(h);
    low = vld1q_u8(l);
  }

  // The weights of group g of the 16 pixels at p, each less d.
  __attribute__((always_inline)) int32x4_t weights(const std::uint8_t* p, std::size_t g) const {
    uint8x16_t bytes;
    if constexpr (pixel_bytes == 3) {
      const bool end = g + 1 == groups;
      bytes = vqtbl1q_u8(vld1q_u8(p + (end ? 32 : 12 * g)), end ? last : first);
    } else {
      bytes = vld1q_u8(p + 16 * g);
    }
    const int32x4_t coarse = vshlq_n_s32(vusdotq_s32(vdupq_n_s32(0), bytes, high), 8);
    const int32x4_t sum = vreinterpretq_s32_u32(vdotq_u32(vreinterpretq_u32_s32(coarse), bytes, low));
    return vminq_s32(vmaxq_s32(sum, zero), one);
  }
};

template <std::size_t pixel_bytes>
void add_strip(const PlaneOfBytes& plane, const std::uint8_t* data, std::size_t stride, std::size_t width,
               std::uint32_t* columns, std::uint64_t* rows) {
  const Lanes<pixel_bytes> lanes(plane);
  const int32x4_t empty = vdupq_n_s32(static_cast<std::int32_t>(strip_height) * plane.d);  // weights come less d
  for (std::size_t begin = 0; begin < width; begin += chunk) {
    const std::size_t end = begin + chunk < width ? begin + chunk : width;
    int32x4_t row[strip_height];
    for (int32x4_t& sum : row) sum = vdupq_n_s32(0);
    for (std::size_t x = begin; x < end; x += tile) {
      int32x4_t column[groups];
      for (int32x4_t& sum : column) sum = empty;
      for (std::size_t r = 0; r < strip_height; ++r) {
        const std::uint8_t* p = data + r * stride + pixel_bytes * x;
        __builtin_prefetch(p + ahead);
        for (std::size_t g = 0; g < groups; ++g) {
          const int32x4_t w = lanes.weights(p, g);
          column[g] = vaddq_s32(column[g], w);
          row[r] = vaddq_s32(row[r], w);
        }
      }
      for (std::size_t g = 0; g < groups; ++g) {
        std::uint32_t* at = columns + x + 4 * g;
        vst1q_u32(at, vaddq_u32(vld1q_u32(at), vreinterpretq_u32_s32(column[g])));
      }
    }
    const std::int64_t less = static_cast<std::int64_t>(end - begin) * plane.d;
    for (std::size_t r = 0; r < strip_height; ++r) rows[r] += static_cast<std::uint64_t>(vaddlvq_s32(row[r]) + less);
  }
}

}  // namespace

bool plane_strips_work() {
  constexpr unsigned long dot_products = 1ul << 20;    // HWCAP_ASIMDDP
  constexpr unsigned long mixed_products = 1ul << 13;  // HWCAP2_I8MM
  static const bool work = (getauxval(AT_HWCAP) & dot_products) != 0 && (getauxval(AT_HWCAP2) & mixed_products) != 0;
  return work;
}

void add_plane_strip(const PlaneOfBytes& plane, const std::uint8_t* data, std::size_t stride, std::size_t pixel_bytes,
                     std::size_t width, std::uint32_t* columns, std::uint64_t* rows) {
  if (pixel_bytes == 3)
    add_strip<3>(plane, data, stride, width, columns, rows);
  else
    add_strip<4>(plane, data, stride, width, columns, rows);
}

}  // namespace kinema::head
