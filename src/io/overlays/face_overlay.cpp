#include "io/overlays/face_overlay.h"

#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kinema::io {
namespace {

// Bilinear, with coordinates clamped at the border.
std::array<float, 3> sample(const Picture& picture, float x, float y) {
  x = std::clamp(x, 0.0f, static_cast<float>(picture.width - 1));
  y = std::clamp(y, 0.0f, static_cast<float>(picture.height - 1));
  const int x0 = static_cast<int>(x), y0 = static_cast<int>(y);
  const int x1 = std::min(x0 + 1, picture.width - 1), y1 = std::min(y0 + 1, picture.height - 1);
  const float u = x - static_cast<float>(x0), v = y - static_cast<float>(y0);
  std::array<float, 3> colour{};
  for (int c = 0; c < 3; ++c) {
    const auto at = [&](int px, int py) {
      return static_cast<float>(
          picture.bgr[3 * (static_cast<std::size_t>(py) * static_cast<std::size_t>(picture.width) +
                           static_cast<std::size_t>(px)) +
                      static_cast<std::size_t>(c)]);
    };
    colour[static_cast<std::size_t>(c)] =
        (1 - v) * ((1 - u) * at(x0, y0) + u * at(x1, y0)) + v * ((1 - u) * at(x0, y1) + u * at(x1, y1));
  }
  return colour;
}

std::uint8_t byte(float value) { return static_cast<std::uint8_t>(std::clamp(value + 0.5f, 0.0f, 255.0f)); }

// A direction as a colour: the hue is the angle, the brightness the strength, 0 to 1.
std::array<float, 3> direction_colour(float x, float y, float strength) {
  const float angle = std::atan2(y, x);
  std::array<float, 3> colour{};
  for (std::size_t c = 0; c < 3; ++c) {
    colour[c] = 255 * strength * (0.55f + 0.45f * std::cos(angle - static_cast<float>(c) * 2.0944f));
  }
  return colour;
}

Picture blank(int width, int height, std::uint8_t grey) {
  return {width, height,
          std::vector<std::uint8_t>(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height), grey)};
}

constexpr std::uint8_t surround = 26;

}  // namespace

std::vector<float> enlarged_landmarks(std::span<const float> landmarks, int factor) {
  std::vector<float> result;
  for (float value : landmarks) result.push_back((value + 0.5f) * static_cast<float>(factor) - 0.5f);
  return result;
}

Picture shape_free_patch(const face::Model& model, std::size_t level_index, const Picture& picture,
                         std::span<const float> landmarks) {
  if (level_index >= model.levels.size()) throw Error(fmt::format("the model has no level {}", level_index));
  if (landmarks.size() != model.shape.mean.size()) {
    throw Error(fmt::format("{} landmarks for a model of {}", landmarks.size() / 2, model.shape.landmarks()));
  }
  const face::Level& level = model.levels[level_index];
  Picture patch = blank(static_cast<int>(level.width), static_cast<int>(level.height), surround);
  for (std::size_t i = 0; i < level.pixels(); ++i) {
    const auto& corners = model.triangles[level.pixel_triangles[i]];
    float x = 0, y = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      const float weight = level.barycentric[3 * i + c];
      x += weight * landmarks[2 * std::size_t{corners[c]}];
      y += weight * landmarks[2 * std::size_t{corners[c]} + 1];
    }
    const std::array<float, 3> colour = sample(picture, x, y);
    for (std::size_t c = 0; c < 3; ++c) patch.bgr[3 * std::size_t{level.places[i]} + c] = byte(colour[c]);
  }
  return patch;
}

Picture texture_picture(const face::Level& level, std::span<const float> texture) {
  const std::size_t channels = level.channel_count();
  if (texture.size() != level.pixels() * channels) throw Error("a texture of another size than the level's");
  Picture picture = blank(static_cast<int>(level.width), static_cast<int>(level.height), surround);
  // strengths relative to a high quantile: one odd pixel must not darken all others
  std::vector<float> strength;
  for (std::size_t i = 0; i < level.pixels(); ++i) {
    strength.push_back(channels == 1 ? std::abs(texture[i]) : std::hypot(texture[2 * i], texture[2 * i + 1]));
  }
  float full = 1e-6f;
  if (!strength.empty()) {
    std::vector<float> sorted = strength;
    const auto high = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() * 98 / 100);
    std::nth_element(sorted.begin(), high, sorted.end());
    full = std::max(full, *high);
  }
  for (std::size_t i = 0; i < level.pixels(); ++i) {
    std::uint8_t* pixel = &picture.bgr[3 * std::size_t{level.places[i]}];
    if (channels == 1) {
      const std::uint8_t grey = byte(128 + 120 * texture[i] / full);
      std::fill(pixel, pixel + 3, grey);
    } else {
      const auto colour = direction_colour(texture[2 * i], texture[2 * i + 1], std::min(1.0f, strength[i] / full));
      for (std::size_t c = 0; c < 3; ++c) pixel[c] = byte(colour[c]);
    }
  }
  return picture;
}

std::vector<float> fitted_texture(const face::Level& level, std::span<const float> texture) {
  std::vector<float> fitted(level.mean.begin(), level.mean.end());
  if (texture.size() != fitted.size()) throw Error("a texture of another size than the level's");
  for (std::size_t mode = 0; mode < level.texture_modes.rows; ++mode) {
    const std::span<const float> row = level.texture_modes.row(mode);
    double share = 0;
    for (std::size_t i = 0; i < row.size(); ++i)
      share += static_cast<double>(row[i]) * static_cast<double>(texture[i] - level.mean[i]);
    for (std::size_t i = 0; i < row.size(); ++i) fitted[i] += static_cast<float>(share) * row[i];
  }
  return fitted;
}

Picture contact_sheet(const std::vector<Picture>& pictures, int columns, int width, int height) {
  constexpr int gap = 4;
  columns = std::clamp(columns, 1, std::max(1, static_cast<int>(pictures.size())));
  const int rows = (static_cast<int>(pictures.size()) + columns - 1) / columns;
  Picture sheet = blank(columns * (width + gap) + gap, std::max(1, rows) * (height + gap) + gap, surround);
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    // centred in its cell, uncropped
    const Picture& picture = pictures[i];
    const double scale =
        std::min(static_cast<double>(width) / picture.width, static_cast<double>(height) / picture.height);
    const Picture small = resized(picture, std::clamp(static_cast<int>(std::lround(picture.width * scale)), 1, width),
                                  std::clamp(static_cast<int>(std::lround(picture.height * scale)), 1, height));
    const int left = gap + static_cast<int>(i) % columns * (width + gap) + (width - small.width) / 2;
    const int top = gap + static_cast<int>(i) / columns * (height + gap) + (height - small.height) / 2;
    for (int y = 0; y < small.height; ++y) {
      const auto from = small.bgr.begin() + 3 * static_cast<std::ptrdiff_t>(y) * small.width;
      std::copy(from, from + 3 * static_cast<std::ptrdiff_t>(small.width),
                sheet.bgr.begin() + 3 * ((static_cast<std::ptrdiff_t>(top) + y) * sheet.width + left));
    }
  }
  return sheet;
}

Picture cut_about(const Picture& picture, std::span<const float> landmarks, double margin, std::array<int, 2>& offset) {
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (std::size_t i = 0; i + 1 < landmarks.size(); i += 2) {
    left = std::min(left, static_cast<double>(landmarks[i]));
    right = std::max(right, static_cast<double>(landmarks[i]));
    top = std::min(top, static_cast<double>(landmarks[i + 1]));
    bottom = std::max(bottom, static_cast<double>(landmarks[i + 1]));
  }
  const double extra = margin * std::max(right - left, bottom - top);
  const auto place = [](double value, int most) { return std::clamp(static_cast<int>(std::lround(value)), 0, most); };
  const int x0 = place(left - extra, picture.width - 1), y0 = place(top - extra, picture.height - 1);
  const int x1 = std::max(x0 + 1, place(right + extra, picture.width)),
            y1 = std::max(y0 + 1, place(bottom + extra, picture.height));
  offset = {x0, y0};
  Picture part{x1 - x0, y1 - y0, {}};
  for (int y = y0; y < y1; ++y) {
    const auto from = picture.bgr.begin() + 3 * (static_cast<std::ptrdiff_t>(y) * picture.width + x0);
    part.bgr.insert(part.bgr.end(), from, from + 3 * static_cast<std::ptrdiff_t>(part.width));
  }
  return part;
}

}  // namespace kinema::io
