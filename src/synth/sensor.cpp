#include "synth/sensor.h"

#include "core/random.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kinema::synth {
namespace {

// Each sensor has its own random stream.
enum Stream : std::uint32_t { depth_stream = 1, left_stream = 2, right_stream = 3, points_stream = 4 };

constexpr double baseline = 0.075;         // metres, of the depth camera's own pair
constexpr double disparity_noise = 0.056;  // pixels at a focal length of 525: 13 mm at 3 m
constexpr double disparity_step = 0.125;   // pixels
constexpr double outlier_share = 0.006;
constexpr double nearest_outlier = 0.5, farthest_outlier = 7;
constexpr double edge_jump = 0.35;  // of the disparity between neighbours, pixels: 8 cm at 3 m
constexpr double grazing = 0.2;     // cosine below which rays start to be lost

double share(std::uint32_t word) { return (static_cast<double>(word) + 0.5) * (1.0 / 4294967296.0); }
double normal(const Philox& p) { return normal_quantile(uniform_open(p.word[0], p.word[1])); }

// 2 at a pixel beside a jump of the disparity, 1 at the next ones, 0 elsewhere.
std::vector<std::uint8_t> edges(const Rendering& rendering, double focal_baseline) {
  const int width = rendering.width, height = rendering.height;
  std::vector<float> disparity(rendering.depth.size());
  for (std::size_t i = 0; i < disparity.size(); ++i) {
    disparity[i] = rendering.depth[i] > 0 ? static_cast<float>(focal_baseline) / rendering.depth[i] : 0;
  }
  std::vector<std::uint8_t> marks(disparity.size());
  const auto mark = [&](int u, int v, int reach, std::uint8_t value) {
    for (int y = std::max(0, v - reach); y <= std::min(height - 1, v + reach); ++y) {
      for (int x = std::max(0, u - reach); x <= std::min(width - 1, u + reach); ++x) {
        std::uint8_t& m =
            marks[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)];
        m = std::max(m, value);
      }
    }
  };
  for (int v = 0; v < height; ++v) {
    for (int u = 0; u < width; ++u) {
      const std::size_t i = static_cast<std::size_t>(v) * static_cast<std::size_t>(width) + static_cast<std::size_t>(u);
      const bool right = u + 1 < width && std::abs(disparity[i] - disparity[i + 1]) > edge_jump;
      const bool below =
          v + 1 < height && std::abs(disparity[i] - disparity[i + static_cast<std::size_t>(width)]) > edge_jump;
      if (!right && !below) continue;
      mark(u, v, 2, 1);
      mark(u, v, 1, 2);
    }
  }
  return marks;
}

// 1 where something nearer keeps the light of the projector away, which stands a baseline to the right of the camera.
std::vector<std::uint8_t> shadows(const Rendering& rendering, double focal_baseline) {
  const int width = rendering.width;
  std::vector<std::uint8_t> dark(rendering.depth.size());
  for (int v = 0; v < rendering.height; ++v) {
    // light reaches a surface if no other one on its right is lit from further left
    double leftmost = std::numeric_limits<double>::infinity();
    for (int u = width - 1; u >= 0; --u) {
      const std::size_t i = static_cast<std::size_t>(v) * static_cast<std::size_t>(width) + static_cast<std::size_t>(u);
      if (rendering.depth[i] <= 0) continue;
      const double lit_from = u - focal_baseline / static_cast<double>(rendering.depth[i]);
      dark[i] = lit_from > leftmost ? 1 : 0;
      leftmost = std::min(leftmost, lit_from);
    }
  }
  return dark;
}

}  // namespace

std::vector<std::uint16_t> measure_depth(const Rendering& rendering, const Camera& camera,
                                         const SensorSettings& settings, std::uint32_t frame) {
  constexpr double most = 65535;
  std::vector<std::uint16_t> millimetres(rendering.depth.size());
  const auto store = [&](std::size_t i, double metres) {
    millimetres[i] = static_cast<std::uint16_t>(std::lround(std::clamp(1000 * metres, 0.0, most)));
  };
  if (settings.noise <= 0) {
    for (std::size_t i = 0; i < millimetres.size(); ++i) store(i, rendering.depth[i]);
    return millimetres;
  }
  const double focal_baseline = camera.fx * baseline;
  const double sigma = settings.noise * disparity_noise * camera.fx / 525;
  const double step = disparity_step * camera.fx / 525;
  const double faults = std::min(1.0, settings.noise);
  const std::vector<std::uint8_t> edge = edges(rendering, focal_baseline);
  const std::vector<std::uint8_t> dark = shadows(rendering, focal_baseline);
  for (std::size_t i = 0; i < millimetres.size(); ++i) {
    const Philox p = philox(settings.seed, static_cast<std::uint32_t>(i), frame, depth_stream, 0);
    // one random word decides between outlier and hole, so that neither masks the other
    const double lot = share(p.word[2]);
    if (lot < settings.noise * outlier_share) {
      store(i, nearest_outlier + (farthest_outlier - nearest_outlier) * share(p.word[3]));
      continue;
    }
    const double z = rendering.depth[i];
    if (z <= 0) continue;
    const double slant = std::max(0.0, 1 - rendering.cosine[i] / grazing);
    const double beside = dark[i] != 0 ? 1.0 : edge[i] == 2 ? 0.65 : edge[i] == 1 ? 0.15 : 0.0;
    const double hole = faults * std::max(beside, 0.8 * slant);
    if (1 - lot < hole) continue;
    const double disparity = std::round((focal_baseline / z + sigma * normal(p)) / step) * step;
    if (disparity > 0) store(i, focal_baseline / disparity);
  }
  return millimetres;
}

io::Picture photograph(const Rendering& rendering, int eye, const SensorSettings& settings, std::uint32_t frame) {
  io::Picture picture = rendering.colour;
  if (settings.noise <= 0) return picture;
  const double gain = eye == 0 ? 1 : 0.94, offset = eye == 0 ? 0 : 3, sigma = 2 * settings.noise;
  const Stream stream = eye == 0 ? left_stream : right_stream;
  // four words of sixteen or more bits suffice for a byte of each channel
  for (std::size_t i = 0; i < picture.bgr.size() / 3; ++i) {
    const Philox p = philox(settings.seed, static_cast<std::uint32_t>(i), frame, stream, 0);
    for (std::size_t c = 0; c < 3; ++c) {
      std::uint8_t& value = picture.bgr[3 * i + c];
      const double seen = gain * value + offset + sigma * normal_quantile(share(p.word[c]));
      value = static_cast<std::uint8_t>(std::lround(std::clamp(seen, 0.0, 255.0)));
    }
  }
  return picture;
}

std::vector<float> scan_points(const Rendering& rendering, const Camera& camera, const SensorSettings& settings,
                               std::uint32_t frame) {
  constexpr double of_person = 1.0 / 3, of_room = 1.0 / 60;
  const double focal_baseline = camera.fx * baseline;
  const double sigma = settings.noise * disparity_noise * camera.fx / 525;
  std::vector<float> points;
  for (std::size_t i = 0; i < rendering.depth.size(); ++i) {
    double z = rendering.depth[i];
    if (z <= 0) continue;
    const Philox p = philox(settings.seed, static_cast<std::uint32_t>(i), frame, points_stream, 0);
    if (share(p.word[2]) > (rendering.person[i] != 0 ? of_person : of_room)) continue;
    const double lot = share(p.word[3]), limit = settings.noise * outlier_share;
    if (lot < limit) {
      z = nearest_outlier + (farthest_outlier - nearest_outlier) * lot / limit;
    } else {
      z += z * z / focal_baseline * sigma * normal(p);
    }
    const auto width = static_cast<std::size_t>(rendering.width);
    const std::size_t column = i % width, row = i / width;
    const double x = (static_cast<double>(column) - camera.cx) / camera.fx;
    const double y = (static_cast<double>(row) - camera.cy) / camera.fy;
    for (double number : {x * z, y * z, z}) points.push_back(static_cast<float>(number));
  }
  return points;
}

}  // namespace kinema::synth
