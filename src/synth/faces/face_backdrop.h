// The background of a synthetic face: walls, rooms, foliage, lights out of focus, stripes.
#pragma once

#include "synth/texture.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kinema::synth {

class FaceBackdrop {
public:
  /// A different backdrop for each number.
  explicit FaceBackdrop(std::uint32_t number);

  /// The colour at a position in the picture, whose longer side is 1.
  Colour at(double x, double y) const;

private:
  enum class Kind : std::uint8_t { wall, clouds, shelf, lights, room, check };
  struct Disc {
    double x, y, radius;
    Colour colour;
  };

  Kind kind_;
  std::uint32_t number_;
  std::array<Colour, 4> colours_;
  double angle_, size_;
  std::vector<Disc> discs_;
};

}  // namespace kinema::synth
