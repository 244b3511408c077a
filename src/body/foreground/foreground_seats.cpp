#include "body/foreground/foreground_seats.h"

#include "body/foreground/constants_scene.h"
#include "core/geometry.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace kinema::body {
namespace {

using namespace constants::seats;

// The middle of a block, in the frame of the floor.
struct Spot {
  std::size_t block;
  double x, y, height;  // on the floor, and above it
  double slack;         // the depth of a plane through it may differ by this
  Vec3 normal;
};

class SeatSearch {
public:
  SeatSearch(const DepthBlocks& all, std::span<const Surface> surfaces, const Plane& floor)
      : all_(all), floor_(floor), up_(floor.normal) {
    const Vec3 right = cross(up_, Vec3{0, 0, 1});
    across_ = (1 / norm(right)) * right;
    ahead_ = cross(across_, up_);
    for (std::size_t i = 0; i < all.blocks.size(); ++i) {
      const Block& block = all.blocks[i];
      if (!block.flat) continue;
      const Spot spot = spot_of(i);
      if (spot.height < lowest || spot.height > highest) continue;
      if (std::none_of(surfaces.begin(), surfaces.end(), [&](const Surface& s) { return lies_in(block, s); }))
        spots_.push_back(spot);
    }
  }

  std::vector<Surface> run() {
    std::vector<Surface> seats;
    for (int i = 0; i < searches && spots_.size() >= fewest_side_blocks; ++i) {
      const std::optional<PlaneOfBlocks> side = find_side();
      if (!side) break;
      if (is_closed(*side)) seats.push_back(describe(all_, *side));
      std::erase_if(spots_, [&](const Spot& spot) {
        return std::binary_search(side->members.begin(), side->members.end(), spot.block);
      });
    }
    return seats;
  }

private:
  Spot spot_of(std::size_t i) const {
    const Block& block = all_.blocks[i];
    const double w = block.plane.at(block.middle.x, block.middle.y);
    const Vec3 place = (1 / w) * Vec3{block.middle.x, block.middle.y, 1};
    const Vec3 away{block.plane.a, block.plane.b, block.plane.c};
    return {i,
            dot(across_, place),
            dot(ahead_, place),
            dot(up_, place) + floor_.offset,
            side_unevenness + block_deviations * all_.noise / (w * w) / std::sqrt(block.sums.n),
            (1 / norm(away)) * away};
  }

  static bool lies_in(const Block& block, const Surface& surface) {
    const double w = surface.inverse_depth.at(block.middle.x, block.middle.y);
    return std::abs(block.middle.w - w) < constants::scene::scene_deviations * surface.noise;
  }

  // An upright plane is a line on the floor, through two of the blocks.
  struct Line {
    double x, y, dx, dy;
  };

  bool lies_on(const Spot& spot, const Line& line) const {
    return std::abs((spot.x - line.x) * line.dy - (spot.y - line.y) * line.dx) <= spot.slack &&
           std::abs(dot(line.dy * across_ - line.dx * ahead_, spot.normal)) >= constants::planes::tilt;
  }

  std::optional<PlaneOfBlocks> find_side() const {
    std::ptrdiff_t most = 0;
    Line best{};
    const std::size_t step = 1 + spots_.size() / tried_blocks;
    for (std::size_t i = 0; i < spots_.size(); i += step) {
      for (std::size_t j = 0; j < i; j += step) {
        const double dx = spots_[i].x - spots_[j].x, dy = spots_[i].y - spots_[j].y, length = std::hypot(dx, dy);
        if (length < smallest_width / 2) continue;
        const Line line{spots_[i].x, spots_[i].y, dx / length, dy / length};
        const auto count =
            std::count_if(spots_.begin(), spots_.end(), [&](const Spot& spot) { return lies_on(spot, line); });
        if (count > most) most = count, best = line;
      }
    }
    if (most < static_cast<std::ptrdiff_t>(fewest_side_blocks)) return std::nullopt;
    PlaneSums sums;
    PlaneOfBlocks side;
    for (const Spot& spot : spots_) {
      if (!lies_on(spot, best)) continue;
      sums.add(all_.blocks[spot.block].sums);
      side.members.push_back(spot.block);
    }
    const auto plane = sums.fit();
    if (!plane) return std::nullopt;
    side.plane = *plane;
    return side;
  }

  // Whether it is large enough, stands on the floor, and nothing is seen through it: two legs may touch one plane, too.
  bool is_closed(const PlaneOfBlocks& side) const {
    const Vec3 away{side.plane.a, side.plane.b, side.plane.c};
    const Vec3 normal = (1 / norm(away)) * away;
    if (std::abs(dot(normal, up_)) > greatest_lean || area_of(all_, side) < smallest_area) return false;
    const Vec3 along = cross(up_, normal);
    const auto at = [&](const Block& block) {
      const double w = side.plane.at(block.middle.x, block.middle.y);
      const Vec3 place = (1 / w) * Vec3{block.middle.x, block.middle.y, 1};
      return std::pair(dot(along, place), dot(up_, place) + floor_.offset);
    };
    double left = 1e9, right = -1e9, low = 1e9, high = -1e9;
    for (const std::size_t m : side.members) {
      const auto [x, height] = at(all_.blocks[m]);
      left = std::min(left, x), right = std::max(right, x), low = std::min(low, height), high = std::max(high, height);
    }
    std::size_t through = 0;
    for (const Block& block : all_.blocks) {
      const double w = side.plane.at(block.middle.x, block.middle.y);
      if (!block.measured || !(w > 0)) continue;
      const auto [x, height] = at(block);
      const bool inside = x > left && x < right && height > low && height < high;
      if (inside && 1 / block.middle.w > 1 / w + depth_behind + block_deviations * all_.noise / (w * w)) ++through;
    }
    return right - left > smallest_width && low < greatest_gap &&
           static_cast<double>(through) < greatest_through * static_cast<double>(side.members.size());
  }

  const DepthBlocks& all_;
  Plane floor_;
  Vec3 up_, across_, ahead_;
  std::vector<Spot> spots_;
};

}  // namespace

std::vector<Surface> find_seats(const DepthBlocks& all, std::span<const Surface> surfaces) {
  const auto floor = std::find_if(surfaces.begin(), surfaces.end(), [](const Surface& s) { return s.plane.floor; });
  if (floor == surfaces.end()) return {};
  return SeatSearch(all, surfaces, floor->plane).run();
}

}  // namespace kinema::body
