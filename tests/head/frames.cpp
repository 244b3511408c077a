#include "frames.h"

#include <algorithm>
#include <cmath>

namespace kinema::head {
namespace {

std::size_t row_length(std::size_t width, PixelFormat format) {
  switch (format) {
    case PixelFormat::bgr:
    case PixelFormat::rgb:
      return 3 * width;
    case PixelFormat::bgra:
    case PixelFormat::rgba:
      return 4 * width;
    case PixelFormat::yuyv:
      return (width + 1) / 2 * 4;
    case PixelFormat::nv12:
      break;
  }
  return width;
}

Frame empty_frame(std::size_t width, std::size_t height, PixelFormat format, std::size_t slack) {
  Frame frame;
  const std::size_t row = row_length(width, format);
  frame.view = {nullptr, width, height, row + slack, format};
  frame.data.resize((height - 1) * frame.view.stride + row);
  frame.view.data = frame.data.data();
  if (format == PixelFormat::nv12) {
    const std::size_t pairs = (width + 1) / 2 * 2;
    frame.view.chroma_stride = pairs + slack;
    frame.chroma.resize(((height + 1) / 2 - 1) * frame.view.chroma_stride + pairs);
    frame.view.chroma = frame.chroma.data();
  }
  return frame;
}

}  // namespace

Frame in_format(const std::vector<std::uint8_t>& bgr, std::size_t width, std::size_t height, PixelFormat format) {
  Frame frame = empty_frame(width, height, format, 0);
  const auto byte = [](double x) { return static_cast<std::uint8_t>(std::clamp(std::nearbyint(x), 0.0, 255.0)); };
  for (std::size_t y = 0; y < height; ++y)
    for (std::size_t x = 0; x < width; ++x) {
      const std::uint8_t* p = bgr.data() + 3 * (y * width + x);
      std::uint8_t* row = frame.data.data() + y * frame.view.stride;
      const double luma = 0.299 * p[2] + 0.587 * p[1] + 0.114 * p[0];
      const std::uint8_t y8 = byte(16 + luma * 219 / 255), cb = byte(128 + (p[0] - luma) * 0.564 * 224 / 255),
                         cr = byte(128 + (p[2] - luma) * 0.713 * 224 / 255);
      switch (format) {
        case PixelFormat::bgr:
        case PixelFormat::bgra:
          std::copy_n(p, 3, row + (format == PixelFormat::bgr ? 3 : 4) * x);
          break;
        case PixelFormat::rgb:
        case PixelFormat::rgba:
          std::reverse_copy(p, p + 3, row + (format == PixelFormat::rgb ? 3 : 4) * x);
          break;
        case PixelFormat::nv12: {
          row[x] = y8;
          std::uint8_t* pair = frame.chroma.data() + y / 2 * frame.view.chroma_stride + x / 2 * 2;
          pair[0] = cb;
          pair[1] = cr;
          break;
        }
        case PixelFormat::yuyv:
          row[2 * x] = y8;
          row[x / 2 * 4 + 1] = cb;
          row[x / 2 * 4 + 3] = cr;
          break;
      }
    }
  return frame;
}

Frame random_frame(std::uint64_t seed, std::size_t width, std::size_t height, PixelFormat format, Colours colours,
                   std::size_t slack) {
  std::mt19937_64 random(seed);
  if (colours == Colours::blobs || colours == Colours::greys) {
    std::vector<std::uint8_t> bgr(3 * width * height);
    const double cx = 0.3 * static_cast<double>(width), cy = 0.6 * static_cast<double>(height);
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x) {
        const double dx = (static_cast<double>(x) - cx) / static_cast<double>(width);
        const double dy = (static_cast<double>(y) - cy) / static_cast<double>(height);
        const bool skin = colours == Colours::blobs && dx * dx + dy * dy < 0.03;
        const double light = 90 + 60 * std::sin(3 * dx + 5 * dy);
        const double base[3] = {light, light, light}, tone[3] = {0.9 * light, 1.1 * light, 1.6 * light};
        for (std::size_t c = 0; c < 3; ++c)
          bgr[3 * (y * width + x) + c] = static_cast<std::uint8_t>(
              std::clamp((skin ? tone[c] : base[c]) + static_cast<double>(random() % 7) - 3, 0.0, 255.0));
      }
    return in_format(bgr, width, height, format);
  }
  Frame frame = empty_frame(width, height, format, slack);
  const std::uint8_t fixed[4] = {static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random()),
                                 static_cast<std::uint8_t>(random()), static_cast<std::uint8_t>(random())};
  const std::size_t period = format == PixelFormat::bgr || format == PixelFormat::rgb ? 3 : 4;
  for (std::vector<std::uint8_t>* plane : {&frame.data, &frame.chroma})
    for (std::size_t i = 0; i < plane->size(); ++i) {
      const auto byte = static_cast<std::uint8_t>(random());
      (*plane)[i] = colours == Colours::one        ? fixed[i % frame.view.stride % period]
                    : colours == Colours::extremes ? static_cast<std::uint8_t>(byte % 2 * 255)
                                                   : byte;
    }
  return frame;
}

SkinPlane random_plane(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  const double steepness = std::pow(10.0, -3 + 0.5 * static_cast<double>(seed % 8));
  const SkinPlane plane{steepness * unit(random), steepness * unit(random), steepness * unit(random), 0};
  // through the middle of the colours, or not far from it
  const double middle = 127.5 * (plane.r + plane.g + plane.b);
  return {plane.r, plane.g, plane.b, -middle + 0.5 + 30 * steepness * unit(random)};
}

Classifier random_table(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  auto table = std::make_shared<Table>();
  table->degrees.resize(std::size_t{1} << 24);
  const std::uint64_t kind = seed % 3;
  for (std::size_t i = 0; i < table->degrees.size(); ++i) {
    const int r = static_cast<int>(i >> 16), g = static_cast<int>(i >> 8 & 255), b = static_cast<int>(i & 255);
    if (kind == 0)
      table->degrees[i] = static_cast<std::uint8_t>((i * 2654435761u) >> 13);  // no two alike
    else if (kind == 1)
      table->degrees[i] = static_cast<std::uint8_t>(std::clamp(3 * (r - g) + (g - b) - 40, 0, 255));  // reddish
    else
      table->degrees[i] = std::abs(r - 180) + std::abs(g - 120) + std::abs(b - 100) < 90 ? 255 : 0;
  }
  return table;
}

::testing::AssertionResult agree(const Sums& sums, const Sums& reference, const ColourView& frame,
                                 std::string_view name, double least) {
  const bool step = bench::is_paper_step(name), single = step && name.find("gpu") != std::string_view::npos;
  const double pixels = static_cast<double>(frame.width) * static_cast<double>(frame.height);
  const double of_area = single ? 2e-3 : 1e-5;
  const double of_place = single ? 1e-3 + 1e-3 * static_cast<double>(std::max(frame.width, frame.height)) : 1e-3;
  if (!(std::abs(sums.w - reference.w) <= of_area * pixels))
    return ::testing::AssertionFailure() << "the area is " << sums.w << ", not " << reference.w;
  if (reference.w < least * pixels) return ::testing::AssertionSuccess();
  const auto at = [](double sum, double w) { return sum / w; };
  if (!(std::abs(at(sums.wx, sums.w) - at(reference.wx, reference.w)) <= of_place))
    return ::testing::AssertionFailure() << "x is " << sums.wx / sums.w << ", not " << reference.wx / reference.w;
  if (!(std::abs(at(sums.wy, sums.w) - at(reference.wy, reference.w)) <= of_place))
    return ::testing::AssertionFailure() << "y is " << sums.wy / sums.w << ", not " << reference.wy / reference.w;
  if (step) return ::testing::AssertionSuccess();
  // x^2 moves by twice x for each step of x
  if (!(std::abs(at(sums.wxx, sums.w) - at(reference.wxx, reference.w)) <= 2e-3 * static_cast<double>(frame.width)))
    return ::testing::AssertionFailure() << "x^2 is " << sums.wxx / sums.w << ", not " << reference.wxx / reference.w;
  if (!(std::abs(at(sums.wyy, sums.w) - at(reference.wyy, reference.w)) <= 2e-3 * static_cast<double>(frame.height)))
    return ::testing::AssertionFailure() << "y^2 is " << sums.wyy / sums.w << ", not " << reference.wyy / reference.w;
  return ::testing::AssertionSuccess();
}

::testing::AssertionResult agrees(std::string_view name, const Classifier& classifier, const ColourView& frame,
                                  const Weighing& weighing, const MomentsSettings& settings) {
  const auto moments = make_moments(name, settings), reference = make_moments("reference");
  moments->set_classifier(classifier);
  reference->set_classifier(classifier);
  return agree(moments->measure(frame, weighing), reference->measure(frame, weighing), frame, name);
}

void OnMoments::SetUp() {
  const auto names = bench::moments_names();
  if (std::find(names.begin(), names.end(), GetParam()) == names.end()) GTEST_SKIP() << "no GPU";
}

std::string moments_name(const ::testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '+', '_');
  return name;
}

}  // namespace kinema::head
