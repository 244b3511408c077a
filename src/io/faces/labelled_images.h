// Images with landmarks: which files of a folder belong together, what is left out and why, and the pixels.
#pragma once

#include "io/faces/landmark_file.h"
#include "io/pictures/image_file.h"
#include "kinema/picture.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace kinema::io {

/// A face to be read.
struct LabelledImage {
  std::filesystem::path image;
  std::filesystem::path labels;  ///< the file its landmarks come from
  LandmarkedFace face;
  std::string name;  ///< short and unique in the set: the image's file name, with a number if it holds several faces
};

struct LabelledSet {
  std::vector<LabelledImage> images;  ///< by name
  std::size_t landmarks = 0;          ///< of each
  std::vector<std::string> left_out;  ///< a line for each file that has no counterpart or another number of landmarks
};

/// `sources` are folders, with NAME.pts or NAME.asf beside NAME.jpg and files about many images among them, or such
/// files (.xml, .json, .csv), whose image paths are relative to them. The number of landmarks is that of most faces.
/// Throws Error if nothing is found, or two numbers of landmarks are equally frequent.
LabelledSet find_labelled_images(const std::vector<std::filesystem::path>& sources,
                                 const LandmarkSettings& settings = {});

struct LabelledPicture {
  Picture colour;
  GreyImage grey;
  std::vector<float> landmarks;  ///< pixels from 0
};

/// Reads the pixels. Throws Error if the image cannot be read or the landmarks lie so far outside that they cannot
/// belong to it (all of them, or one by more than half the face).
LabelledPicture read_labelled(const LabelledImage& image);

}  // namespace kinema::io
