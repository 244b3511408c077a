// Non-owning views of images: row-major, colour order stated by type and never guessed.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kinema {

template <class T>
struct ImageView {
  T* data = nullptr;
  std::size_t width = 0, height = 0;
  std::size_t stride = 0;  // elements from one row to the next, at least width

  T& at(std::size_t x, std::size_t y) const { return data[y * stride + x]; }
};

/// How cameras and decoders deliver 8-bit colour. The last two are BT.601 in video range: luma 16...235.
enum class PixelFormat {
  bgr,   ///< 3 bytes per pixel, as in OpenCV
  rgb,   ///< 3 bytes per pixel
  bgra,  ///< 4 bytes per pixel, the fourth ignored
  rgba,  ///< 4 bytes per pixel, the fourth ignored
  nv12,  ///< a plane of luma, and one of Cb Cr pairs, each for 2 x 2 pixels
  yuyv,  ///< Y0 Cb Y1 Cr: two pixels in four bytes
};

/// A colour frame as it was delivered, without a conversion pass.
struct ColourView {
  const std::uint8_t* data = nullptr;
  std::size_t width = 0, height = 0;
  std::size_t stride = 0;  // bytes from one row to the next
  PixelFormat format = PixelFormat::bgr;

  /// nv12 only: (height + 1) / 2 rows of (width + 1) / 2 pairs.
  const std::uint8_t* chroma = nullptr;
  std::size_t chroma_stride = 0;

  /// The bytes lie in GPU memory: only the cuda backend accepts such a frame.
  bool on_device = false;
};

}  // namespace kinema
