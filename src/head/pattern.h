// The head's pattern: a correlation filter over edges, learned during tracking. It locates the head if something else
// has its colours, or if the light changes them.
//
// Bolme et al. (2010) and Danelljan et al. (2014): the filter whose response to the previous patches is, in least
// squares, nearest to a narrow Gaussian at the head's centre. In the frequency domain that is a division.
#pragma once

#include "kinema/head_calibration.h"
#include "kinema/image.h"

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kinema::head {

/// Luma around an oval, as HeadReference keeps it. The border of the frame is repeated outside.
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

  /// Starts from a patch, which keeps a fixed weight in the filter.
  void start(const Patch& patch);

  /// Adds a frame with weight `rate`, and the previous ones with 1 - `rate`.
  void learn(const ColourView& frame, const Oval& head, double rate);

  /// The position of the pattern near an oval, up to about one radius away.
  Match find(const ColourView& frame, const Oval& about) const;

private:
  static constexpr std::size_t directions = 8, channels = directions + 1, size = cells * cells;
  using Spectrum = std::array<std::complex<float>, size>;
  struct Filter {
    std::vector<Spectrum> above;      // one per channel
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
