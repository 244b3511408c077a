// A frame's points as rays in tiles of spatial neighbours on the device, so that few capsules matter to a tile. A tile
// is 256 rays, its subtiles are the 32 rays of a warp.
#pragma once

#include "body/likelihood/capsule_frame.h"
#include "core/cuda/buffer.h"
#include "core/threads.h"
#include "kinema/body.h"

#include <cstdint>
#include <vector>

namespace kinema::body {

/// The tiles as kernels read them. Foreground tiles come first; a tile holds points of one kind.
struct RayTilesView {
  const float4* rays;          // (tiles, 256): w and e, v = V + w, Delta = D + e
  const float3* points;        // (tiles, 256): as given, for double precision
  const TileBounds* tiles;     // (tiles)
  const TileBounds* subtiles;  // (tiles, 8)
  const int* counts;           // (tiles): rays in use, the rest repeats one of them
  const float* scales;         // (tiles, 256): of distances, see distance_scale(); null: all 1
  int foreground_tiles;
  int background_tiles;
};

/// Points of a piece that have a ray: the person's, and those past it.
struct PieceCount {
  std::size_t person = 0, past = 0;
};

class RayTilesCuda {
public:
  static constexpr int tile_rays = 256;
  static constexpr int subtile_rays = 32;
  static constexpr int subtiles = tile_rays / subtile_rays;

  /// Uploads the points, drops invalid ones and arranges the rest, all in the stream: does not wait.
  PointCount set_points(PointsView points, const LikelihoodSettings& settings, cudaStream_t stream);

  /// Those that another device has arranged. Returns the number of bytes.
  std::size_t copy(const RayTilesCuda& other, cudaStream_t stream);

  RayTilesView view() const;
  int tiles() const { return foreground_tiles_ + background_tiles_; }

  /// Device memory held, in bytes.
  std::size_t bytes() const;

private:
  Threads threads_;  // that copy
  cuda::PinnedBuffer<float> staging_, deviation_staging_;
  cuda::PinnedBuffer<std::uint8_t> marks_staging_;
  cuda::Event sent_;
  std::vector<PieceCount> pieces_;  // of the last points, as counted by threads
  cuda::Buffer<float> xyz_, deviation_;
  cuda::Buffer<std::uint8_t> marks_;
  cuda::Buffer<unsigned> keys_, keys_sorted_, order_, order_sorted_;
  cuda::Buffer<unsigned> statistics_;
  cuda::Buffer<std::uint8_t> sort_space_;
  std::size_t sorted_ = 0, sort_bytes_ = 0;  // points of the last sort, and the memory that it took
  cuda::Buffer<float4> rays_;
  cuda::Buffer<float> scales_;
  cuda::Buffer<float3> points_;
  cuda::Buffer<TileBounds> tiles_, subtile_bounds_;
  cuda::Buffer<int> counts_;
  bool scaled_ = false;  // deviations were given
  int foreground_tiles_ = 0, background_tiles_ = 0;
};

}  // namespace kinema::body
