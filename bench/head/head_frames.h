// Synthetic frames for `kinema bench head`, in every format that cameras deliver.
#pragma once

#include "kinema/image.h"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace kinema::bench {

enum class Picture {
  camera,  ///< a lit head in front of a wall, smooth shading and sensor noise: neighbours have similar colours
  noise,   ///< white noise: neighbours are uncorrelated, the worst case for a table
};

inline constexpr PixelFormat pixel_formats[] = {PixelFormat::bgr,  PixelFormat::rgb,  PixelFormat::bgra,
                                                PixelFormat::rgba, PixelFormat::nv12, PixelFormat::yuyv};

std::string_view name(Picture picture);
std::string_view name(PixelFormat format);

struct HeadFrame {
  std::vector<std::uint8_t> bytes;  // rows without gaps; nv12: chroma after luma
  ColourView view;
};

HeadFrame make_head_frame(Picture picture, PixelFormat format, std::size_t width, std::size_t height,
                          std::uint64_t seed);

/// A view of the same frame with its bytes elsewhere.
ColourView moved(const HeadFrame& frame, const std::uint8_t* bytes);

}  // namespace kinema::bench
