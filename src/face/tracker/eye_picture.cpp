#include "face/tracker/eyelid.h"

#include "core/grey_pixel.h"
#include "face/constants.h"
#include "kinema/grey.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace kinema::face {
namespace {

using Grey = ImageView<const std::uint8_t>;

// In logarithms: what darkness is the same to. Sensors' noise in the dark would dominate without it.
constexpr double darkest = 8;

// An eye in the picture: its outer corner, the way to the inner one, and as far down.
struct Frame {
  double x = 0, y = 0, along_x = 0, along_y = 0, down_x = 0, down_y = 0;
  double width() const { return std::hypot(along_x, along_y); }
};

Frame frame_of(std::span<const float> landmarks, bool left) {
  const std::size_t outer = left ? 45 : 36, inner = left ? 42 : 39;
  const auto at = [&](std::size_t point, std::size_t axis) { return static_cast<double>(landmarks[2 * point + axis]); };
  Frame frame{at(outer, 0), at(outer, 1), at(inner, 0) - at(outer, 0), at(inner, 1) - at(outer, 1)};
  const double side = left ? -1 : 1;  // the left eye is seen mirrored
  frame.down_x = -side * frame.along_y;
  frame.down_y = side * frame.along_x;
  return frame;
}

double pixel(const Grey& image, double x, double y) {
  x = std::clamp(x, 0.0, static_cast<double>(image.width - 1));
  y = std::clamp(y, 0.0, static_cast<double>(image.height - 1));
  const auto left = std::min(static_cast<std::size_t>(x), image.width - 2);
  const auto top = std::min(static_cast<std::size_t>(y), image.height - 2);
  const double right = x - static_cast<double>(left), down = y - static_cast<double>(top);
  const std::uint8_t* row = image.data + top * image.stride + left;
  const std::uint8_t* next = row + image.stride;
  return (row[0] * (1 - right) + row[1] * right) * (1 - down) + (next[0] * (1 - right) + next[1] * right) * down;
}

EyePatch sampled(const Grey& image, const Frame& frame) {
  // pixels of a large eye are averaged, so that none is left out
  const int parts = std::clamp(static_cast<int>(std::lround(EyePatch::step * frame.width())), 1, 6);
  EyePatch patch;
  double mean = 0;
  for (std::size_t row = 0; row < EyePatch::rows; ++row) {
    for (std::size_t column = 0; column < EyePatch::columns; ++column) {
      double sum = 0;
      for (int part = 0; part < parts * parts; ++part) {
        const double x = EyePatch::x(column) + EyePatch::step * ((part % parts + 0.5) / parts - 0.5);
        const double y = EyePatch::y(row) + EyePatch::step * ((part / parts + 0.5) / parts - 0.5);
        sum += pixel(image, frame.x + x * frame.along_x + y * frame.down_x,
                     frame.y + x * frame.along_y + y * frame.down_y);
      }
      patch(row, column) = std::log(sum / (parts * parts) + darkest);
      mean += patch(row, column);
    }
  }
  mean /= static_cast<double>(patch.value.size());
  for (double& value : patch.value) value -= mean;
  return patch;
}

bool within(const Frame& frame, std::size_t width, std::size_t height) {
  const double w = static_cast<double>(width), h = static_cast<double>(height);
  const auto in = [&](double x, double y) { return x >= 0 && y >= 0 && x <= w - 1 && y <= h - 1; };
  return in(frame.x, frame.y) && in(frame.x + frame.along_x, frame.y + frame.along_y);
}

bool can_be_read(const Frame& frame, std::size_t width, std::size_t height) {
  return width >= 2 && height >= 2 && frame.width() >= least_eye_width && within(frame, width, height);
}

// The rectangle about both eyes, with even corners, as formats with shared colours need them.
struct Part {
  std::size_t x = 0, y = 0, width = 0, height = 0;
};

Part part_about(const std::array<Frame, 2>& frames, std::size_t width, std::size_t height) {
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  for (const Frame& frame : frames) {
    const double reach = 1.5 * frame.width() + 4;
    left = std::min({left, frame.x - reach, frame.x + frame.along_x - reach});
    right = std::max({right, frame.x + reach, frame.x + frame.along_x + reach});
    top = std::min({top, frame.y - reach, frame.y + frame.along_y - reach});
    bottom = std::max({bottom, frame.y + reach, frame.y + frame.along_y + reach});
  }
  const auto bound = [](double value, std::size_t most) {
    return static_cast<std::size_t>(std::clamp(value, 0.0, static_cast<double>(most)));
  };
  Part part;
  part.x = bound(left, width) / 2 * 2;
  part.y = bound(top, height) / 2 * 2;
  part.width = bound(right, width) - std::min(part.x, bound(right, width));
  part.height = bound(bottom, height) - std::min(part.y, bound(bottom, height));
  return part;
}

std::array<std::optional<EyePatch>, 2> patches(const Grey& image, std::array<Frame, 2> frames) {
  std::array<std::optional<EyePatch>, 2> eyes;
  for (std::size_t eye = 0; eye < 2; ++eye) {
    if (can_be_read(frames[eye], image.width, image.height)) eyes[eye] = sampled(image, frames[eye]);
  }
  return eyes;
}

}  // namespace

std::array<std::optional<EyePatch>, 2> eye_patches(const Grey& image, std::span<const float> landmarks) {
  return patches(image, {frame_of(landmarks, true), frame_of(landmarks, false)});
}

// Only what lies about the eyes is converted.
std::array<std::optional<EyePatch>, 2> eye_patches(const ColourView& image, std::span<const float> landmarks) {
  if (image.data == nullptr || image.on_device) return {};
  std::array<Frame, 2> frames{frame_of(landmarks, true), frame_of(landmarks, false)};
  const Part part = part_about(frames, image.width, image.height);
  if (part.width < 2 || part.height < 2) return {};
  ColourView view = image;
  view.data += part.y * image.stride + part.x * bytes_per_pixel(image.format);
  view.width = part.width, view.height = part.height;
  if (view.chroma != nullptr) view.chroma += part.y / 2 * image.chroma_stride + part.x;
  const std::vector<std::uint8_t> grey = grey_of(view);
  for (Frame& frame : frames) {
    frame.x -= static_cast<double>(part.x);
    frame.y -= static_cast<double>(part.y);
  }
  return patches({grey.data(), part.width, part.height, part.width}, frames);
}

}  // namespace kinema::face
