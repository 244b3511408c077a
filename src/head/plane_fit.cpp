// The plane of eq. 2 that separates skin from background best.
//
// With the unit normal n, the fuzzy band's width w and its middle t, the degree of a colour p is clamp((n p - t) / w +
// 1/2), and the objective is the sum over the cells of (share of skin - share of background) times degree. Along one
// normal it is a function of t alone, which a histogram of the projections gives for all t at once: so only the two
// angles of the normal are searched, from many starts. The objective grows as w shrinks (a ramp is a mean of steps, and
// no mean exceeds its maximum), so it cannot determine w: the widest that costs little is taken.
#include "head/constants.h"
#include "kinema/error.h"
#include "kinema/head_calibration.h"

#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace kinema::head {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int bins = 448;  // projections range from -443 to 443; two levels per bin
constexpr double bin = 2;  // levels
constexpr double least = -bin * bins / 2;
constexpr std::array widths = {96.0, 64.0, 48.0, 32.0, 24.0, 16.0};  // levels, all multiples of a bin

struct Candidate {
  Vector3d normal = Vector3d::UnitX();
  double middle = 0, score = -std::numeric_limits<double>::infinity();
};

class Objective {
public:
  explicit Objective(std::span<const ColourCount> colours) {
    double skin = 0, other = 0;
    for (const ColourCount& colour : colours) {
      skin += colour.skin;
      other += colour.other;
    }
    if (!(skin > 0)) throw Error("no colour is marked as skin");
    if (!(other > 0)) throw Error("no colour is marked as background");
    for (const ColourCount& colour : colours) {
      const double share = colour.skin / skin - colour.other / other;
      if (share == 0) continue;
      cells_.push_back({colour.r, colour.g, colour.b, static_cast<float>(share)});
    }
  }

  /// The best middle for a normal or its opposite, whichever is better.
  Candidate along(const Vector3d& normal, double width) const {
    std::array<double, bins + 1> steps{};  // first the contents of a bin, then those at or above its lower edge
    const auto nx = static_cast<float>(normal.x() / bin), ny = static_cast<float>(normal.y() / bin),
               nz = static_cast<float>(normal.z() / bin);
    for (const Cell& cell : cells_) {
      // interpolated between two bins, so that the objective has no steps
      const float place = cell.r * nx + cell.g * ny + cell.b * nz + static_cast<float>(bins) / 2;
      const int at = static_cast<int>(place);
      const float upper = cell.share * (place - static_cast<float>(at));
      steps[static_cast<std::size_t>(at)] += static_cast<double>(cell.share - upper);
      steps[static_cast<std::size_t>(at) + 1] += static_cast<double>(upper);
    }
    for (int i = bins - 1; i >= 0; --i) steps[static_cast<std::size_t>(i)] += steps[static_cast<std::size_t>(i) + 1];

    // a ramp is a mean of steps: a moving mean over the width
    const int span = static_cast<int>(width / bin);
    double sum = 0;
    Candidate best, opposite;
    for (int i = 0; i <= bins; ++i) {
      sum += steps[static_cast<std::size_t>(i)];
      if (i >= span) sum -= steps[static_cast<std::size_t>(i - span)];
      if (i + 1 < span) continue;
      const double score = sum / span, middle = least + bin * (i - 0.5 * (span - 1)) - bin / 2;
      if (score > best.score) best = {normal, middle, score};
      // shares sum to 0, so the rest is below
      if (-score > opposite.score) opposite = {-normal, -middle, -score};
    }
    return best.score >= opposite.score ? best : opposite;
  }

  /// Fisher's linear discriminant: the direction that maximises the distance of the means relative to the spread
  /// within.
  Vector3d fisher() const {
    std::array<Vector3d, 2> mean = {Vector3d::Zero(), Vector3d::Zero()};
    std::array<double, 2> mass = {0, 0};
    for (const Cell& cell : cells_) {
      const std::size_t side = cell.share > 0 ? 0 : 1;
      mean[side] += std::abs(cell.share) * cell.colour();
      mass[side] += std::abs(cell.share);
    }
    for (std::size_t side : {0u, 1u}) mean[side] /= std::max(mass[side], 1e-12);
    Matrix3d within = Matrix3d::Identity();  // a level squared prevents division by 0 for flat colours
    for (const Cell& cell : cells_) {
      const std::size_t side = cell.share > 0 ? 0 : 1;
      const Vector3d away = cell.colour() - mean[side];
      within += std::abs(cell.share) / std::max(mass[side], 1e-12) * away * away.transpose();
    }
    const Vector3d direction = within.ldlt().solve(mean[0] - mean[1]);
    return direction.norm() > 0 ? direction.normalized() : Vector3d::UnitX();
  }

private:
  struct Cell {
    float r, g, b, share;
    Vector3d colour() const { return {r, g, b}; }
  };
  std::vector<Cell> cells_;
};

// Hill climbing over the sphere of normals, with steps that halve if none of four directions improves.
Candidate climb(const Objective& objective, Candidate at, double width, double step) {
  constexpr double smallest = 0.004;  // radians: a level at the far end of a channel
  at = objective.along(at.normal, width);
  while (step >= smallest) {
    const Vector3d aside = at.normal.unitOrthogonal(), up = at.normal.cross(aside);
    Candidate best = at;
    for (const Vector3d& way : {aside, Vector3d(-aside), up, Vector3d(-up)}) {
      const Candidate next = objective.along((at.normal + step * way).normalized(), width);
      if (next.score > best.score) best = next;
    }
    if (best.score > at.score + 1e-9) {
      at = best;
    } else {
      step /= 2;
    }
  }
  return at;
}

// Evenly over the half sphere, along a spiral; the opposite of each is tried with it.
std::vector<Vector3d> spiral(int count) {
  std::vector<Vector3d> normals;
  const double golden = std::numbers::pi * (3 - std::sqrt(5.0));
  for (int i = 0; i < count; ++i) {
    const double z = (i + 0.5) / count, radius = std::sqrt(1 - z * z), angle = golden * i;
    normals.emplace_back(radius * std::cos(angle), radius * std::sin(angle), z);
  }
  return normals;
}

}  // namespace

SkinPlane fit_plane(std::span<const ColourCount> colours) {
  const Objective objective(colours);
  std::vector<Candidate> starts = {objective.along(objective.fisher(), search_band)};
  for (const Vector3d& normal : spiral(search_normals)) starts.push_back(objective.along(normal, search_band));
  std::stable_sort(starts.begin() + 1, starts.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });

  Candidate top;
  for (std::size_t i = 0; i < std::min(search_climbs + 1, starts.size()); ++i) {
    const Candidate found = climb(objective, starts[i], search_band, 0.1);
    if (found.score > top.score) top = found;
  }

  std::array<Candidate, widths.size()> by_width;
  double best = 0;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    by_width[i] =
        climb(objective, i == 0 || by_width[i - 1].score < top.score ? top : by_width[i - 1], widths[i], 0.05);
    best = std::max(best, by_width[i].score);
  }
  std::size_t chosen = 0;
  while (chosen + 1 < widths.size() && by_width[chosen].score < soft_plane_score * best) ++chosen;
  const auto& [normal, middle, score] = by_width[chosen];
  const double width = widths[chosen];
  return {normal.x() / width, normal.y() / width, normal.z() / width, 0.5 - middle / width};
}

}  // namespace kinema::head
