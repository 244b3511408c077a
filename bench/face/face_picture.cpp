#include "bench/face/face_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace kinema::bench {
namespace {

void add_number(std::string& to, std::uint32_t value) {  // the most significant byte first
  for (int shift = 24; shift >= 0; shift -= 8) to.push_back(static_cast<char>(value >> shift & 0xff));
}

std::uint32_t crc_of(std::string_view bytes) {
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

void add_chunk(std::string& to, std::string_view kind, std::string_view data) {
  add_number(to, static_cast<std::uint32_t>(data.size()));
  const std::string chunk = std::string(kind) + std::string(data);
  to += chunk;
  add_number(to, crc_of(chunk));
}

// A stream of zlib whose blocks are stored as they are.
std::string stored(std::string_view bytes) {
  constexpr std::size_t most = 65535;
  std::string stream = "\x78\x01";
  for (std::size_t first = 0; first < bytes.size() || first == 0; first += most) {
    const std::string_view block = bytes.substr(first, most);
    const auto length = static_cast<std::uint16_t>(block.size()), inverse = static_cast<std::uint16_t>(~length);
    stream.push_back(first + most >= bytes.size() ? '\1' : '\0');
    for (const std::uint16_t number : {length, inverse}) {
      stream.push_back(static_cast<char>(number & 0xff));
      stream.push_back(static_cast<char>(number >> 8));
    }
    stream += block;
  }
  std::uint32_t a = 1, b = 0;
  for (const char byte : bytes) {
    a = (a + static_cast<std::uint8_t>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  add_number(stream, b << 16 | a);
  return stream;
}

struct Canvas {
  std::size_t width, height;
  std::vector<std::uint8_t> pixels = std::vector<std::uint8_t>(width * height, 255);

  void set(double x, double y, std::uint8_t value) {
    if (!(x >= 0) || !(y >= 0)) return;
    const auto column = static_cast<std::size_t>(x), row = static_cast<std::size_t>(y);
    if (column < width && row < height) pixels[row * width + column] = value;
  }
  void line(double x0, double y0, double x1, double y1) {
    const double steps = std::ceil(std::max({1.0, std::abs(x1 - x0), std::abs(y1 - y0)}));
    for (double i = 0; i <= steps; ++i) set(std::lerp(x0, x1, i / steps), std::lerp(y0, y1, i / steps), 60);
  }
  FacePicture picture(const std::string& caption) const {
    return {width, height, grey_png(pixels, width, height), caption};
  }
};

}  // namespace

std::string grey_png(const std::vector<std::uint8_t>& pixels, std::size_t width, std::size_t height) {
  std::string file = "\x89PNG\r\n\x1a\n", header;
  add_number(header, static_cast<std::uint32_t>(width));
  add_number(header, static_cast<std::uint32_t>(height));
  header += std::string_view("\x08\0\0\0\0", 5);  // 8 bits, grey
  std::string lines;
  for (std::size_t row = 0; row < height; ++row) {
    lines.push_back('\0');  // no filter
    lines.append(reinterpret_cast<const char*>(pixels.data()) + row * width, width);
  }
  add_chunk(file, "IHDR", header);
  add_chunk(file, "IDAT", stored(lines));
  add_chunk(file, "IEND", "");
  return file;
}

FacePicture landmark_picture(const DrawnFace& face, const std::vector<float>& landmarks, const std::string& caption) {
  constexpr double border = 20;
  double low[2] = {1e9, 1e9}, high[2] = {0, 0};
  for (std::size_t i = 0; i < landmarks.size(); ++i) {
    low[i % 2] = std::min(low[i % 2], double{landmarks[i]});
    high[i % 2] = std::max(high[i % 2], double{landmarks[i]});
  }
  const auto inside = [](double value, std::size_t end) {
    return static_cast<std::size_t>(std::clamp(value, 0.0, static_cast<double>(end)));
  };
  const std::size_t left = inside(low[0] - border, face.width - 1), top = inside(low[1] - border, face.height - 1);
  Canvas canvas{std::max(left + 1, inside(high[0] + border, face.width)) - left,
                std::max(top + 1, inside(high[1] + border, face.height)) - top};
  for (std::size_t row = 0; row < canvas.height; ++row)
    std::copy_n(face.pixels.data() + (top + row) * face.width + left, canvas.width,
                canvas.pixels.data() + row * canvas.width);
  for (std::size_t i = 0; i + 1 < landmarks.size(); i += 2)
    for (int v = -1; v <= 1; ++v)
      for (int u = -1; u <= 1; ++u) {
        const double x = double{landmarks[i]} - static_cast<double>(left) + 0.5;
        canvas.set(x + u, double{landmarks[i + 1]} - static_cast<double>(top) + 0.5 + v, u == 0 && v == 0 ? 255 : 0);
      }
  return canvas.picture(caption);
}

std::vector<FacePicture> template_pictures(const face::Model& model) {
  const face::Level& level = model.levels.front();
  Canvas texture{level.width, level.height};
  const std::size_t channels = level.channel_count();
  for (std::size_t i = 0; i < level.pixels(); ++i)  // of mean 0 and variance 1
    texture.pixels[level.places[i]] =
        static_cast<std::uint8_t>(std::clamp(128 + 50 * double{level.mean[i * channels]}, 0.0, 255.0));
  const auto& mean = model.shape.mean;
  double left = 1e9, top = 1e9;
  for (std::size_t i = 0; i + 1 < mean.size(); i += 2)
    left = std::min(left, double{mean[i]}), top = std::min(top, double{mean[i + 1]});
  Canvas shape{level.width + 2, level.height + 2};
  const auto at = [&](std::size_t vertex) {
    return std::array{(double{mean[2 * vertex]} - left) * level.scale + 1,
                      (double{mean[2 * vertex + 1]} - top) * level.scale + 1};
  };
  for (const auto& triangle : model.triangles)
    for (std::size_t k = 0; k < 3; ++k) {
      const auto from = at(triangle[k]), to = at(triangle[(k + 1) % 3]);
      shape.line(from[0], from[1], to[0], to[1]);
    }
  return {texture.picture(std::to_string(level.pixels()) + " pixels"), shape.picture("")};
}

FaceTemplate small_template(const face::Model& model) {
  constexpr std::size_t reduction = 3;
  const face::Level& level = model.levels.front();
  FaceTemplate made{level.pixels(), level.width / reduction, level.height / reduction, {}, {}};
  std::vector<float> whole(level.width * level.height, 255);
  for (std::size_t i = 0; i < level.pixels(); ++i)
    whole[level.places[i]] = std::clamp(128 + 50 * level.mean[i * level.channel_count()], 0.0f, 255.0f);
  for (std::size_t y = 0; y < made.height; ++y)
    for (std::size_t x = 0; x < made.width; ++x) {
      float sum = 0;
      for (std::size_t v = 0; v < reduction; ++v)
        for (std::size_t u = 0; u < reduction; ++u) sum += whole[(reduction * y + v) * level.width + reduction * x + u];
      made.texture.push_back(static_cast<std::uint8_t>(sum / (reduction * reduction) + 0.5f));
    }
  const auto& mean = model.shape.mean;
  std::array<float, 2> low = {1e9f, 1e9f};
  for (std::size_t i = 0; i < mean.size(); ++i) low[i % 2] = std::min(low[i % 2], mean[i]);
  for (const auto& triangle : model.triangles) {
    std::array<float, 6> corners{};
    for (std::size_t i = 0; i < 6; ++i)
      corners[i] = (mean[2 * std::size_t{triangle[i / 2]} + i % 2] - low[i % 2]) * level.scale / reduction;
    made.triangles.push_back(corners);
  }
  return made;
}

}  // namespace kinema::bench
