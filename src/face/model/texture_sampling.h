// Samples textures for the cpu backend: algorithm 4, a block of pixels at a time.
#pragma once

#include "face/model/frame.h"
#include "face/model/texture_layout.h"
#include "kinema/face.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace kinema::face {

/// The source of textures: the bytes of an image or the channels of a frame, at least 2 x 2 pixels.
class TextureImage {
public:
  /// An image that must outlive this; it is copied if it is thinner than 2 pixels.
  explicit TextureImage(const GreyView& image);
  explicit TextureImage(Channels from);
  TextureImage(TextureImage&&) = default;
  TextureImage& operator=(TextureImage&&) = default;

  std::size_t width = 0, height = 0, stride = 0, channels = 1;
  const std::uint8_t* bytes = nullptr;
  const float* floats = nullptr;

  /// The origin of coordinates, a pixel near the face, which keeps floats precise.
  std::ptrdiff_t origin_x = 0, origin_y = 0;

  /// Subtracted from every sample, so that sums of squares lose little to rounding. The texture's offset, which the
  /// photometric normalisation removes.
  float centre = 0;

  /// Sets `centre` to the mean at these places, x0 y0 x1 y1 ... from the origin.
  void centre_at(std::span<const float> places);

private:
  std::vector<std::uint8_t> padded_;
  std::vector<float> owned_;
};

/// g_im - centre of one block, at a shape in pixels of the image from its origin; zeros up to a whole tile.
void sample_block(const TextureLayout& layout, std::span<const std::array<std::uint16_t, 3>> triangles,
                  std::size_t block, const TextureImage& image, std::span<const float> shape, float* texture);

}  // namespace kinema::face
