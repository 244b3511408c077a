// Areas of the left picture without texture, which no disparity can be measured in, and what bounds them: whether one is
// seen to lie behind something.
#pragma once

#include "core/threads.h"
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
                   double disparity, const Threads& threads, std::vector<std::uint8_t>& marks);

private:
  /// Plain pixels of a row that follow each other, the last excluded.
  struct Run {
    int row, begin, end;
    std::int32_t area;  ///< index of a run that stands for all of its area
  };
  struct Area {
    bool left = false, top = false, right = false;  ///< sides of the window that it touches
    std::size_t near = 0, far = 0;                  ///< pixels with a disparity that bound it
  };
  void find_plain(ImageView<const std::uint8_t> left, const Threads& threads);
  void join();
  void judge(const Disparities& disparities, double disparity);
  std::int32_t root(std::int32_t run);

  Window window_;
  int columns_ = 0, rows_ = 0;
  std::vector<std::int16_t> smooth_;
  std::vector<std::uint8_t> flat_, plain_;
  std::vector<Run> runs_;
  std::vector<std::int32_t> labels_;  ///< of plain pixels: their area
  std::vector<Area> areas_;           ///< by run, of those that stand for an area
};

}  // namespace kinema::stereo
