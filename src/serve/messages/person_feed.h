// Frames of a tracked person, for the Head and Window pages: the picture, where the head is, and the landmarks.
#pragma once

#include "kinema/person_tracker.h"
#include "kinema/picture.h"
#include "serve/messages/channel.h"

#include <cstdint>
#include <string>

namespace kinema::serve {

class PersonFeed {
public:
  static constexpr std::size_t widest_picture = 480;

  /// `channel`: "head", whose frames these are to pages.
  PersonFeed(Channel& channel, const std::string& source);

  void add(std::int64_t number, const io::Picture& picture, const person::Estimate& estimate);
  void finish() { channel_.finish(); }

private:
  Channel& channel_;
};

}  // namespace kinema::serve
