// The soft window that follows a head: mean shift to the largest density of skin, at the size with most skin inside and
// least around it. Of a frame it needs only the sums of head::Moments.
#pragma once

#include "kinema/head.h"
#include "kinema/head_calibration.h"

#include <cstddef>

namespace kinema::head {

/// A frame, and the weights of its pixels other than the window's.
struct Scene {
  Moments& moments;
  const ColourView& frame;
  Weighing weighing;
};

/// The mean degree inside a window, and around it.
struct Contrast {
  double inside = 0, around = 0;
  double difference() const { return inside - around; }
};

/// The sum of the window's own weights over the pixels of a frame above `bottom`: its cardinality if all of them were
/// skin.
double window_mass(const Window& window, std::size_t width, std::size_t height, std::size_t bottom);

Window scaled(const Window& window, double factor);

/// Moves the window to the centroid of its contents (eq. 4 with the window's weights) until it converges.
Window climb(const Scene& scene, Window window, int steps);

Contrast contrast(const Scene& scene, const Window& window);

/// The factor, from 1/reach to reach, by which the window should grow to maximise the contrast: the top of a parabola
/// through three sizes.
double better_size(const Scene& scene, const Window& window, double reach);

/// The offset of the head in its window, from a window that starts at the head and converges.
Anchor anchor_of(const Scene& scene, const Oval& head);

/// From the window to the head, and back.
Oval head_in(const Window& window, const Anchor& anchor, const Oval& outline);
Window window_around(const Oval& head, const Anchor& anchor);

}  // namespace kinema::head
