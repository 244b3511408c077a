// Faces that were evaluated on several ranks.
#pragma once

#include "app/face/face_evaluation.h"
#include "app/options/ranks.h"

#include <vector>

namespace kinema::app {

/// The first rank gets those of all, in the order of the ranks; the others keep none.
void gather_faces(const Ranks& ranks, std::vector<FaceError>& faces);

}  // namespace kinema::app
