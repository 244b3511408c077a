// Clusters of what stands before floor and walls, and how much each resembles a person.
#pragma once

#include "body/foreground/foreground_gate.h"
#include "core/geometry.h"
#include "kinema/foreground.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kinema::body {

/// A connected cluster, as cells of a grid.
struct Cluster {
  Candidate candidate;
  std::vector<std::size_t> cells;
};

struct Clusters {
  CellGrid grid;
  std::vector<Cluster> clusters;  // the likeliest person first; specks are left out
};

/// What is known of the scene when a cluster is scored.
struct SceneContext {
  Vec3 up{0, -1, 0};
  const Plane* floor = nullptr;
  double noise = 0.0015;    // of an inverse depth
  bool incomplete = false;  // see ForegroundSettings
  Gate::View seen{};        // directions in which anything was measured: a person at their border extends beyond it
};

Clusters find_clusters(std::span<const Vec3f> points, const SceneContext& scene);

/// Everybody among the points, each with what belongs to it, the likeliest first.
Clusters find_people(std::span<const Vec3f> points, const SceneContext& scene);

/// The middle of a cell.
Vec3f middle_of(const CellGrid& grid, std::size_t cell);

/// Of the clusters after the first one those that are nearly as much like a person, each with what belongs to it, the likeliest
/// first.
std::vector<Cluster> rivals_of(const Clusters& found, const SceneContext& scene);

}  // namespace kinema::body
