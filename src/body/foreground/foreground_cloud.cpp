#include "body/foreground/foreground_cloud.h"

#include "body/constants_mechanisms.h"
#include "body/foreground/constants_foreground.h"
#include "body/foreground/foreground_thinning.h"

#include <algorithm>

namespace kinema::body {
namespace {

using namespace constants::gate;

// Whether so many points are thinned evenly in space, which takes time. Of the many pixels of a matched pair, whose neighbours
// share their errors, every second does as well.
bool too_many(std::size_t count, std::size_t most, const ForegroundSettings& settings) {
  if (!mechanisms::even_thinning || (settings.incomplete && most >= plenty_of_points)) return false;
  return most != 0 && static_cast<double>(count) > thinning_ratio * static_cast<double>(most);
}

void grow(PointCloud& cloud, std::size_t count) {
  if (cloud.background.size() >= count) return;
  cloud.xyz.resize(3 * count);
  cloud.background.resize(count);
}

}  // namespace

std::span<GatedPoints> CloudBuilder::parts(std::size_t count) {
  if (parts_.size() < count) parts_.resize(count);
  used_ = count;
  for (std::size_t i = 0; i < count; ++i) parts_[i].clear();
  return std::span(parts_).first(count);
}

void CloudBuilder::fill(PointCloud& cloud, const ForegroundSettings& settings, const Threads& threads) {
  std::size_t at = 0;
  for (const std::uint8_t mark : {0, 1}) {
    const auto kind = mark == 0 ? &GatedPoints::person : &GatedPoints::background;
    const std::size_t most = mark == 0 ? settings.points : settings.background_points;
    at = put(cloud, at, kind, most, mark, settings, threads);
  }
  cloud.xyz.resize(3 * at);
  cloud.background.resize(at);
}

// Points with this mark from `at` on, at most `most`, evenly spaced; returns their end.
std::size_t CloudBuilder::put(PointCloud& cloud, std::size_t at, std::vector<Vec3f> GatedPoints::*kind,
                              std::size_t most, std::uint8_t mark, const ForegroundSettings& settings,
                              const Threads& threads) {
  first_.assign(1, 0);
  for (std::size_t i = 0; i < used_; ++i) first_.push_back(first_.back() + (parts_[i].*kind).size());
  const std::size_t all = first_.back();
  if (all == 0) return at;
  const auto write = [&](std::size_t i, const Vec3f& p) {
    float* out = cloud.xyz.data() + 3 * (at + i);
    out[0] = p.x, out[1] = p.y, out[2] = p.z;
    cloud.background[at + i] = mark;
  };
  if (too_many(all, most, settings)) {
    const std::vector<Vec3f> points = thinned(kind, most, mark);
    grow(cloud, at + points.size());
    for (std::size_t i = 0; i < points.size(); ++i) write(i, points[i]);
    return at + points.size();
  }
  const std::size_t count = most == 0 ? all : std::min(most, all);
  grow(cloud, at + count);
  threads.for_each(used_, [&](std::size_t part) {
    const std::vector<Vec3f>& points = parts_[part].*kind;
    // the i-th kept point is number i all / count, computed without a division per point
    std::size_t i = (first_[part] * count + all - 1) / all;
    std::size_t number = i * all / count, rest = i * all % count;
    for (; i < count && number < first_[part + 1]; ++i) {
      write(i, points[number - first_[part]]);
      number += 1, rest += all - count;
      if (rest >= count) ++number, rest -= count;
    }
  });
  return at + count;
}

std::vector<Vec3f> CloudBuilder::thinned(std::vector<Vec3f> GatedPoints::*kind, std::size_t most,
                                         std::uint8_t mark) const {
  std::vector<Vec3f> points, chosen;
  for (std::size_t i = 0; i < used_; ++i)
    points.insert(points.end(), (parts_[i].*kind).begin(), (parts_[i].*kind).end());
  std::vector<Vec3f> places = points;
  // rays spread evenly over the view, whatever they hit
  if (mark != 0)
    for (Vec3f& p : places) p = {p.x / p.z, p.y / p.z, 0};
  for (const std::uint32_t i : thin_evenly(places, most)) chosen.push_back(points[i]);
  return chosen;
}

}  // namespace kinema::body
