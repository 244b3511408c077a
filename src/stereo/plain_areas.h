// Areas of the left picture without texture, which no disparity can be measured in, and what bounds them: whether one is
// seen to lie behind something.
#pragma once

#include "kinema/stereo.h"

#include <cstdint>
#include <vector>

namespace kinema::stereo {

/// Finds the plain areas of pictures of one camera that lie beyond a person; its memory is reused.
///
/// An outline belongs to what it is the outline of. So an area that is bounded by near things alone may be a plain shirt,
/// but one that is also bounded by far ones, such as pictures on it, or the floor behind, is a wall that goes on behind
/// the near ones.
class PlainAreas {
public:
  /// Marks the pixels of the window (1, in `marks`, of the size of the picture) that are seen to lie farther away than
  /// `disparity`. Other pixels of the window are set to 0.
  void mark_beyond(ImageView<const std::uint8_t> left, const Disparities& disparities, const Window& window,
                   double disparity, std::vector<std::uint8_t>& marks);

private:
  struct Area {
    std::size_t pixels = 0;
    bool left = false, top = false, right = false, bottom = false;  ///< sides of the window that it touches
    std::size_t near = 0, far = 0;                                  ///< pixels with a disparity that bound it
  };
  void set_slopes(ImageView<const std::uint8_t> left);
  void label();
  void judge(const Disparities& disparities, double disparity);

  Window window_;
  int columns_ = 0, rows_ = 0;
  std::vector<std::uint8_t> plain_;
  std::vector<std::int32_t> labels_, parents_, smooth_;
  std::vector<Area> areas_;
};

}  // namespace kinema::stereo
