// Rasterises triangles with a depth buffer: the surface of a synthetic face at each pixel, and what its light reaches.
#pragma once

#include "core/geometry.h"
#include "synth/faces/face_surface.h"

#include <vector>

namespace kinema::synth {

/// The first surface at each pixel.
struct FaceRaster {
  int width = 0, height = 0;
  std::vector<float> nearness;  // greater is nearer; empty_nearness where there is nothing
  std::vector<Vec3f> normal, place, position;
  std::vector<FaceMaterial> material;

  static constexpr float empty_nearness = -1e30f;

  FaceRaster(int width, int height);
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
  }
};

/// A corner in the camera's view: pixel x, y, and z its nearness.
using Projection = Vec3f;

/// Draws the mesh, whose corners lie at `projected` in the picture and at `position` and `normal` in the camera frame.
void draw(FaceRaster& raster, const FaceMesh& mesh, const std::vector<Projection>& projected,
          const std::vector<Vec3f>& position, const std::vector<Vec3f>& normal);

/// Nearness only, for shadows.
class ShadowMap {
public:
  /// `light`: unit vector towards it. Covers everything within `radius` of the origin.
  ShadowMap(const Vec3f& light, float radius);

  void add(const FaceMesh& mesh, const std::vector<Vec3f>& position);

  /// From 0 in the shadow to 1 in the light, with a soft edge.
  float light_at(const Vec3f& position) const;

private:
  Projection project(const Vec3f& position) const;

  static constexpr int size = 192;
  Vec3f towards_, right_, down_;
  float radius_;
  std::vector<float> nearness_;
};

}  // namespace kinema::synth
