#include "io/sources/ros_messages.h"

#include "io/files/input_file.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace kinema::io {
namespace {

static_assert(std::endian::native == std::endian::little, "ROS messages are little-endian");

constexpr std::uint32_t largest_side = 1 << 14;

// Takes the members of a message one after the other.
class MessageFields {
public:
  explicit MessageFields(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::string_view text() { return take(number<std::uint32_t>()); }

  template <class T>
  std::vector<T> numbers(std::size_t count) {
    const std::string_view bytes = take(count, sizeof(T));
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  /// Its sequence number, stamp and frame of reference.
  std::int64_t header() {
    number<std::uint32_t>();
    const auto seconds = number<std::uint32_t>(), nanoseconds = number<std::uint32_t>();
    text();
    return std::int64_t{seconds} * 1'000'000'000 + nanoseconds;
  }

private:
  std::string_view take(std::size_t count, std::size_t size = 1) {
    if (count > bytes_.size() / size) throw Error("holds a message that is cut off");
    const std::string_view taken = bytes_.substr(0, count * size);
    bytes_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view bytes_;
};

int side(std::uint32_t pixels) {
  if (pixels < 1 || pixels > largest_side) throw Error(fmt::format("holds an image with a side of {} pixels", pixels));
  return static_cast<int>(pixels);
}

// Bytes per pixel; 0: unknown.
std::size_t pixel_size(const std::string& encoding) {
  if (encoding == "mono8" || encoding == "8UC1") return 1;
  if (encoding == "16UC1" || encoding == "mono16") return 2;
  if (encoding == "rgb8" || encoding == "bgr8" || encoding == "8UC3") return 3;
  if (encoding == "32FC1" || encoding == "rgba8" || encoding == "bgra8") return 4;
  return 0;
}

template <class T>
T swapped(T value) {
  auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

template <class T>
std::vector<T> pixels(const RosImage& image) {
  const auto width = static_cast<std::size_t>(image.width), height = static_cast<std::size_t>(image.height);
  std::vector<T> values(width * height);
  for (std::size_t y = 0; y < height; ++y) {
    std::memcpy(values.data() + y * width, image.data.data() + y * image.step, width * sizeof(T));
  }
  if (image.big_endian) std::transform(values.begin(), values.end(), values.begin(), swapped<T>);
  return values;
}

// What image_transport's compressed_depth_image_transport writes: 12 bytes about quantisation, then a PNG. Depth in
// metres is stored as inverse depth: metres = a / (value - b).
ImageSize read_compressed_depth(const RosImage& image, RawFrame& frame) {
  MessageFields fields(image.data);
  fields.number<std::int32_t>();
  const auto a = fields.number<float>(), b = fields.number<float>();
  frame.depth = decoded_depth(std::string(image.data.substr(12)));
  const ImageSize size{frame.depth.width, frame.depth.height};
  if (!image.encoding.starts_with("32FC1")) return size;
  frame.metres.resize(frame.depth.units.size());
  std::transform(frame.depth.units.begin(), frame.depth.units.end(), frame.metres.begin(),
                 [&](std::uint16_t value) { return value == 0 ? 0.0F : a / (static_cast<float>(value) - b); });
  frame.depth = {};
  return size;
}

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace

bool RosImage::holds_depth() const {
  if (compressed) return contains(encoding, "compressedDepth");
  return encoding == "16UC1" || encoding == "mono16" || encoding == "32FC1";
}

bool RosImage::holds_colour() const {
  return compressed ? !contains(encoding, "compressedDepth") : !holds_depth() && pixel_size(encoding) > 0;
}

RosImage ros_image(std::string_view message) {
  MessageFields fields(message);
  RosImage image;
  image.stamp = fields.header();
  image.height = side(fields.number<std::uint32_t>());
  image.width = side(fields.number<std::uint32_t>());
  image.encoding = printable(fields.text());
  image.big_endian = fields.number<std::uint8_t>() != 0;
  image.step = fields.number<std::uint32_t>();
  image.data = fields.text();
  const std::size_t row = static_cast<std::size_t>(image.width) * pixel_size(image.encoding);
  if (image.step == 0 || image.step < row || image.data.size() / image.step < static_cast<std::size_t>(image.height)) {
    throw Error(fmt::format("holds an image of {} x {} pixels in {} bytes, which is too few", image.width, image.height,
                            image.data.size()));
  }
  return image;
}

RosImage ros_compressed_image(std::string_view message) {
  MessageFields fields(message);
  RosImage image;
  image.compressed = true;
  image.stamp = fields.header();
  image.encoding = printable(fields.text());
  image.data = fields.text();
  return image;
}

ImageSize read_ros_depth(const RosImage& image, RawFrame& frame) {
  if (!image.holds_depth()) throw Error(fmt::format("holds an image of \"{}\", which is not depth", image.encoding));
  if (image.compressed) {
    if (contains(image.encoding, "rvl")) throw Error("holds depth compressed as RVL; kinema reads PNG");
    return read_compressed_depth(image, frame);
  }
  if (image.encoding == "32FC1") {
    frame.metres = pixels<float>(image);
  } else {
    frame.depth = {image.width, image.height, pixels<std::uint16_t>(image)};
  }
  return {image.width, image.height};
}

Picture ros_picture(const RosImage& image) {
  if (!image.holds_colour()) throw Error(fmt::format("holds an image of \"{}\", which is not colour", image.encoding));
  if (image.compressed) return decoded_picture(std::string(image.data));
  const std::size_t bytes = pixel_size(image.encoding);
  const bool red_first = image.encoding.starts_with("rgb");
  Picture picture{image.width, image.height, {}};
  picture.bgr.reserve(3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
  for (int y = 0; y < image.height; ++y) {
    const char* pixel = image.data.data() + static_cast<std::size_t>(y) * image.step;
    for (int x = 0; x < image.width; ++x, pixel += bytes) {
      for (const int channel : {0, 1, 2}) {
        picture.bgr.push_back(
            static_cast<std::uint8_t>(bytes == 1 ? *pixel : pixel[red_first ? 2 - channel : channel]));
      }
    }
  }
  return picture;
}

RosCamera ros_camera(std::string_view message) {
  MessageFields fields(message);
  fields.header();
  const int height = side(fields.number<std::uint32_t>()), width = side(fields.number<std::uint32_t>());
  const std::string model = printable(fields.text());
  std::vector<double> distortion = fields.numbers<double>(fields.number<std::uint32_t>());
  const std::vector<double> k = fields.numbers<double>(9);
  fields.numbers<double>(9);  // the turn of rectification
  const std::vector<double> p = fields.numbers<double>(12);
  const auto binning_x = std::max(1U, fields.number<std::uint32_t>());
  const auto binning_y = std::max(1U, fields.number<std::uint32_t>());
  const auto left = fields.number<std::uint32_t>(), top = fields.number<std::uint32_t>();
  const auto cut_height = fields.number<std::uint32_t>(), cut_width = fields.number<std::uint32_t>();
  RosCamera camera;
  camera.width = side((cut_width > 0 ? cut_width : static_cast<std::uint32_t>(width)) / binning_x);
  camera.height = side((cut_height > 0 ? cut_height : static_cast<std::uint32_t>(height)) / binning_y);
  const auto pinhole = [&](double fx, double fy, double cx, double cy) -> Camera {
    return {camera.width,   camera.height,           fx / binning_x,
            fy / binning_y, (cx - left) / binning_x, (cy - top) / binning_y};
  };
  camera.raw.camera = pinhole(k[0], k[4], k[2], k[5]);
  // some programs leave the projection empty
  camera.rectified.camera = p[0] > 0 ? pinhole(p[0], p[5], p[2], p[6]) : camera.raw.camera;
  camera.raw.depth_scale = camera.rectified.depth_scale = 0.001;  // units of 16UC1 are millimetres by REP 118
  const bool straight = std::all_of(distortion.begin(), distortion.end(), [](double c) { return c == 0; });
  if (straight) return camera;
  if (model != "plumb_bob" && model != "rational_polynomial") {
    throw Error(
        fmt::format("states a lens of the model \"{}\"; kinema knows plumb_bob and rational_polynomial", model));
  }
  constexpr std::array counts{4, 5, 8, 12, 14};
  if (std::find(counts.begin(), counts.end(), static_cast<int>(distortion.size())) == counts.end()) {
    throw Error(fmt::format("states {} coefficients of distortion: 4, 5, 8, 12 or 14", distortion.size()));
  }
  camera.raw.distortion = std::move(distortion);
  return camera;
}

}  // namespace kinema::io
