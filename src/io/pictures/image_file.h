// Images and depth images on disk, in memory that needs no OpenCV. Without OpenCV all but the conversions and the check
// of PNG files throw.
#pragma once

#include "kinema/grey.h"
#include "kinema/image.h"
#include "kinema/picture.h"

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

/// Of more pixels than these, no picture, and no frame of a video, a camera or a stream is taken: whoever sends a few bytes
/// could otherwise claim gigabytes. Phones take pictures of 108 million pixels; 8K has 33 million.
inline constexpr std::uint64_t most_picture_pixels = 128'000'000, most_frame_pixels = 40'000'000;

/// Throws an Error if there are more than `most`; `where` starts the message.
void check_pixels(std::uint64_t width, std::uint64_t height, std::uint64_t most, const std::string& where = "");

/// 16 bits per pixel, row-major, 0: not measured.
struct DepthImage {
  int width = 0, height = 0;
  std::vector<std::uint16_t> units;
};

/// 8 bits per pixel, row-major.
struct GreyImage {
  int width = 0, height = 0;
  std::vector<std::uint8_t> grey;

  ImageView<const std::uint8_t> view() const {
    const auto columns = static_cast<std::size_t>(width);
    return {grey.data(), columns, static_cast<std::size_t>(height), columns};
  }
};

/// One channel of 16 bits (PNG, TIFF or PGM); anything else is refused, since 8 bits cannot hold depth.
DepthImage read_depth_image(const std::filesystem::path& path);

/// Any image; 16 bits are converted to 8, grey to three equal channels.
Picture read_picture(const std::filesystem::path& path);

/// The same with the full measured range: 16 bits are shifted to 8 by the number of bits that the brightest pixel
/// needs, so that 10-bit and 12-bit sensors use the whole range; transparent pixels become middle grey.
Picture read_face_picture(const std::filesystem::path& path);

/// See kinema::grey_of().
inline GreyImage grey_of(const Picture& picture) {
  const auto width = static_cast<std::size_t>(picture.width), height = static_cast<std::size_t>(picture.height);
  return {picture.width, picture.height, kinema::grey_of({picture.bgr.data(), width, height, 3 * width})};
}

/// Metres per pixel value.
std::vector<float> metres_of(const DepthImage& image, double depth_scale);

/// Rounded to whole units; 0 where a depth is not above 0, not finite or beyond 65535 units.
DepthImage units_of(std::span<const float> metres, int width, int height, double depth_scale);

/// Written whole or not at all.
void write_depth_png(const std::filesystem::path& path, const DepthImage& image);
void write_picture_png(const std::filesystem::path& path, const Picture& picture);

/// One of two pictures side by side: 0 the left one, 1 the right one.
Picture half(const Picture& both, int side);

/// The image at another size.
Picture resized(const Picture& picture, int width, int height);

// Images as the bytes of a file: quick rather than small. A JPEG loses little, a PNG nothing.

std::string encoded_png(const DepthImage& image);
std::string encoded_png(const Picture& picture);
std::string encoded_jpeg(const Picture& picture);
/// Images from the bytes of a file. Throw Error if they are none; depth has one channel of 16 bits.
Picture decoded_picture(const std::string& bytes);
DepthImage decoded_depth(const std::string& bytes);

// Checks of the bytes of a picture before any decoder reads them. OpenCV passes what it does not know to further libraries,
// some of which open other files and addresses that the bytes name; and decoders print their own messages, return half an
// image or allocate whatever size a header claims.

/// Throws an Error, without the file's name, if the bytes are not a PNG, JPEG, TIFF, BMP or PNM, do not state a size, or
/// state one of more than most_picture_pixels.
void check_picture(std::string_view bytes);

/// Throws an Error, without the file's name, if the bytes are not a PNG, are truncated, fail a checksum or claim more
/// pixels than they could hold.
void check_png(std::string_view bytes);

bool is_png(std::string_view bytes);

}  // namespace kinema::io
