// Textures: the samples of a level at a shape, normalised (section 2.1, algorithms 2 and 4). Single precision.
#pragma once

#include "face/model/frame.h"
#include "kinema/face.h"

#include <span>
#include <vector>

namespace kinema::face {

/// The source of the textures of one face: the image itself, or a frame with its features.
struct TextureSource {
  Channels channels;
  Similarity to_source;  ///< from the model's unit, under the pose of the source, to pixels of `channels`
};

/// Prepares an image for a level, for shapes near this pose.
TextureSource texture_source(const Level& level, const GreyView& image, const Similarity& pose,
                             const Threads* threads = nullptr);

/// g_im at a shape in pixels of the source.
void sample_texture(const Level& level, std::span<const std::array<std::uint16_t, 3>> triangles, const Channels& from,
                    std::span<const float> shape, std::span<float> texture);

/// See Level::photometric.
void normalise_texture(std::span<float> texture, std::span<const float> mean);

/// Normalises a texture to mean 0 and variance 1; false if it is flat.
bool standardise_texture(std::span<float> texture);

}  // namespace kinema::face
