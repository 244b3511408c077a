// A tracked person for pages: members and arrays of a message.
#pragma once

#include "kinema/person_tracker.h"
#include "serve/messages/message.h"

#include <vector>

namespace kinema::serve {

/// Members "found", "why", "face", "x", "y", "score", "oval", "distance", "position", "raw_position", "head" and "ms", as those
/// of a frame of "head", and the array "landmarks". The estimate must outlive the arrays.
void put(nlohmann::ordered_json& header, std::vector<ArrayPart>& arrays, const person::Estimate& estimate);

}  // namespace kinema::serve
