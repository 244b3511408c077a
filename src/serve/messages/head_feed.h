// The head tracker's frames, for the Head and Window pages: the picture, the degrees of skin over it, and where the head
// is. Those of the person tracker have the landmarks too.
#pragma once

#include "kinema/head_tracker.h"
#include "kinema/person_tracker.h"
#include "serve/messages/feed.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kinema::serve {

/// Members "found", "why", "x", "y", "area", "score", "distance", "position", "oval" and "ms" of a message.
void put(nlohmann::ordered_json& header, const head::Estimate& estimate);

/// The degree of every few pixels as the tracker sees them now, 255 for 1.
struct DegreePicture {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> degrees;
};
DegreePicture degree_picture(const ColourView& frame, const head::Tracker& tracker);

class HeadFeed : public Feed {
public:
  static constexpr std::size_t widest_picture = 320;

  HeadFeed(Channel& channel, std::string source, std::size_t frames)
      : Feed(channel, std::move(source)), frames_(frames) {}

  /// `tracker` as it is after the frame.
  void add(long number, double time, const io::Picture& picture, const head::Estimate& estimate,
           const head::Tracker& tracker);

private:
  std::size_t frames_;
};

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
