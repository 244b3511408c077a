// The cpu backend: bands of rows divided among threads, each summed by column and by row in integers, so that neither the
// number of threads nor the order of the work changes a bit.
#include "core/stopwatch.h"
#include "core/threads.h"
#include "head/moments/frame_rows.h"
#include "head/moments/moments_backends.h"
#include "head/moments/moments_cpu_kernel.h"
#include "head/moments/plane_strip.h"

#include <algorithm>
#include <cmath>

namespace kinema::head {
namespace {

constexpr std::size_t row_unit = 8;     // a band has whole ones, except the last
constexpr std::size_t video_rows = 16;  // that are converted at once
constexpr double weighed_one = 1 << 25;

bool is_video(PixelFormat format) { return format == PixelFormat::nv12 || format == PixelFormat::yuyv; }
bool blue_first(PixelFormat format) { return format == PixelFormat::bgr || format == PixelFormat::bgra; }
std::size_t pixel_bytes(PixelFormat format) {
  return format == PixelFormat::bgr || format == PixelFormat::rgb ? 3 : 4;  // of video after conversion
}

// A classifier in the kernels' form, for one order of bytes.
struct Colours {
  std::optional<PlaneOfBytes> plane;
  std::shared_ptr<const ColourBlocks> table;
  std::optional<SkinPlane> steep;  // too steep for 32 bits: in double, pixel by pixel; f in the order of bytes

  bool strips() const { return plane && plane_strips_work() && fits_short(*plane); }
  double one() const { return plane ? plane->one : table ? 255 : weighed_one; }

  void weights(const std::uint8_t* row, std::size_t bytes, std::size_t width, std::uint32_t* out) const {
    if (plane) return plane_weights(*plane, row, bytes, width, out);
    if (table) return table_weights(*table, row, bytes, width, out);
    for (std::size_t x = 0; x < width; ++x, row += bytes) {
      const double v = row[0] * steep->r + row[1] * steep->g + row[2] * steep->b + steep->d;
      out[x] = static_cast<std::uint32_t>(std::nearbyint(weighed_one * std::max(0.0, std::min(1.0, v))));
    }
  }
  void add(const Piece& piece, const Margins& margins) const {
    if (plane) return add_plane(*plane, piece, margins);
    if (table) return add_table(*table, piece, margins);
    std::uint32_t out[most_columns];
    for (std::size_t y = 0; y < piece.height; ++y)
      for (std::size_t begin = 0; begin < piece.width; begin += most_columns) {
        const std::size_t width = std::min(most_columns, piece.width - begin);
        weights(piece.data + y * piece.stride + piece.pixel_bytes * begin, piece.pixel_bytes, width, out);
        for (std::size_t x = 0; x < width; ++x) {
          margins.columns[begin + x] += out[x];
          margins.rows[y] += out[x];
        }
      }
  }
};

// A piece of a row as pixels in memory; video is converted into `rgba`. x is even for video.
const std::uint8_t* pixels_of(const ColourView& frame, std::size_t x, std::size_t y, std::size_t width,
                              std::uint8_t* rgba) {
  const std::uint8_t* row = frame.data + y * frame.stride;
  if (frame.format == PixelFormat::nv12)
    convert_nv12(row + x, frame.chroma + y / 2 * frame.chroma_stride + x, width, rgba);
  else if (frame.format == PixelFormat::yuyv)
    convert_yuyv(row + 2 * x, width, rgba);
  else
    return row + pixel_bytes(frame.format) * x;
  return rgba;
}

// The part of a row covered by the window.
struct Range {
  std::size_t begin, end;
};
Range covered(const Window& window, const Box& box, double up_to_rim) {
  const double half = window.rx * std::sqrt(up_to_rim);
  const auto left = static_cast<double>(box.left), right = static_cast<double>(box.right);
  return {static_cast<std::size_t>(std::clamp(std::floor(window.cx - half), left, right)),
          static_cast<std::size_t>(std::clamp(std::ceil(window.cx + half) + 1, left, right))};
}

// The sums of a band from those of its columns and rows, in units.
Sums moments_of(const std::uint32_t* columns, const Box& box, const std::uint64_t* rows, std::size_t top,
                std::size_t bottom) {
  Sums sums;
  // columns in groups: integers within one, which are summed fast and exactly, double between them
  constexpr std::size_t group = 64;
  for (std::size_t begin = 0; begin < box.width(); begin += group) {
    std::uint64_t c = 0, cx = 0, cxx = 0;
    const auto count = static_cast<std::uint32_t>(std::min(group, box.width() - begin));
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint64_t column = columns[begin + i];
      c += column;
      cx += column * i;
      cxx += column * (i * i);
    }
    const auto x = static_cast<double>(box.left + begin), w = static_cast<double>(c), wx = static_cast<double>(cx);
    sums.w += w;
    sums.wx += x * w + wx;
    sums.wxx += x * x * w + 2 * x * wx + static_cast<double>(cxx);
  }
  for (std::size_t y = top; y < bottom; ++y) {
    const double w = static_cast<double>(rows[y - top]), at = static_cast<double>(y);
    sums.wy += w * at;
    sums.wyy += w * at * at;
  }
  return sums;
}

class CpuMoments final : public Moments {
public:
  explicit CpuMoments(int threads) : threads_(threads) { set_classifier(SkinPlane{}); }

  void set_classifier(const Classifier& classifier) override {
    check_classifier(classifier);
    classifier_ = classifier;
    for (std::optional<Colours>& colours : colours_) colours.reset();
  }

  Sums measure(const ColourView& frame, const Weighing& weighing) override {
    check_frame(frame);
    check_weighing(frame, weighing);
    const Stopwatch watch;
    const Sums sums = sum(frame, weighing);
    ms_ = watch.ms();
    return sums;
  }
  using Moments::measure;

  std::vector<StageTime> times() const override { return {{"sum", ms_}}; }

private:
  Sums sum(const ColourView& frame, const Weighing& weighing) {
    Box box = pixels_that_count(frame, weighing);
    if (box.empty()) return {};
    if (is_video(frame.format)) box.left -= box.left % 2;  // to a pair of pixels
    const bool weighed = weighing.window || weighing.mask.data != nullptr;
    const Colours& colours = colours_for(blue_first(frame.format));
    if (weighed) set_across(weighing, box);

    // an even number of bands of similar size, since most machines have an even number of cores
    const std::size_t bands = 2 * ((box.height() + 2 * most_rows - 1) / (2 * most_rows));
    const std::size_t least = (box.height() + bands - 1) / bands;
    const std::size_t whole = colours.strips() ? strip_height : row_unit;
    const std::size_t band_rows = std::min(most_rows, (least + whole - 1) / whole * whole);
    const std::size_t count = (box.height() + band_rows - 1) / band_rows;
    columns_.resize(count * box.width());
    parts_.resize(count);
    threads_.for_each(count, [&](std::size_t band) {
      Box rows = box;
      rows.top = box.top + band * band_rows;
      rows.bottom = std::min(rows.top + band_rows, box.bottom);
      std::uint32_t* columns = columns_.data() + band * box.width();
      std::fill_n(columns, box.width(), 0u);
      std::uint64_t row_sums[most_rows] = {};
      const Margins margins{columns, row_sums};
      if (weighed)
        add_weighed_band(colours, frame, weighing, rows, margins);
      else if (is_video(frame.format))
        add_video_band(colours, frame, rows, margins);
      else
        colours.add({pixels_of(frame, rows.left, rows.top, 0, nullptr), frame.stride, pixel_bytes(frame.format),
                     rows.width(), rows.height()},
                    margins);
      parts_[band] = moments_of(columns, rows, row_sums, rows.top, rows.bottom);
    });

    Sums sums;
    for (const Sums& part : parts_) sums = sums + part;
    const double unit = 1 / (weighed ? weighed_one : colours.one());
    return {unit * sums.w, unit * sums.wx, unit * sums.wy, unit * sums.wxx, unit * sums.wyy};
  }

  // created for the first frame of such an order
  const Colours& colours_for(bool blue) {
    std::optional<Colours>& colours = colours_[blue];
    if (colours) return *colours;
    colours.emplace();
    if (const auto* plane = std::get_if<SkinPlane>(&classifier_)) {
      auto fixed = plane_strips_work() ? fix_plane_in_short(*plane) : std::nullopt;
      if (!fixed) fixed = fix_plane(*plane);
      if (fixed)
        colours->plane = in_order(*fixed, blue);
      else
        colours->steep = blue ? SkinPlane{plane->b, plane->g, plane->r, plane->d} : *plane;
    } else {
      colours->table = std::make_shared<const ColourBlocks>(
          make_colour_blocks(*std::get<std::shared_ptr<const Table>>(classifier_), blue, threads_));
    }
    return *colours;
  }

  void set_across(const Weighing& weighing, const Box& box) {
    across_.assign(box.width(), 0.0f);
    if (!weighing.window) return;
    for (std::size_t i = 0; i < across_.size(); ++i) {
      const double u = (static_cast<double>(box.left + i) - weighing.window->cx) / weighing.window->rx;
      across_[i] = static_cast<float>(u * u);
    }
  }

  static void add_video_band(const Colours& colours, const ColourView& frame, const Box& box, const Margins& margins) {
    alignas(64) std::uint8_t strip[video_rows * most_columns * 4];
    for (std::size_t y = box.top; y < box.bottom; y += video_rows)
      for (std::size_t x = box.left; x < box.right; x += most_columns) {
        const Piece piece{strip, 4 * most_columns, 4, std::min(most_columns, box.right - x),
                          std::min(video_rows, box.bottom - y)};
        for (std::size_t r = 0; r < piece.height; ++r)
          pixels_of(frame, x, y + r, piece.width, strip + r * piece.stride);
        colours.add(piece, {margins.columns + (x - box.left), margins.rows + (y - box.top)});
      }
  }

  void add_weighed_band(const Colours& colours, const ColourView& frame, const Weighing& weighing, const Box& box,
                        const Margins& margins) const {
    alignas(64) std::uint8_t rgba[most_columns * 4];
    alignas(64) std::uint32_t weights[most_columns];
    const bool masked = weighing.mask.data != nullptr;
    const double scale = weighed_one / (colours.one() * (masked ? 255 : 1));
    for (std::size_t y = box.top; y < box.bottom; ++y) {
      double down = 1;
      Range range{box.left, box.right};
      if (weighing.window) {
        const double v = (static_cast<double>(y) - weighing.window->cy) / weighing.window->ry;
        down = 1 - v * v;
        if (down <= 0) continue;
        range = covered(*weighing.window, box, down);
      }
      if (is_video(frame.format)) range.begin -= range.begin % 2;
      for (std::size_t x = range.begin; x < range.end; x += most_columns) {
        const std::size_t width = std::min(most_columns, range.end - x);
        colours.weights(pixels_of(frame, x, y, width, rgba), pixel_bytes(frame.format), width, weights);
        const RowWeighing row{across_.data() + (x - box.left), static_cast<float>(down),
                              masked ? &weighing.mask.at(x, y) : nullptr, static_cast<float>(scale)};
        add_weighed(weights, width, row, margins.columns + (x - box.left), margins.rows[y - box.top]);
      }
    }
  }

  Threads threads_;
  Classifier classifier_;
  std::optional<Colours> colours_[2];   // red first, blue first
  std::vector<std::uint32_t> columns_;  // of each band
  std::vector<Sums> parts_;             // of each band
  std::vector<float> across_;           // of each column of the box: its squared distance from the window's centre
  double ms_ = 0;
};

}  // namespace

std::unique_ptr<Moments> make_cpu_moments(int threads) { return std::make_unique<CpuMoments>(threads); }

}  // namespace kinema::head
