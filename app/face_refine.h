// kinema face train --start: a model that is refined on faces of the user's own.
#pragma once

#include "app/face_options.h"
#include "kinema/face_refine.h"

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

void refine_face_model(const RefineOptions& options);

}  // namespace kinema::app
