// The paper's sums, transcribed in double precision: eqs. 2 to 6, one pixel after the other. It is the oracle of every
// test, so it is kept literal and shares nothing with the fast backends but the colour conversion of video.
#include "head/moments/colour_conversion.h"
#include "head/moments/moments_backends.h"

#include <algorithm>

namespace kinema::head {
namespace {

Rgb colour_at(const ColourView& frame, std::size_t x, std::size_t y) {
  const std::uint8_t* row = frame.data + y * frame.stride;
  switch (frame.format) {
    case PixelFormat::bgr:
      return {row[3 * x + 2], row[3 * x + 1], row[3 * x]};
    case PixelFormat::rgb:
      return {row[3 * x], row[3 * x + 1], row[3 * x + 2]};
    case PixelFormat::bgra:
      return {row[4 * x + 2], row[4 * x + 1], row[4 * x]};
    case PixelFormat::rgba:
      return {row[4 * x], row[4 * x + 1], row[4 * x + 2]};
    case PixelFormat::yuyv: {
      const std::uint8_t* pair = row + x / 2 * 4;
      return rgb_of(pair[x % 2 * 2], pair[1], pair[3]);
    }
    case PixelFormat::nv12:
      break;
  }
  const std::uint8_t* pair = frame.chroma + y / 2 * frame.chroma_stride + x / 2 * 2;
  return rgb_of(row[x], pair[0], pair[1]);
}

double degree_of(const Classifier& classifier, Rgb p) {
  if (const auto* f = std::get_if<SkinPlane>(&classifier))
    return std::max(0.0, std::min(1.0, p.r * f->r + p.g * f->g + p.b * f->b + f->d));  // eq. 2
  const Table& table = *std::get<std::shared_ptr<const Table>>(classifier);
  return table.degrees[p.r * std::size_t{65536} + p.g * std::size_t{256} + p.b] / 255.0;  // eq. 7
}

double other_weight(const Weighing& weighing, std::size_t x, std::size_t y) {
  if (y >= weighing.bottom) return 0;
  double weight = 1;
  if (weighing.window) {
    const Window& window = *weighing.window;
    const double dx = (static_cast<double>(x) - window.cx) / window.rx;
    const double dy = (static_cast<double>(y) - window.cy) / window.ry;
    weight = std::max(0.0, 1 - dx * dx - dy * dy);
  }
  if (weighing.mask.data != nullptr) weight *= weighing.mask.at(x, y) / 255.0;
  return weight;
}

class ReferenceMoments final : public Moments {
public:
  void set_classifier(const Classifier& classifier) override {
    check_classifier(classifier);
    classifier_ = classifier;
  }

  Sums measure(const ColourView& frame, const Weighing& weighing) override {
    check_frame(frame);
    check_weighing(frame, weighing);
    Sums sums;
    for (std::size_t y = 0; y < frame.height; ++y) {
      Sums row;  // per row, so that rounding errors grow with the rows and not with the pixels
      for (std::size_t x = 0; x < frame.width; ++x) {
        const double w = degree_of(classifier_, colour_at(frame, x, y)) * other_weight(weighing, x, y);
        row.w += w;
        row.wx += w * static_cast<double>(x);
        row.wxx += w * static_cast<double>(x) * static_cast<double>(x);
      }
      sums.w += row.w;
      sums.wx += row.wx;
      sums.wxx += row.wxx;
      sums.wy += row.w * static_cast<double>(y);
      sums.wyy += row.w * static_cast<double>(y) * static_cast<double>(y);
    }
    return sums;
  }
  using Moments::measure;

private:
  Classifier classifier_ = SkinPlane{};
};

}  // namespace

std::unique_ptr<Moments> make_reference_moments() { return std::make_unique<ReferenceMoments>(); }

}  // namespace kinema::head
