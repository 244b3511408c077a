// A face model as a page needs it to draw faces: the mesh, the mean face and the modes at one standard deviation.
#pragma once

#include "kinema/face_model.h"
#include "serve/messages/packet.h"

#include <nlohmann/json.hpp>

namespace kinema::serve {

/// The members of `header`, then those and the arrays of the model (docs/protocol.md, "face").
Packet face_model_message(nlohmann::ordered_json header, const face::Model& model);

}  // namespace kinema::serve
