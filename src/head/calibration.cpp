// From frames with an oval to a filter. The paper's own method is that of its reference [8]; this one serves the same
// purpose: pixels are binned in a grid over RGB, and cells, not pixels, enter the objective.
#include "kinema/head_calibration.h"

#include "head/constants.h"
#include "head/moments/pixel_reader.h"
#include "head/pattern.h"
#include "head/soft_window.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::head {
namespace {

struct Cell {
  std::uint32_t skin = 0, other = 0;
  std::uint64_t r = 0, g = 0, b = 0;  // sums over both
};

// Pixels [begin, end) of a row within a centred half width.
struct Run {
  std::size_t begin = 0, end = 0;
};

Run run_of(double centre, double half, std::size_t width) {
  const double from = std::ceil(centre - half), to = std::floor(centre + half) + 1;
  const auto inside = [&](double x) {
    return static_cast<std::size_t>(std::clamp(x, 0.0, static_cast<double>(width)));
  };
  const Run run{inside(from), inside(to)};
  return run.begin < run.end ? run : Run{};
}

// Half the width of an ellipse at a height above or below its centre; negative outside.
double half_width(const Oval& oval, double scale, double y) {
  const double v = (y - oval.cy) / (scale * oval.ry);
  return v * v <= 1 ? scale * oval.rx * std::sqrt(1 - v * v) : -1;
}

class Grid {
public:
  void add(const ColourView& frame, std::size_t y, Run run, std::uint32_t Cell::*side) {
    with_format(frame.format, [&](auto format) {
      const PixelRow<decltype(format)::value> row(frame, y);
      for (std::size_t x = run.begin; x < run.end; ++x) {
        const Rgb colour = row[x];
        Cell& cell = grid_[(colour.r / levels * cells + colour.g / levels) * cells + colour.b / levels];
        ++(cell.*side);
        cell.r += colour.r;
        cell.g += colour.g;
        cell.b += colour.b;
      }
    });
  }

  std::vector<ColourCount> counts() const {
    std::vector<ColourCount> counts;
    for (const Cell& cell : grid_) {
      const double pixels = static_cast<double>(cell.skin) + cell.other;
      if (pixels == 0) continue;
      counts.push_back({static_cast<float>(static_cast<double>(cell.r) / pixels),
                        static_cast<float>(static_cast<double>(cell.g) / pixels),
                        static_cast<float>(static_cast<double>(cell.b) / pixels), static_cast<double>(cell.skin),
                        static_cast<double>(cell.other)});
    }
    return counts;
  }

private:
  static constexpr std::size_t cells = 32, levels = 256 / cells;  // along a channel, and of a cell
  std::vector<Cell> grid_ = std::vector<Cell>(cells * cells * cells);
};

void add_frame(Grid& grid, const ColourView& frame, const Oval& oval) {
  for (std::size_t y = 0; y < frame.height; ++y) {
    const auto row = static_cast<double>(y);
    const Run skin = run_of(oval.cx, half_width(oval, 1, row), frame.width);
    Run apart = run_of(oval.cx, half_width(oval, calibration_ring, row), frame.width);
    if (row > oval.cy && row <= oval.cy + calibration_neck * oval.ry) {
      const Run neck = run_of(oval.cx, oval.rx, frame.width);
      apart = apart.begin < apart.end ? Run{std::min(apart.begin, neck.begin), std::max(apart.end, neck.end)} : neck;
    }
    grid.add(frame, y, skin, &Cell::skin);
    if (apart.begin == apart.end) {
      grid.add(frame, y, {0, frame.width}, &Cell::other);
    } else {
      grid.add(frame, y, {0, apart.begin}, &Cell::other);
      grid.add(frame, y, {apart.end, frame.width}, &Cell::other);
    }
  }
}

void check(const ColourView& frame, const Oval& oval) {
  if (frame.data == nullptr || frame.width == 0 || frame.height == 0) throw Error("a frame without pixels");
  if (frame.on_device) throw Error("calibration reads frames of the host: this one lies on the device");
  const bool finite =
      std::isfinite(oval.cx) && std::isfinite(oval.cy) && std::isfinite(oval.rx) && std::isfinite(oval.ry);
  if (!finite || !(oval.rx >= 1) || !(oval.ry >= 1)) {
    throw Error(fmt::format("the oval {},{},{},{} has no extent: give centre and radii in pixels, cx,cy,rx,ry", oval.cx,
                            oval.cy, oval.rx, oval.ry));
  }
  if (oval.cx < 0 || oval.cy < 0 || oval.cx > static_cast<double>(frame.width) - 1 ||
      oval.cy > static_cast<double>(frame.height) - 1) {
    throw Error(fmt::format("the oval's centre {},{} lies outside the frame of {} x {} pixels", oval.cx, oval.cy,
                            frame.width, frame.height));
  }
}

// eq. 6 over the pixels of the oval.
double area_of(const SkinModel& model, const ColourView& frame, const Oval& oval) {
  double sum = 0;
  for (std::size_t y = 0; y < frame.height; ++y) {
    const Run run = run_of(oval.cx, half_width(oval, 1, static_cast<double>(y)), frame.width);
    for (std::size_t x = run.begin; x < run.end; ++x) {
      const Rgb colour = pixel_at(frame, x, y);
      sum += degree(model, colour.r, colour.g, colour.b);
    }
  }
  return sum / (static_cast<double>(frame.width) * static_cast<double>(frame.height));
}

}  // namespace

std::vector<ColourCount> count_colours(std::span<const ColourView> frames, std::span<const Oval> ovals) {
  if (frames.empty()) throw Error("calibration needs at least one frame");
  if (ovals.size() != 1 && ovals.size() != frames.size()) {
    throw Error(fmt::format("{} ovals for {} frames: give one for all, or one for each", ovals.size(), frames.size()));
  }
  Grid grid;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Oval& oval = ovals[ovals.size() == 1 ? 0 : i];
    check(frames[i], oval);
    add_frame(grid, frames[i], oval);
  }
  std::vector<ColourCount> colours = grid.counts();
  if (std::none_of(colours.begin(), colours.end(), [](const ColourCount& c) { return c.skin > 0; })) {
    throw Error("the oval holds no pixel: make it larger");
  }
  if (std::none_of(colours.begin(), colours.end(), [](const ColourCount& c) { return c.other > 0; })) {
    throw Error("the oval leaves no background: make it smaller, or step back from the camera");
  }
  return colours;
}

SkinModel fit_model(const std::string& classifier, std::span<const ColourCount> colours) {
  if (classifier == "plane") return fit_plane(colours);
  if (classifier == RgGaussian::name) return fit_rg(colours);
  if (classifier == XyzGaussian::name) return fit_xyz(colours);
  if (classifier == CbCrGaussian::name) return fit_cbcr(colours);
  if (classifier == HsvBox::name) return fit_hsv(colours);
  if (classifier == TslGaussian::name) return fit_tsl(colours);
  if (classifier == Histogram::name) return fit_histogram(colours);
  std::string known;
  for (std::string_view word : skin_model_names()) known += fmt::format("{}{}", known.empty() ? "" : ", ", word);
  throw Error(fmt::format("'{}' is not a classifier: it is one of {}", classifier, known));
}

Calibration calibrate(std::span<const ColourView> frames, std::span<const Oval> ovals,
                      const CalibrationSettings& settings) {
  const std::vector<ColourCount> colours = count_colours(frames, ovals);
  Calibration result;
  result.filter.model = fit_model(settings.classifier, colours);
  result.filter.score = score(result.filter.model, colours);
  // one oval was drawn for the first frame; if each frame has its own, tracking starts at the last
  const ColourView& frame = ovals.size() == 1 ? frames.front() : frames.back();
  const Oval& oval = ovals.back();
  HeadReference reference;
  reference.width = frame.width;
  reference.height = frame.height;
  reference.oval = oval;
  reference.area = area_of(result.filter.model, frame, oval);
  reference.distance = settings.distance;
  reference.field_of_view = settings.field_of_view;
  const std::unique_ptr<Moments> moments = make_moments({}, Backend::cpu);
  moments->set_classifier(make_classifier(result.filter.model));
  reference.frame_area =
      moments->measure(frame).w / (static_cast<double>(frame.width) * static_cast<double>(frame.height));
  const Scene scene{*moments, frame, {}};
  reference.anchor = anchor_of(scene, oval);
  reference.patch = patch_of(frame, oval);
  reference.contrast = std::max(0.0, contrast(scene, window_around(oval, reference.anchor)).difference());
  result.head = reference;
  return result;
}

}  // namespace kinema::head
