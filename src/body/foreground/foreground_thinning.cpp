#include "body/foreground/foreground_thinning.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace kinema::body {
namespace {

// The place nearest to the centre of each occupied cell: a hash table with open addressing.
class Cells {
public:
  explicit Cells(std::span<const Vec3f> places)
      : places_(places), slots_(std::bit_ceil(std::max<std::size_t>(2 * places.size(), 64))) {}

  // Fills the table for cells of this size; returns the number of occupied cells.
  std::size_t fill(Vec3f low, float cell) {
    std::fill(slots_.begin(), slots_.end(), Slot{});
    const float scale = 1 / cell;
    const std::size_t mask = slots_.size() - 1;
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < places_.size(); ++i) {
      const float x = (places_[i].x - low.x) * scale, y = (places_[i].y - low.y) * scale,
                  z = (places_[i].z - low.z) * scale;
      const auto kx = static_cast<std::uint64_t>(x), ky = static_cast<std::uint64_t>(y),
                 kz = static_cast<std::uint64_t>(z);
      const std::uint64_t key = (((kz << 20) | ky) << 20 | kx) + 1;
      const float dx = x - static_cast<float>(kx) - 0.5f, dy = y - static_cast<float>(ky) - 0.5f,
                  dz = z - static_cast<float>(kz) - 0.5f;
      const float off = dx * dx + dy * dy + dz * dz;
      std::size_t at = (key * 0x9E3779B97F4A7C15u >> 32) & mask;
      while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) & mask;
      Slot& slot = slots_[at];
      if (slot.key == 0) {
        slot = {key, off, i};
        ++count;
      } else if (off < slot.off) {
        slot.off = off;
        slot.place = i;
      }
    }
    return count;
  }

  std::vector<std::uint32_t> chosen() const {
    std::vector<std::uint32_t> places;
    for (const Slot& slot : slots_)
      if (slot.key != 0) places.push_back(slot.place);
    std::sort(places.begin(), places.end());
    return places;
  }

private:
  struct Slot {
    std::uint64_t key = 0;  // 0: empty
    float off = 0;
    std::uint32_t place = 0;
  };
  std::span<const Vec3f> places_;
  std::vector<Slot> slots_;
};

}  // namespace

std::vector<std::uint32_t> thin_evenly(std::span<const Vec3f> places, std::size_t most) {
  std::vector<std::uint32_t> all(places.size());
  std::iota(all.begin(), all.end(), 0u);
  if (most == 0 || places.size() <= most) return all;

  Vec3f low = places[0], high = places[0];
  for (const Vec3f& p : places) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const Vec3f size = high - low;
  const float longest = std::max({size.x, size.y, size.z});
  if (!(longest > 0)) return {0};

  // On a surface the number of cells is quadratic in their fineness, which leads near the wanted number in two or three
  // steps. The excess is then dropped evenly.
  const float finest = longest / 1000000;  // 20 bits per axis
  const float faces = size.x * size.y + size.y * size.z + size.z * size.x;
  const auto wanted = static_cast<float>(most);
  float cell = std::max(0.6f * std::sqrt(faces / wanted), finest);
  Cells cells(places);
  for (int i = 0; i < 10; ++i) {
    const float ratio = static_cast<float>(cells.fill(low, cell)) / wanted;
    if (ratio > 0.93f && ratio < 1.1f) break;
    cell = std::max(cell * std::clamp(std::sqrt(ratio / 1.02f), 0.4f, 2.5f), finest);
  }
  std::vector<std::uint32_t> chosen = cells.chosen();
  if (chosen.size() > most) {
    std::vector<std::uint32_t> fewer(most);
    for (std::size_t i = 0; i < most; ++i) fewer[i] = chosen[i * chosen.size() / most];
    return fewer;
  }
  return chosen;
}

}  // namespace kinema::body
