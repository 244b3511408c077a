// Pictures with landmarks: which files of a folder belong together, what is left out and why, and the pixels.
#pragma once

#include "io/image_file.h"
#include "io/landmark_file.h"
#include "kinema/picture.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace kinema::io {

/// A face that is to be read.
struct LabelledImage {
  std::filesystem::path image;
  std::filesystem::path labels;  ///< the file its landmarks come from
  LandmarkedFace face;
  std::string
      name;  ///< short and its own in the set: the picture's file name, with a number where it holds several faces
};

struct LabelledSet {
  std::vector<LabelledImage> images;  ///< by name
  std::size_t landmarks = 0;          ///< of each
  std::vector<std::string> left_out;  ///< a line for each file that has no partner or another number of landmarks
};

/// `sources` are folders, with NAME.pts or NAME.asf beside NAME.jpg and files about many pictures among them, or such
/// files (.xml, .json, .csv), whose pictures are named from where they lie. The number of landmarks is the one that most
/// faces have. Throws Error where nothing is found, or two numbers of landmarks are as frequent.
LabelledSet find_labelled_images(const std::vector<std::filesystem::path>& sources,
                                 const LandmarkSettings& settings = {});

struct LabelledPicture {
  Picture colour;
  GreyImage grey;
  std::vector<float> landmarks;  ///< pixels from 0
};

/// Reads the pixels. Throws Error where the picture cannot be read or the landmarks lie so far outside that they cannot
/// be of this picture (all of them, or one by more than half the face).
LabelledPicture read_labelled(const LabelledImage& image);

}  // namespace kinema::io
