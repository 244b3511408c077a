// Pictures for the report of `kinema bench face`, without a library for images.
#pragma once

#include "bench/face/face_problem.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kinema::bench {

/// Of the report.
struct FacePicture {
  std::size_t width = 0, height = 0;
  std::string png, caption;
};

/// A grey image as an uncompressed PNG file.
std::string grey_png(const std::vector<std::uint8_t>& pixels, std::size_t width, std::size_t height);

/// The part of an image around the landmarks, with a dot at each.
FacePicture landmark_picture(const DrawnFace& face, const std::vector<float>& landmarks, const std::string& caption);

/// The mean texture of a model's first level in the mean shape, and the triangles of the mean shape: one of the sixteen
/// templates of figure 5.
std::vector<FacePicture> template_pictures(const face::Model& model);

/// The same as numbers, the texture at a third of its size.
struct FaceTemplate {
  std::size_t pixels = 0, width = 0, height = 0;
  std::vector<std::uint8_t> texture;            // (height, width), 255 outside
  std::vector<std::array<float, 6>> triangles;  // of the shape, x y of three corners, in the same pixels
};
FaceTemplate small_template(const face::Model& model);

}  // namespace kinema::bench
