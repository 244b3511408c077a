// The pictures of the demo's page, as inline SVG: points and capsules as the camera sees them, and a chart.
#pragma once

#include "kinema/camera.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace kinema::app {

/// One point of the picture: where it lies, and what colours it, 0 to 1.
struct ColouredPoint {
  float x = 0, y = 0, z = 0;
  double value = 0;
};

/// The colours of a picture's points from 0 to 1, as CSS writes them.
using Ramp = std::span<const char* const>;

struct Picture {
  Camera camera;
  std::vector<ColouredPoint> points;
  Ramp ramp;
  const float* capsules = nullptr;  // (count, 7), drawn as outlines of the class `outline`
  std::size_t count = 0;
  const char* outline = "";
  const float* frame = nullptr;  // (count, 7): the picture is cut to these capsules
  std::string title;             // for those who cannot see it
};

std::string picture_svg(const Picture& picture);

/// A dot for each sample on an axis of log-likelihood, those of samples 0 and `other` marked.
std::string likelihood_chart_svg(std::span<const double> log_likelihood, std::size_t other);

}  // namespace kinema::app
