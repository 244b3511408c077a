// In builds without OpenCV: PNG files, and no others, through libpng. Recordings are made of them.
#include "io/files/input_file.h"
#include "io/files/output_file.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kinema::io {
namespace {

constexpr std::size_t largest_image_file = std::size_t{1} << 30;

struct PngInput {
  const std::string& bytes;
  std::size_t at = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;

  explicit PngInput(const std::string& content) : bytes(content) {}
  ~PngInput() { png_destroy_read_struct(&png, &info, nullptr); }
  PngInput(const PngInput&) = delete;
  PngInput& operator=(const PngInput&) = delete;
};

struct PngOutput {
  std::string bytes;
  png_structp png = nullptr;
  png_infop info = nullptr;

  PngOutput() = default;
  ~PngOutput() { png_destroy_write_struct(&png, &info); }
  PngOutput(const PngOutput&) = delete;
  PngOutput& operator=(const PngOutput&) = delete;
};

// libpng prints warnings unless it is told where they go
void ignore_warning(png_structp, png_const_charp) {}
void jump(png_structp png, png_const_charp) { png_longjmp(png, 1); }

void give(png_structp png, png_bytep to, png_size_t count) {
  auto& input = *static_cast<PngInput*>(png_get_io_ptr(png));
  if (count > input.bytes.size() - input.at) png_error(png, "cut short");
  std::memcpy(to, input.bytes.data() + input.at, count);
  input.at += count;
}

void take(png_structp png, png_bytep from, png_size_t count) {
  static_cast<PngOutput*>(png_get_io_ptr(png))->bytes.append(reinterpret_cast<const char*>(from), count);
}

// libpng leaves by a jump, so these functions hold nothing that has to be destroyed: what they fill belongs to callers.

bool read_header(PngInput& input) {
  if (setjmp(png_jmpbuf(input.png)) != 0) return false;
  png_read_info(input.png, input.info);
  return true;
}

// Three channels of 8 bits, blue first.
bool to_colour(PngInput& input) {
  if (setjmp(png_jmpbuf(input.png)) != 0) return false;
  png_set_expand(input.png);
  png_set_strip_16(input.png);
  png_set_strip_alpha(input.png);
  png_set_gray_to_rgb(input.png);
  png_set_bgr(input.png);
  png_set_interlace_handling(input.png);
  png_read_update_info(input.png, input.info);
  return true;
}

bool to_native_words(PngInput& input) {
  if (setjmp(png_jmpbuf(input.png)) != 0) return false;
  png_set_swap(input.png);  // big-endian in the file
  png_set_interlace_handling(input.png);
  png_read_update_info(input.png, input.info);
  return true;
}

bool read_rows(PngInput& input, std::vector<png_bytep>& rows) {
  if (setjmp(png_jmpbuf(input.png)) != 0) return false;
  png_read_image(input.png, rows.data());
  png_read_end(input.png, nullptr);
  return true;
}

bool write_rows(PngOutput& output, int width, int height, int bits, int colour, std::vector<png_bytep>& rows) {
  if (setjmp(png_jmpbuf(output.png)) != 0) return false;
  png_set_compression_level(output.png, 1);
  png_set_IHDR(output.png, output.info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), bits, colour,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(output.png, output.info);
  if (bits == 16) png_set_swap(output.png);
  if (colour == PNG_COLOR_TYPE_RGB) png_set_bgr(output.png);
  png_write_image(output.png, rows.data());
  png_write_end(output.png, nullptr);
  return true;
}

template <class T>
std::vector<png_bytep> rows_of(T* pixels, int height, std::size_t elements_per_row) {
  std::vector<png_bytep> rows(static_cast<std::size_t>(height));
  for (std::size_t y = 0; y < rows.size(); ++y)
    rows[y] = reinterpret_cast<png_bytep>(const_cast<std::remove_const_t<T>*>(pixels) + y * elements_per_row);
  return rows;
}

const char* const damaged = "is damaged: copy or save it again";

void open(PngInput& input) {
  if (!is_png(input.bytes))
    throw Error("is not a PNG, and this build has no OpenCV, which other pictures need: install it and build again");
  check_picture(input.bytes);
  input.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, jump, ignore_warning);
  if (input.png != nullptr) input.info = png_create_info_struct(input.png);
  if (input.info == nullptr) throw std::bad_alloc();
  png_set_read_fn(input.png, &input, give);
  if (!read_header(input)) throw Error(damaged);
}

template <class T>
std::string encoded(const std::vector<T>& pixels, int width, int height, int channels) {
  const std::size_t row = static_cast<std::size_t>(std::max(width, 0)) * static_cast<std::size_t>(channels);
  if (width < 1 || height < 1 || pixels.size() != row * static_cast<std::size_t>(height))
    throw Error(fmt::format("{} numbers are no image of {} x {} pixels", pixels.size(), width, height));
  PngOutput output;
  output.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, jump, ignore_warning);
  if (output.png != nullptr) output.info = png_create_info_struct(output.png);
  if (output.info == nullptr) throw std::bad_alloc();
  png_set_write_fn(output.png, &output, take, nullptr);
  std::vector<png_bytep> rows = rows_of(pixels.data(), height, row);
  if (!write_rows(output, width, height, 8 * static_cast<int>(sizeof(T)),
                  channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, rows))
    throw Error("libpng cannot encode it", Error::Cause::running);
  return std::move(output.bytes);
}

}  // namespace

Picture decoded_picture(const std::string& bytes) {
  PngInput input(bytes);
  open(input);
  if (!to_colour(input)) throw Error(damaged);
  Picture picture{static_cast<int>(png_get_image_width(input.png, input.info)),
                  static_cast<int>(png_get_image_height(input.png, input.info)),
                  {}};
  const std::size_t row = 3 * static_cast<std::size_t>(picture.width);
  picture.bgr.resize(row * static_cast<std::size_t>(picture.height));
  std::vector<png_bytep> rows = rows_of(picture.bgr.data(), picture.height, row);
  if (png_get_rowbytes(input.png, input.info) != row || !read_rows(input, rows)) throw Error(damaged);
  return picture;
}

DepthImage decoded_depth(const std::string& bytes) {
  PngInput input(bytes);
  open(input);
  const int bits = png_get_bit_depth(input.png, input.info), channels = png_get_channels(input.png, input.info);
  if (bits != 16 || channels != 1) {
    throw Error(
        fmt::format("holds {}-bit pixels of {} channel{}; depth needs one channel of 16 bits: save it as uint16", bits,
                    channels, channels == 1 ? "" : "s"));
  }
  if (!to_native_words(input)) throw Error(damaged);
  DepthImage image{static_cast<int>(png_get_image_width(input.png, input.info)),
                   static_cast<int>(png_get_image_height(input.png, input.info)),
                   {}};
  const auto columns = static_cast<std::size_t>(image.width);
  image.units.resize(columns * static_cast<std::size_t>(image.height));
  std::vector<png_bytep> rows = rows_of(image.units.data(), image.height, columns);
  if (png_get_rowbytes(input.png, input.info) != 2 * columns || !read_rows(input, rows)) throw Error(damaged);
  return image;
}

DepthImage read_depth_image(const std::filesystem::path& path) {
  return naming(path, [&] { return decoded_depth(read_bytes(path, largest_image_file)); });
}

Picture read_picture(const std::filesystem::path& path) {
  return naming(path, [&] { return decoded_picture(read_bytes(path, largest_image_file)); });
}

std::string encoded_png(const DepthImage& image) { return encoded(image.units, image.width, image.height, 1); }
std::string encoded_png(const Picture& picture) { return encoded(picture.bgr, picture.width, picture.height, 3); }

void write_depth_png(const std::filesystem::path& path, const DepthImage& image) {
  write_file(path, encoded_png(image));
}
void write_picture_png(const std::filesystem::path& path, const Picture& picture) {
  write_file(path, encoded_png(picture));
}

}  // namespace kinema::io
