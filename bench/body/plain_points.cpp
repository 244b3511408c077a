#include "bench/body/plain_points.h"

#include "body/likelihood/likelihood_backends.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::bench {

void check_plain(const body::LikelihoodSettings& settings, std::string_view program) {
  body::check_settings(settings);
  if (settings.association != body::Association::nearest)
    throw Error(fmt::format("{} knows only the association 'nearest'", program));
}

std::vector<float> plain_points(PointsView points, const body::LikelihoodSettings& settings, std::string_view program) {
  body::check_points(points);
  if (!points.deviation.empty())
    throw Error(fmt::format("{} does not know points with deviations of their own", program));
  if (settings.free_space && std::count(points.background.begin(), points.background.end(), 0) !=
                                 static_cast<std::ptrdiff_t>(points.background.size()))
    throw Error(fmt::format("{} does not know rays past the person: turn free_space off", program));
  const auto usable = [camera = settings.camera](const float* x) {
    if (!std::isfinite(x[0]) || !std::isfinite(x[1]) || !std::isfinite(x[2])) return false;
    return x[0] != static_cast<float>(camera.x) || x[1] != static_cast<float>(camera.y) ||
           x[2] != static_cast<float>(camera.z);
  };
  std::vector<float> used;
  used.reserve(3 * points.size);
  for (std::size_t i = 0; i < points.size; ++i)
    if (usable(points.xyz + 3 * i)) used.insert(used.end(), points.xyz + 3 * i, points.xyz + 3 * i + 3);
  return used;
}

}  // namespace kinema::bench
