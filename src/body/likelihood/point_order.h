// A frame's points as rays in tiles of spatial neighbours, so that few capsules matter to a tile.
#pragma once

#include "body/likelihood/capsule_frame.h"
#include "core/threads.h"
#include "kinema/body.h"

#include <cstdint>
#include <vector>

namespace kinema::body {

inline constexpr std::size_t tile_rays = 128;
inline constexpr std::size_t subtile_rays = 16;
inline constexpr std::size_t bundles = 8;  // children of one level in the next
inline constexpr std::size_t group_tiles = bundles;
inline constexpr std::size_t tile_subtiles = bundles;
static_assert(tile_rays == tile_subtiles * subtile_rays);

/// The bounds of a group's tiles or a tile's subtiles as structure of arrays, so that all are tested at once.
struct BundleBounds {
  float vx[bundles], vy[bundles], vz[bundles];
  float spread[bundles];
  float nearest[bundles], furthest[bundles];
};

struct RayTile {
  // relative to the tile's origin: v = V + w, Delta = D + e; beyond `count` the last ray is repeated
  alignas(64) float wx[tile_rays], wy[tile_rays], wz[tile_rays], minus_e[tile_rays];
  float x[tile_rays], y[tile_rays], z[tile_rays];  // the points as given, for double precision
  float scale[tile_rays];                          // of distances: see distance_scale()
  BundleBounds subtiles;
  TileBounds bounds;
  std::size_t count;
};

/// Neighbouring tiles: what cannot matter to the group is not tested against each of them.
struct RayGroup {
  BundleBounds bounds;  // its own, in the first element
  BundleBounds tiles;
  std::size_t first, count;  // of RayTiles::tiles
  bool background;           // whether its points are background: all of them, or none
};

struct RayTiles {
  std::vector<RayTile> tiles;
  std::vector<RayGroup> groups;
};

/// Drops invalid points and arranges the rest.
RayTiles make_ray_tiles(PointsView points, const LikelihoodSettings& settings, const Threads& threads,
                        PointCount& count);

}  // namespace kinema::body
