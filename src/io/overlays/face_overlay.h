// Images of faces: landmarks and mesh over the camera image, the shape-free patch, textures of a model, its modes.
// Lines need OpenCV.
#pragma once

#include "io/pictures/image_file.h"
#include "kinema/face.h"
#include "kinema/picture.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

struct FaceDrawing {
  bool mesh = true;                        ///< the triangles, thin
  bool truth = false;                      ///< the truth, drawn in another colour
  int person = 0;                          ///< a number beside the face; 0: none
  std::span<const float> confidence = {};  ///< per landmark, 0 to 1: doubtful ones are drawn in amber
  std::string_view caption = {};           ///< a line at the bottom
  std::string_view alarm = {};             ///< a warning at the top
};

/// Draws into the image. Small images should be enlarged first (see enlarged_for_overlay()).
void draw_landmarks(Picture& picture, std::span<const float> landmarks, const face::Layout& layout,
                    std::span<const std::array<std::uint16_t, 3>> triangles, const FaceDrawing& drawing = {});

/// The integer factor by which an image of this size, and its landmarks, are enlarged so that lines stay thin.
int overlay_enlargement(int width, int height);
Picture enlarged_for_overlay(const Picture& picture, int factor);
std::vector<float> enlarged_landmarks(std::span<const float> landmarks, int factor);

/// The face in the mean shape: the image sampled at each pixel of a level. Needs no OpenCV.
Picture shape_free_patch(const face::Model& model, std::size_t level, const Picture& picture,
                         std::span<const float> landmarks);

/// A texture as an image: one channel as grey, two as a direction (hue) and a strength. Needs no OpenCV.
Picture texture_picture(const face::Level& level, std::span<const float> texture);

/// The model's reconstruction of a texture: the mean plus its projection on the modes.
std::vector<float> fitted_texture(const face::Level& level, std::span<const float> texture);

/// Images in rows, each scaled to the same size.
Picture contact_sheet(const std::vector<Picture>& pictures, int columns, int width, int height);

/// The part of an image around landmarks, wider than their box by `margin` on every side; `offset` receives its corner.
Picture cut_about(const Picture& picture, std::span<const float> landmarks, double margin, std::array<int, 2>& offset);

}  // namespace kinema::io
