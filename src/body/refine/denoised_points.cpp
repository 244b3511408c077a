#include "body/refine/denoised_points.h"

#include "body/constants.h"
#include "body/constants_mechanisms.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <span>

namespace kinema::body {
namespace {

using namespace constants::denoising;

// The direction of a ray, in metres at the person's distance, and the inverse depth of its end: the noise of an inverse
// depth is uniform.
struct RayEnd {
  float x, y, w;
  std::size_t point;
};

std::vector<RayEnd> person_sights(PointsView points, double distance) {
  std::vector<RayEnd> sights;
  for (std::size_t i = 0; i < points.size; ++i) {
    if (!points.background.empty() && points.background[i] != 0) continue;
    const float* p = points.xyz + 3 * i;
    if (!std::isfinite(p[0]) || !std::isfinite(p[1]) || !std::isfinite(p[2]) || !(p[2] > 0)) continue;
    const float w = 1 / p[2], scale = static_cast<float>(distance) * w;
    sights.push_back({p[0] * scale, p[1] * scale, w, i});
  }
  return sights;
}

// Sights sorted by the cells of a grid over their directions.
class SightGrid {
public:
  explicit SightGrid(std::span<const RayEnd> sights) {
    for (const RayEnd& s : sights) {
      left_ = std::min(left_, s.x), right_ = std::max(right_, s.x);
      top_ = std::min(top_, s.y), bottom_ = std::max(bottom_, s.y);
    }
    if (!(right_ - left_ < widest_person && bottom_ - top_ < widest_person)) return;
    columns_ = column(right_) + 1;
    first_.assign(columns_ * (row(bottom_) + 1) + 1, 0);
    for (const RayEnd& s : sights) ++first_[cell_of(s) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) {
      occupied_ += first_[i] != 0 ? 1 : 0;
      first_[i] += first_[i - 1];
    }
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    sorted_.resize(sights.size());
    for (const RayEnd& s : sights) sorted_[next[cell_of(s)]++] = s;
  }

  bool empty() const { return sorted_.empty(); }
  std::span<const RayEnd> sights() const { return sorted_; }

  // Sights per square metre, over occupied cells.
  double density() const {
    return static_cast<double>(sorted_.size()) / (static_cast<double>(occupied_) * ray_cell * ray_cell);
  }

  // Calls take(sight) for those in the cells within `reach` of one.
  template <class Take>
  void around(const RayEnd& s, float reach, Take&& take) const {
    const std::size_t from = column(std::max(left_, s.x - reach)), to = column(std::min(right_, s.x + reach));
    const std::size_t end = row(std::min(bottom_, s.y + reach));
    for (std::size_t r = row(std::max(top_, s.y - reach)); r <= end; ++r) {
      for (std::size_t i = first_[r * columns_ + from]; i < first_[r * columns_ + to + 1]; ++i) take(sorted_[i]);
    }
  }

private:
  std::size_t column(float x) const { return static_cast<std::size_t>((x - left_) / ray_cell); }
  std::size_t row(float y) const { return static_cast<std::size_t>((y - top_) / ray_cell); }
  std::size_t cell_of(const RayEnd& s) const { return row(s.y) * columns_ + column(s.x); }

  float left_ = 1e30f, right_ = -1e30f, top_ = 1e30f, bottom_ = -1e30f;
  std::size_t columns_ = 0, occupied_ = 0;
  std::vector<std::size_t> first_;  // index of each cell's first sight, and the end
  std::vector<RayEnd> sorted_;
};

}  // namespace

void DenoisedPoints::set(PointsView points, double noise, double distance) {
  view_ = points;
  noise_ = {};
  if (!points.deviation.empty()) {
    std::vector<float> own;
    for (std::size_t i = 0; i < points.size; ++i)
      if (points.deviation[i] > 0) own.push_back(points.deviation[i]);
    if (own.empty() || !mechanisms::projective_contacts) return;
    const auto middle = own.begin() + static_cast<std::ptrdiff_t>(own.size() / 2);
    std::nth_element(own.begin(), middle, own.end());
    noise_ = {.deviation = constants::refinement::projective_noise * *middle, .projective = true};
    return;
  }
  noise_ = {.deviation = noise * distance * distance};
  if (!(noise_.deviation > negligible_noise)) return;
  const SightGrid grid(person_sights(points, distance));
  if (grid.empty()) return;

  const double wanted = noise_.deviation * noise_.deviation / (negligible_noise * negligible_noise);
  // at least to the neighbouring pixels
  const double own = neighbour_spacing / std::sqrt(grid.density()),
               needed = std::sqrt(wanted / (std::numbers::pi * grid.density()));
  const auto reach = static_cast<float>(std::min(averaging_reach, std::max(own, needed)));
  const auto apart = static_cast<float>(same_skin * noise);
  xyz_.assign(points.xyz, points.xyz + 3 * points.size);
  double independent = 0;
  for (const RayEnd& s : grid.sights()) {
    double sum = 0, count = 0;
    grid.around(s, reach, [&](const RayEnd& other) {
      const float x = other.x - s.x, y = other.y - s.y;
      if (x * x + y * y > reach * reach || std::abs(other.w - s.w) > apart) return;
      sum += other.w;
      ++count;
    });
    const auto further = static_cast<float>(count * s.w / sum);
    for (std::size_t c = 0; c < 3; ++c) xyz_[3 * s.point + c] *= further;
    independent += 1 / count;
  }
  noise_.deviation *= std::sqrt(independent / static_cast<double>(grid.sights().size()));
  noise_.independent = independent;
  view_.xyz = xyz_.data();
}

}  // namespace kinema::body
