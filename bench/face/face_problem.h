// Synthetic faces, drawn with varied shape, texture and background, and models trained on them: for benchmarks and
// tests that need a model but no data.
#pragma once

#include "kinema/face.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kinema::bench {

inline constexpr std::size_t face_landmarks = 68;

/// The greatest distance between corresponding landmarks, pixels.
inline double farthest(const std::vector<float>& a, const std::vector<float>& b) {
  double most = 0;
  for (std::size_t i = 0; i + 1 < std::min(a.size(), b.size()); i += 2)
    most = std::max(most, std::hypot(double{a[i]} - b[i], double{a[i + 1]} - b[i + 1]));
  return most;
}

/// An image with one face, and the position of that face.
struct DrawnFace {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
  std::vector<float> landmarks;

  face::GreyView view() const { return {pixels.data(), width, height, width}; }
};

struct DrawSettings {
  std::size_t width = 384, height = 384;
  double size = 70;         ///< of the face: pixels per unit of the model, about
  double x = 0.5, y = 0.5;  ///< its centre, over the image's size
};

/// Face `number` of a seed.
DrawnFace draw_face(std::uint64_t seed, std::uint32_t number, const DrawSettings& settings = {});

/// Faces 0 to `count` - 1, drawn on all cores.
std::vector<DrawnFace> draw_faces(std::uint64_t seed, std::uint32_t count, int threads = 0);

/// A start displaced by about 5 % of the size, in position, scale and rotation.
face::Start displaced_start(const DrawnFace& drawn, std::uint64_t seed, std::uint32_t number);

struct FaceModelSettings {
  std::uint32_t pixels = 4096;
  std::uint32_t modes = 50;  ///< of shape and texture together
  face::Features features = face::Features::intensity;
  bool resampled = false;
  bool project_out = false;
  std::uint32_t cascade_stages = 0;
  std::uint64_t seed = 1;
  int threads = 0;
};

/// The paper trains on this many.
inline constexpr std::uint32_t training_faces = 82;

/// One level, with the combined model; its sequence is algorithm 1, 10 iterations.
std::shared_ptr<const face::Model> make_face_model(const std::vector<DrawnFace>& faces,
                                                   const FaceModelSettings& settings);

}  // namespace kinema::bench
