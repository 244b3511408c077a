// What somebody sits on or holds to belongs to no plane and stands within the gate. It stays where it is though the
// tracked skin never comes near it: pixels that do so for a while show furniture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::body {

class Furniture {
public:
  /// The person is searched for anew: what the skin came near is not known.
  void forget() { pixels_.clear(); }

  /// For images of so many pixels.
  void prepare(std::size_t pixels) {
    if (pixels_.size() != pixels) pixels_.assign(pixels, {});
  }

  /// Whether a pixel shows it. `near_skin`: its point is near the expected skin; `slack`: depths that differ by less are
  /// the same. Once per pixel and frame; different pixels from any thread.
  bool look(std::size_t pixel, float depth, float slack, bool near_skin);

private:
  struct Pixel {
    float depth = 0;
    std::uint8_t frames = 0;  // in which it stayed, away from the skin
  };
  std::vector<Pixel> pixels_;
};

}  // namespace kinema::body
