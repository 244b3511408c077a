// The soft window that follows a head: it climbs to where skin is densest, and finds the size at which most skin lies
// inside and least around it. All it asks of a frame are the sums of head::Moments.
#pragma once

#include "kinema/head.h"
#include "kinema/head_calibration.h"

#include <cstddef>

namespace kinema::head {

/// A frame and how its pixels are weighed, beside the window.
struct Scene {
  Moments& moments;
  const ColourView& frame;
  Weighing weighing;
};

/// What lies under a window: the mean degree inside, and around it.
struct Contrast {
  double inside = 0, around = 0;
  double difference() const { return inside - around; }
};

/// The sum of the window's own weights over the pixels of a frame above `bottom`: what its cardinality would be if all
/// of them were skin.
double window_mass(const Window& window, std::size_t width, std::size_t height, std::size_t bottom);

Window scaled(const Window& window, double factor);

/// Moves the window to the centroid of what it sees (eq. 4 with the window's weights) until it rests.
Window climb(const Scene& scene, Window window, int steps);

Contrast contrast(const Scene& scene, const Window& window);

/// The factor, from 1/reach to reach, by which the window should grow so that the contrast is largest: the top of a
/// parabola through three sizes.
double better_size(const Scene& scene, const Window& window, double reach);

/// How the head of a frame lies in the window that follows it: the window starts at the head and comes to rest.
Anchor anchor_of(const Scene& scene, const Oval& head);

/// From the window to the head, and back.
Oval head_in(const Window& window, const Anchor& anchor, const Oval& outline);
Window window_around(const Oval& head, const Anchor& anchor);

}  // namespace kinema::head
