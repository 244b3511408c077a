// Strips of a plane by the dot products of Armv8.6 (usdot and udot), which Highway does not offer. A 16-bit number q is
// 256 h + l: four pixels cost one shuffle, the product with h, a shift, the product with l, two clamps and two
// additions, 32 instructions for 16 pixels where shuffles and 32-bit products take 44. To test that a tile has no
// weight takes one product with 8-bit numbers: 12 instructions, which is less than loading its bytes from memory.
//
// Compiled for such a CPU: nothing shared with other sources may be instantiated here, so it includes next to nothing.
#include "head/moments/plane_strip.h"

#include <arm_neon.h>
#include <sys/auxv.h>

#define KINEMA_INLINE __attribute__((always_inline)) inline

namespace kinema::head {
namespace {

constexpr std::size_t tile = 16, groups = 4;
constexpr std::size_t chunk = 16 * tile;  // columns: 64 sums of up to 2^25 a lane fit 32 bits
constexpr std::size_t ahead = 768;        // prefetch distance in bytes of a row

// If less than half of a chunk's tiles are empty or full, testing costs more than it saves (a frame of noise), and the
// chunks below are not tested for this many strips. Columns of a very wide frame share this state.
constexpr std::uint8_t strips_unlooked = 15;
constexpr std::size_t remembered = 64;

template <std::size_t pixel_bytes>
struct Lanes {
  uint8x16_t first, last;  // indices of the bytes of four pixels; the last four are loaded by their end
  int8x16_t high;          // of q
  uint8x16_t low;
  int32x4_t zero, one;  // q.c at which the weight is 0, and full
  int8x16_t outline;    // b, and the b.c up to which a pixel is empty, and from which it is full
  std::int32_t empty, full;

  explicit Lanes(const PlaneOfBytes& plane)
      : zero(vdupq_n_s32(-plane.d)),
        one(vdupq_n_s32(plane.one - plane.d)),
        empty(plane.outline.empty),
        full(plane.outline.full) {
    std::uint8_t from[16], from_end[16], l[16];
    std::int8_t h[16], b[16];
    for (std::size_t i = 0; i < 16; ++i) {
      const std::size_t c = i % 4;
      const std::int32_t q = c < 3 ? plane.q[c] : 0;
      h[i] = static_cast<std::int8_t>(q >> 8);
      l[i] = static_cast<std::uint8_t>(q & 255);
      b[i] = static_cast<std::int8_t>(c < 3 ? plane.outline.b[c] : 0);
      from[i] = static_cast<std::uint8_t>(pixel_bytes * (i / 4) + c);
      from_end[i] = static_cast<std::uint8_t>(from[i] + 16 - 4 * pixel_bytes);
    }
    for (std::size_t i = 3; i < 16; i += 4) from[i] = from_end[i] = 255;  // nothing
    first = vld1q_u8(from);
    last = vld1q_u8(from_end);
    high = vld1q_s8(h);
    low = vld1q_u8(l);
    outline = vld1q_s8(b);
  }

  // Group g of the 16 pixels at p, four bytes each.
  KINEMA_INLINE uint8x16_t pixels(const std::uint8_t* p, std::size_t g) const {
    if constexpr (pixel_bytes == 4) return vld1q_u8(p + 16 * g);
    const bool end = g + 1 == groups;
    return vqtbl1q_u8(vld1q_u8(p + (end ? 32 : 12 * g)), end ? last : first);
  }

  // Their weights, each minus d.
  KINEMA_INLINE int32x4_t weights(const std::uint8_t* p, std::size_t g) const {
    const uint8x16_t bytes = pixels(p, g);
    // not vdupq_n_s32(0), which compilers copy from a register: that displaces a sum, and this does not
    int32x4_t nothing;
    asm("movi %0.4s, #0" : "=w"(nothing) : "w"(bytes));
    const int32x4_t coarse = vshlq_n_s32(vusdotq_s32(nothing, bytes, high), 8);
    const int32x4_t sum = vreinterpretq_s32_u32(vdotq_u32(vreinterpretq_u32_s32(coarse), bytes, low));
    return vminq_s32(vmaxq_s32(sum, zero), one);
  }

  // Whether all pixels of a tile are empty, or all are full; four pixels are tested for the latter first.
  KINEMA_INLINE bool is_empty(const std::uint8_t* p, std::size_t stride) const {
    const auto larger = [](int32x4_t a, int32x4_t b) { return vmaxq_s32(a, b); };
    return vmaxvq_s32(over_tile(p, stride, larger)) <= empty;
  }
  KINEMA_INLINE bool is_full(const std::uint8_t* p, std::size_t stride) const {
    const auto smaller = [](int32x4_t a, int32x4_t b) { return vminq_s32(a, b); };
    return vminvq_s32(outline_sums(p, 0)) >= full && vminvq_s32(over_tile(p, stride, smaller)) >= full;
  }

private:
  // b.c of a group.
  KINEMA_INLINE int32x4_t outline_sums(const std::uint8_t* p, std::size_t g) const {
    int32x4_t nothing;  // as above; volatile keeps the groups in order, which compilers would spread too far
    asm volatile("movi %0.4s, #0" : "=w"(nothing));
    return vusdotq_s32(nothing, pixels(p, g), outline);
  }
  template <class Pick>
  KINEMA_INLINE int32x4_t over_tile(const std::uint8_t* p, std::size_t stride, Pick pick) const {
    int32x4_t row[strip_height];
    for (std::size_t r = 0; r < strip_height; ++r) {
      int32x4_t group[groups];
      for (std::size_t g = 0; g < groups; ++g) group[g] = outline_sums(p + r * stride, g);
      row[r] = pick(pick(group[0], group[1]), pick(group[2], group[3]));
    }
    return pick(pick(row[0], row[1]), pick(row[2], row[3]));
  }
};

KINEMA_INLINE void add_to(std::uint32_t* columns, const int32x4_t sums[groups]) {
  for (std::size_t g = 0; g < groups; ++g)
    vst1q_u32(columns + 4 * g, vaddq_u32(vld1q_u32(columns + 4 * g), vreinterpretq_u32_s32(sums[g])));
}

// Adds a chunk of a strip, and returns how many of its tiles were empty or full.
template <std::size_t pixel_bytes, bool look>
KINEMA_INLINE std::size_t add_chunk(const Lanes<pixel_bytes>& lanes, const PlaneOfBytes& plane,
                                    const std::uint8_t* data, std::size_t stride, std::size_t width,
                                    std::uint32_t* columns, std::uint64_t* rows) {
  constexpr auto height = static_cast<std::int32_t>(strip_height);
  const int32x4_t less = vdupq_n_s32(height * plane.d), all = vdupq_n_s32(height * plane.one);
  int32x4_t row[strip_height];
  for (int32x4_t& sum : row) sum = vdupq_n_s32(0);
  std::size_t empty = 0, full = 0;
  for (std::size_t x = 0; x < width; x += tile) {
    const std::uint8_t* p = data + pixel_bytes * x;
    for (std::size_t r = 0; r < strip_height; ++r) __builtin_prefetch(p + r * stride + ahead);
    if (look && lanes.is_empty(p, stride)) {
      ++empty;
      continue;
    }
    if (look && lanes.is_full(p, stride)) {
      ++full;
      const int32x4_t column[groups] = {all, all, all, all};
      add_to(columns + x, column);
      continue;
    }
    int32x4_t column[groups] = {less, less, less, less};
    for (std::size_t r = 0; r < strip_height; ++r)
      for (std::size_t g = 0; g < groups; ++g) {
        const int32x4_t w = lanes.weights(p + r * stride, g);
        column[g] = vaddq_s32(column[g], w);
        row[r] = vaddq_s32(row[r], w);
      }
    add_to(columns + x, column);
  }
  const std::int64_t rest = static_cast<std::int64_t>(tile * full) * plane.one +
                            static_cast<std::int64_t>(width - tile * (empty + full)) * plane.d;
  for (std::size_t r = 0; r < strip_height; ++r) rows[r] += static_cast<std::uint64_t>(vaddlvq_s32(row[r]) + rest);
  return empty + full;
}

template <std::size_t pixel_bytes>
void add_strips(const PlaneOfBytes& plane, const std::uint8_t* data, std::size_t stride, std::size_t width,
                std::size_t height, std::uint32_t* columns, std::uint64_t* rows) {
  const Lanes<pixel_bytes> lanes(plane);
  std::uint8_t unlooked[remembered] = {};  // strips for which a chunk is not yet tested again
  for (std::size_t y = 0; y < height; y += strip_height)
    for (std::size_t begin = 0; begin < width; begin += chunk) {
      const std::size_t count = begin + chunk < width ? chunk : width - begin;
      const std::uint8_t* p = data + y * stride + pixel_bytes * begin;
      std::uint8_t& left = unlooked[begin / chunk % remembered];
      if (left > 0) {
        add_chunk<pixel_bytes, false>(lanes, plane, p, stride, count, columns + begin, rows + y);
        --left;
      } else if (2 * tile * add_chunk<pixel_bytes, true>(lanes, plane, p, stride, count, columns + begin, rows + y) <
                 count) {
        left = strips_unlooked;
      }
    }
}

}  // namespace

bool plane_strips_work() {
  constexpr unsigned long dot_products = 1ul << 20;    // HWCAP_ASIMDDP
  constexpr unsigned long mixed_products = 1ul << 13;  // HWCAP2_I8MM
  static const bool work = (getauxval(AT_HWCAP) & dot_products) != 0 && (getauxval(AT_HWCAP2) & mixed_products) != 0;
  return work;
}

void add_plane_strips(const PlaneOfBytes& plane, const std::uint8_t* data, std::size_t stride, std::size_t pixel_bytes,
                      std::size_t width, std::size_t height, std::uint32_t* columns, std::uint64_t* rows) {
  if (pixel_bytes == 3)
    add_strips<3>(plane, data, stride, width, height, columns, rows);
  else
    add_strips<4>(plane, data, stride, width, height, columns, rows);
}

}  // namespace kinema::head
