// Frames of a tracked person, for the Head and Window pages: the picture, where the head is, and the landmarks.
#pragma once

#include "kinema/person_tracker.h"
#include "serve/messages/feed.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kinema::serve {

/// Members "found", "why", "face", "x", "y", "score", "oval", "distance", "position", "raw_position", "head" and "ms", as those
/// of a frame of "head", and the array "landmarks". The estimate must outlive the arrays.
void put(nlohmann::ordered_json& header, std::vector<ArrayPart>& arrays, const person::Estimate& estimate);

class PersonFeed : public Feed {
public:
  static constexpr std::size_t widest_picture = 480;

  /// `channel`: "head", whose frames these are to pages.
  PersonFeed(Channel& channel, const std::string& source) : Feed(channel, source) { open(opening()); }

  void add(std::int64_t number, const io::Picture& picture, const person::Estimate& estimate);
};

}  // namespace kinema::serve
