// kinema face train --start: a model that is refined on faces of the user's own.
#pragma once

#include "app/options/face_options.h"
#include "io/faces/face_model_file.h"
#include "kinema/face_refine.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kinema::app {

struct RefineOptions {
  CommonOptions common;
  ImageOptions images;            ///< labelled faces, or
  std::vector<std::string> film;  ///< a film or pictures of one person
  std::string start;              ///< "shipped" or a file
  std::string out, detector, note;
  bool mirrored = true, sequence = false;
};

/// The file of --start. Throws Error if it is the model that ships and that is not installed.
std::filesystem::path start_file(const std::string& start);

/// In which a model of a file is stored.
io::FaceModelPrecision precision_of(const std::filesystem::path& file);

void refine_face_model(const RefineOptions& options);

}  // namespace kinema::app
