#include "body/foreground/foreground_furniture.h"

#include "body/foreground/constants_foreground.h"

#include <cmath>

namespace kinema::body {

using namespace constants::furniture;

bool Furniture::look(std::size_t pixel, float depth, float slack, bool near_skin) {
  Pixel& known = pixels_[pixel];
  const bool same = std::abs(depth - known.depth) < slack;
  if (same && known.frames >= still_frames) return true;
  // something nearer hides it for now
  if (known.frames >= still_frames && depth < known.depth) return false;
  if (near_skin) {
    known.frames = 0;
  } else if (same) {
    ++known.frames;
  } else {
    known = {depth, 1};
  }
  return false;
}

}  // namespace kinema::body
