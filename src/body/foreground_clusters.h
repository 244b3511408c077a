// Pieces of what stands before floor and walls, and how much each is like a person.
#pragma once

#include "body/foreground_gate.h"
#include "core/geometry.h"
#include "kinema/foreground.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kinema::body {

/// A piece that hangs together, as cells of a grid.
struct Piece {
  Candidate candidate;
  std::vector<std::size_t> cells;
};

struct Pieces {
  CellGrid grid;
  std::vector<Piece> pieces;  // the likeliest person first; specks are left out
};

/// What is known of the scene when a piece is judged.
struct Surroundings {
  Vec3 up{0, -1, 0};
  const Plane* floor = nullptr;
  double noise = 0.0015;  // of an inverse depth
  Gate::View seen{};      // directions in which anything was measured: a person at their border goes on beyond it
};

Pieces find_pieces(std::span<const Vec3f> points, const Surroundings& scene);

}  // namespace kinema::body
