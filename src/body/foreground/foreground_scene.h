// The scene without people: floor, walls and an optional background image, kept across frames while they hold.
#pragma once

#include "body/foreground/foreground_planes.h"
#include "core/threads.h"
#include "kinema/camera.h"
#include "kinema/foreground.h"

#include <span>
#include <vector>

namespace kinema::body {

class Scene {
public:
  /// The camera may be empty where all frames are point clouds.
  Scene(const Camera& camera, const ForegroundSettings& settings, int threads);

  void set_background(ImageView<const float> depth);

  /// Updates the scene with a frame: detects floor and walls the first time, and again where they no longer fit.
  /// `several`: people may stand side by side, so that where most of the image is unknown only the floor is a plane.
  void look(ImageView<const float> depth, bool several = false);
  void look(std::span<const InverseDepthSample> samples);

  /// Depths from this value on are background: at a pixel, or (planes only) in any direction.
  const float* limits(std::size_t row) const { return limit_.data() + row * columns_.size(); }
  float limit(float x, float y) const;

  /// Whether it lies in a large flat object of finite extent, such as a table.
  bool in_flat_thing(float x, float y, float depth) const;

  std::span<const float> columns() const { return columns_; }  // directions x of the image's columns
  std::span<const float> rows() const { return rows_; }
  double noise() const { return noise_; }  // of an inverse depth
  std::span<const Plane> planes() const { return planes_; }
  const Plane* floor() const;

private:
  bool holds(std::span<const SurfaceCount> counts, std::size_t samples) const;
  void search(const DepthBlocks& blocks, std::span<const InverseDepthSample> samples, bool several = false);
  void describe();       // the bounding planes as the tests need them
  void update_limits();  // of all pixels
  void sample(ImageView<const float> depth);
  std::vector<InverseDepthSample> all_sights() const;

  ForegroundSettings settings_;
  Threads threads_;
  std::vector<float> columns_, rows_;
  std::vector<float> background_;  // empty, or per pixel the inverse depth below which everything is background
  std::vector<float> limit_;       // depth at each pixel
  std::vector<Surface> surfaces_;
  std::vector<InverseDepthPlane> bounds_;
  std::vector<Surface> flat_;
  std::vector<Plane> planes_;
  double noise_ = 0.0015;
  /// Some samples of the last image and counts by surface: in parts, each filled by one thread.
  struct Part {
    std::vector<InverseDepthSample> samples;
    std::vector<SurfaceCount> counts;  // (surface)
  };
  std::vector<Part> parts_;
  int until_search_ = 0;  // frames, where there is no plane to test
};

}  // namespace kinema::body
