#include "head/moments/degree_map.h"

#include "head/constants.h"

#include <algorithm>
#include <cmath>

namespace kinema::head {

Degrees::Degrees(const Classifier& classifier) {
  if (const auto* table = std::get_if<std::shared_ptr<const Table>>(&classifier)) {
    table_ = (*table)->degrees.data();
    return;
  }
  const SkinPlane& plane = std::get<SkinPlane>(classifier);
  r_ = static_cast<float>(plane.r);
  g_ = static_cast<float>(plane.g);
  b_ = static_cast<float>(plane.b);
  d_ = static_cast<float>(plane.d);
}

Part part_of(const ColourView& frame, double cx, double cy, double half_width, double half_height) {
  const auto inside = [](double value, std::size_t size) {
    return static_cast<std::size_t>(std::clamp(value, 0.0, static_cast<double>(size)));
  };
  return {inside(std::floor(cx - half_width), frame.width), inside(std::floor(cy - half_height), frame.height),
          inside(std::ceil(cx + half_width) + 1, frame.width), inside(std::ceil(cy + half_height) + 1, frame.height)};
}

DegreeMap::DegreeMap(const ColourView& frame, const Degrees& degrees, const Part& part, std::size_t step,
                     const ImageView<const std::uint8_t>& mask)
    : part_(part),
      step_(std::max<std::size_t>(1, step)),
      columns_((part.right - part.left + step_ - 1) / step_),
      rows_((part.bottom - part.top + step_ - 1) / step_),
      integral_((columns_ + 1) * (rows_ + 1)) {
  const std::size_t stride = std::max<std::size_t>(1, step_ / 4), first = stride / 2;
  for (std::size_t row = 0; row < rows_; ++row) {
    double line = 0;
    for (std::size_t column = 0; column < columns_; ++column) {
      const std::size_t left = part.left + column * step_, top = part.top + row * step_;
      const std::size_t right = std::min(left + step_, part.right), bottom = std::min(top + step_, part.bottom);
      float total = 0;
      std::size_t count = 0;
      for (std::size_t y = std::min(top + first, bottom - 1); y < bottom; y += stride) {
        for (std::size_t x = std::min(left + first, right - 1); x < right; x += stride) {
          const float weight = mask.data == nullptr ? 1 : static_cast<float>(mask.at(x, y)) * (1.0f / 255);
          total += weight * degrees(pixel_at(frame, x, y));
          ++count;
        }
      }
      line += static_cast<double>(total) / static_cast<double>(count);
      integral_[(row + 1) * (columns_ + 1) + column + 1] = integral_[row * (columns_ + 1) + column + 1] + line;
    }
  }
}

// In blocks from the map's corner, between which the integral is interpolated.
double DegreeMap::sum(double left, double top, double right, double bottom) const {
  const auto at = [&](double x, double y) {
    x = std::clamp(x, 0.0, static_cast<double>(columns_));
    y = std::clamp(y, 0.0, static_cast<double>(rows_));
    const auto column = std::min(static_cast<std::size_t>(x), columns_ - 1);
    const auto row = std::min(static_cast<std::size_t>(y), rows_ - 1);
    const double tx = x - static_cast<double>(column), ty = y - static_cast<double>(row);
    const double* upper = &integral_[row * (columns_ + 1) + column];
    const double* lower = upper + columns_ + 1;
    return (1 - ty) * ((1 - tx) * upper[0] + tx * upper[1]) + ty * ((1 - tx) * lower[0] + tx * lower[1]);
  };
  return at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
}

double DegreeMap::mean(double cx, double cy, double half_width, double half_height) const {
  if (columns_ == 0 || rows_ == 0) return 0;
  const auto step = static_cast<double>(step_);
  const double x = (cx + 0.5 - static_cast<double>(part_.left)) / step;
  const double y = (cy + 0.5 - static_cast<double>(part_.top)) / step;
  const double w = half_width / step, h = half_height / step;
  return sum(x - w, y - h, x + w, y + h) / (4 * w * h);
}

std::vector<DegreeMap::Place> DegreeMap::places(double rx, double ry, std::size_t most) const {
  // a box of the ellipse's area, and a surrounding one of about three times the area
  constexpr double box = 0.886;
  const auto step = static_cast<double>(step_);
  std::vector<Place> all;
  for (std::size_t row = 0; row < rows_; ++row) {
    for (std::size_t column = 0; column < columns_; ++column) {
      Place place;
      place.x = static_cast<double>(part_.left) + (static_cast<double>(column) + 0.5) * step - 0.5;
      place.y = static_cast<double>(part_.top) + (static_cast<double>(row) + 0.5) * step - 0.5;
      place.inside = mean(place.x, place.y, box * rx, box * ry);
      const double whole = mean(place.x, place.y, box * box_surround_factor * rx, box * box_surround_factor * ry);
      place.around = (box_surround_factor * box_surround_factor * whole - place.inside) /
                     (box_surround_factor * box_surround_factor - 1);
      all.push_back(place);
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const Place& a, const Place& b) { return a.contrast() > b.contrast(); });
  std::vector<Place> chosen;
  for (const Place& place : all) {
    if (chosen.size() == most || place.contrast() <= 0) break;
    const bool taken = std::any_of(chosen.begin(), chosen.end(), [&](const Place& other) {
      return std::hypot((place.x - other.x) / rx, (place.y - other.y) / ry) < 1;
    });
    if (!taken) chosen.push_back(place);
  }
  return chosen;
}

}  // namespace kinema::head
