// Faces as pictures: landmarks and mesh over what the camera saw, the shape-free patch, textures of a model, its modes.
// Lines need OpenCV.
#pragma once

#include "io/image_file.h"
#include "kinema/face.h"
#include "kinema/picture.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

struct FaceDrawing {
  bool mesh = true;                        ///< the triangles, thin
  bool truth = false;                      ///< drawn as what should be, in another colour
  std::span<const float> confidence = {};  ///< of each landmark, 0 to 1: doubtful ones are drawn in amber
  std::string_view caption = {};           ///< a line at the foot
  std::string_view alarm = {};             ///< what a reader must not miss, at the top
};

/// Draws into the picture. Small pictures should be enlarged before (see enlarged_for_overlay()).
void draw_landmarks(Picture& picture, std::span<const float> landmarks, const face::Layout& layout,
                    std::span<const std::array<std::uint16_t, 3>> triangles, const FaceDrawing& drawing = {});

/// By which whole number a picture of this size is enlarged so that lines stay fine, and landmarks in it.
int overlay_enlargement(int width, int height);
Picture enlarged_for_overlay(const Picture& picture, int factor);
std::vector<float> enlarged_landmarks(std::span<const float> landmarks, int factor);

/// The face in the shape of the mean: the picture at each pixel of a level. Needs no OpenCV.
Picture shape_free_patch(const face::Model& model, std::size_t level, const Picture& picture,
                         std::span<const float> landmarks);

/// A texture as a picture: one channel as grey, two as a direction (its hue) with a strength. Needs no OpenCV.
Picture texture_picture(const face::Level& level, std::span<const float> texture);

/// What the model makes of a texture: the mean and as much of each mode as is in it.
std::vector<float> fitted_texture(const face::Level& level, std::span<const float> texture);

/// Pictures in rows, each scaled to the same size.
Picture contact_sheet(const std::vector<Picture>& pictures, int columns, int width, int height);

/// The part of a picture about landmarks, `margin` of their box wider on every side; `offset` receives its corner.
Picture cut_about(const Picture& picture, std::span<const float> landmarks, double margin, std::array<int, 2>& offset);

}  // namespace kinema::io
