// The head's pattern of light and dark: a correlation filter over edges, learned while the head is followed. Colours say
// what is head; the pattern says where it is when something else has its colours, or when the light changes them.
//
// Bolme et al. (2010) and Danelljan et al. (2014): the filter whose response to the patches seen so far comes nearest, in
// least squares, to a narrow bell at the head's centre. In the frequency domain that is a division.
#pragma once

#include "kinema/head_calibration.h"
#include "kinema/image.h"

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::head {

/// Light and dark about an oval, as HeadReference keeps it. What lies outside the frame is like its border.
using Patch = std::vector<std::uint8_t>;
Patch patch_of(const ColourView& frame, const Oval& about);

class Pattern {
public:
  static constexpr double reach = 2;  ///< radii of the head from a patch's centre to its sides
  static constexpr std::size_t samples = head_patch_side;
  static constexpr std::size_t cells = samples / 2;  ///< along each side of a patch, in which edges are counted

  struct Match {
    double x = 0, y = 0;  ///< the head's centre, pixels
    double response = 0;  ///< about 1 for what was learned, 0 for anything else
  };

  bool known() const { return !start_.empty(); }

  /// Takes a head as the start, which stays a part of the filter.
  void start(const Patch& patch);

  /// Adds a frame: `rate` of what is known is then new.
  void learn(const ColourView& frame, const Oval& head, double rate);

  /// Where about an oval the pattern is, up to about a radius away.
  Match find(const ColourView& frame, const Oval& about) const;

private:
  static constexpr std::size_t directions = 8, channels = directions + 1, size = cells * cells;
  using Spectrum = std::array<std::complex<float>, size>;
  struct Filter {
    std::vector<Spectrum> above;      // a channel each
    std::array<float, size> below{};  // energy of all
    bool empty() const { return above.empty(); }
    void mix(const Filter& other, float rate);
  };

  static std::vector<Spectrum> spectra(const Patch& patch);
  static Filter fit(const Patch& patch);
  void combine();

  Filter start_, running_, both_;
};

}  // namespace kinema::head
