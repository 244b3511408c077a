// What an appearance model looks like, for people: grey pictures of the mean and of the modes of one of its levels. They
// add up as the model's textures do, so that a page can draw any face of the model by itself.
#pragma once

#include "kinema/face_model.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kinema::serve {

/// Grey values of a level's pixels for a texture of it. An intensity is its own picture; of edges and orientations, which
/// are directions of the gradient, that picture is given whose differences between neighbours come nearest to them.
std::vector<float> grey_of_texture(const face::Level& level, std::span<const float> texture);

/// The level of a model that pages show: the finest that is not finer than what can be seen.
std::size_t shown_level(const face::Model& model);

struct FaceAppearance {
  /// The level that is shown.
  std::size_t level = 0;

  /// Places of the mean shape's landmarks in the level's picture, 0 to 1 across and down.
  std::vector<float> landmark_places;

  std::vector<float> mean;  ///< pixels, about 128

  /// Modes as they are at one standard deviation: shapes (modes x 2 n, the model's unit), pictures (modes x pixels).
  std::size_t shape_modes = 0, texture_modes = 0, combined_modes = 0;
  std::vector<float> shape, texture;
  std::vector<float> combined_shape, combined_texture;
};

/// `most`: modes of each kind.
FaceAppearance face_appearance(const face::Model& model, std::size_t most);

/// How much of each texture mode is in a texture of the level, in standard deviations.
std::vector<float> texture_parameters(const face::Level& level, std::span<const float> texture, std::size_t modes);

}  // namespace kinema::serve
