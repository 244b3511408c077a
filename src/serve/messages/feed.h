// What the feeds of all trackers have in common: a channel with an opening, headers of frames, and pictures, which are scaled
// down where they are large.
#pragma once

#include "kinema/picture.h"
#include "serve/messages/channel.h"
#include "serve/messages/message.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kinema::serve {

class Feed {
public:
  /// No frame will follow.
  void finish() { channel_.finish(); }

protected:
  /// `source` is what is tracked, for people.
  Feed(Channel& channel, std::string source) : channel_(channel), source_(std::move(source)) { channel_.begin(); }

  /// What precedes the frames: members that all openings begin with, and `more`.
  nlohmann::ordered_json opening(const nlohmann::ordered_json& more = nlohmann::ordered_json::object()) const;
  void open(const nlohmann::ordered_json& opening);
  bool opened() const { return opened_; }

  /// Of the next frame: members that all headers begin with, and `more`.
  nlohmann::ordered_json header(const nlohmann::ordered_json& more) const;
  void publish(nlohmann::ordered_json header, std::span<const ArrayPart> arrays);

  Channel& channel_;

private:
  std::string source_;
  bool opened_ = false;
};

struct RgbPicture {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  ///< height x width x 3

  ArrayPart part(std::string name) const { return array_part<std::uint8_t>(std::move(name), rgb, {height, width, 3}); }
};

/// At most `widest` pixels wide; blocks of pixels become their mean. Columns and rows that fill no block are left out.
RgbPicture rgb_picture(const io::Picture& picture, std::size_t widest);

}  // namespace kinema::serve
