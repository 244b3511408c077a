// The points of a frame that passed a gate, and how they become a cloud.
#pragma once

#include "core/geometry.h"
#include "core/threads.h"
#include "kinema/foreground.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace kinema::body {

/// The points found in one part of the frame. Aligned to cache lines, so that threads that fill two parts do not share
/// lines (false sharing).
struct alignas(128) GatedPoints {
  std::vector<Vec3f> person, background;

  void clear() {
    person.clear();
    background.clear();
  }
};

/// Joins the points of all parts of a frame; its memory is reused from frame to frame.
class CloudBuilder {
public:
  std::span<GatedPoints> parts(std::size_t count);

  /// The cloud after thinning.
  void fill(PointCloud& cloud, const ForegroundSettings& settings, const Threads& threads);

private:
  std::size_t put(PointCloud& cloud, std::size_t at, std::vector<Vec3f> GatedPoints::*kind, std::size_t most,
                  std::uint8_t mark, const ForegroundSettings& settings, const Threads& threads);
  std::vector<Vec3f> thinned(std::vector<Vec3f> GatedPoints::*kind, std::size_t most, std::uint8_t mark) const;

  std::vector<GatedPoints> parts_;
  std::size_t used_ = 0;
  std::vector<std::size_t> first_;  // index of each part's first point
};

}  // namespace kinema::body
