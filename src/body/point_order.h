// A frame's points as rays in tiles: neighbours in space stand together, so that few capsules matter to a tile.
#pragma once

#include "body/capsule_frame.h"
#include "core/threads.h"
#include "kinema/body.h"

#include <cstdint>
#include <vector>

namespace kinema::body {

inline constexpr std::size_t tile_rays = 128;
inline constexpr std::size_t subtile_rays = 16;
inline constexpr std::size_t group_tiles = 8;
inline constexpr std::size_t tile_subtiles = tile_rays / subtile_rays;

/// The bounds of a tile's subtiles, number by number, so that all are tested at once.
struct SubtileBounds {
  float vx[tile_subtiles], vy[tile_subtiles], vz[tile_subtiles];
  float spread[tile_subtiles];
  float nearest[tile_subtiles], furthest[tile_subtiles];
};

struct RayTile {
  // relative to the tile's origin: v = V + w, Delta = D + e; beyond `count` the last ray is repeated
  alignas(64) float wx[tile_rays], wy[tile_rays], wz[tile_rays], e[tile_rays];
  float x[tile_rays], y[tile_rays], z[tile_rays];  // the points as they came, for what needs double precision
  SubtileBounds subtiles;
  TileBounds bounds;
  TileBounds group_bounds;  // of the eight tiles that lie together
  std::size_t group;
  std::size_t count;
  bool background;  // all of its points are, or none
};

/// Drops bad points and arranges the rest.
std::vector<RayTile> make_ray_tiles(PointsView points, const LikelihoodSettings& settings, const Threads& threads,
                                    PointCount& count);

}  // namespace kinema::body
