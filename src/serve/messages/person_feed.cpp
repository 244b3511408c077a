#include "serve/messages/person_feed.h"

#include "serve/messages/message.h"
#include "serve/messages/person_parts.h"
#include "serve/messages/picture_part.h"

#include <utility>
#include <vector>

namespace kinema::serve {

PersonFeed::PersonFeed(Channel& channel, const std::string& source) : channel_(channel) {
  channel_.begin();
  const nlohmann::ordered_json opening{{"say", "opening"}, {"channel", channel_.name()}, {"source", source}};
  channel_.open(Packet::text(text_of(opening)));
}

void PersonFeed::add(std::int64_t number, const io::Picture& picture, const person::Estimate& estimate) {
  nlohmann::ordered_json header{
      {"channel", channel_.name()}, {"index", channel_.next_index()}, {"frame", number},
      {"time", estimate.time},      {"width", picture.width},         {"height", picture.height}};
  std::vector<ArrayPart> arrays;
  put(header, arrays, estimate);
  const RgbPicture small = rgb_picture(picture, widest_picture);
  if (!small.rgb.empty())
    arrays.push_back(array_part<std::uint8_t>("picture", small.rgb, {small.height, small.width, 3}));
  channel_.publish(Packet::arrays(encode(std::move(header), arrays)));
}

}  // namespace kinema::serve
