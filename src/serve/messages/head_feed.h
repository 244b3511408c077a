// The head tracker's frames, for the Head and Window pages: the picture, the degrees of skin over it, and where the head
// is.
#pragma once

#include "kinema/head_tracker.h"
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

}  // namespace kinema::serve
