// Faces made from a model that is known: a mean shape, two modes of shape and two of texture, drawn by an exact
// piecewise-affine warp. What a training should find, and where a fit should end.
#pragma once

#include "face/model/shape.h"
#include "kinema/face.h"

#include <array>
#include <cstdint>
#include <vector>

namespace kinema::face {

struct PlantedFace {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
  std::vector<float> landmarks;

  GreyView view() const { return {pixels.data(), width, height, width}; }
  Example example() const { return {view(), landmarks, "planted"}; }
};

struct PlantedParameters {
  std::array<double, 2> shape = {0, 0};    ///< in standard deviations
  std::array<double, 2> texture = {0, 0};  ///< in standard deviations
  Similarity pose = {40, 0, 80, 80};       ///< of the model's unit to the image
  double contrast = 1, brightness = 0;
};

class Planted {
public:
  Planted();

  PlantedFace draw(const PlantedParameters& parameters, std::size_t width = 160, std::size_t height = 160) const;

  /// Faces with parameters drawn from the standard normal distribution.
  std::vector<PlantedFace> population(std::size_t count, std::uint64_t seed) const;

  const std::vector<double>& mean() const { return mean_; }
  const std::vector<double>& mode(std::size_t k) const { return modes_[k]; }
  double deviation(std::size_t k) const { return deviations_[k]; }
  Layout layout() const;

private:
  double texture(double x, double y, const std::array<double, 2>& parameters) const;

  std::vector<double> mean_;
  std::array<std::vector<double>, 2> modes_;  // unit vectors, orthogonal to each other and to the pose
  std::array<double, 2> deviations_ = {0.35, 0.25};
  std::vector<std::array<std::uint16_t, 3>> triangles_;
};

std::vector<Example> examples_of(const std::vector<PlantedFace>& faces);

}  // namespace kinema::face
