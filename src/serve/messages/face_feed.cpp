#include "serve/messages/face_feed.h"

#include "io/pictures/image_file.h"
#include "serve/messages/face_model_message.h"
#include "serve/messages/face_parts.h"
#include "serve/messages/message.h"
#include "serve/messages/picture_part.h"

#include <utility>

namespace kinema::serve {

FaceFeed::FaceFeed(Channel& channel, std::string source, std::shared_ptr<const face::Model> model)
    : channel_(channel), model_(std::move(model)) {
  channel_.begin();
  channel_.open(
      face_model_message({{"say", "opening"}, {"channel", channel_.name()}, {"source", std::move(source)}}, *model_));
}

void FaceFeed::add(std::int64_t number, const io::Picture& picture, const face::Estimate& face) {
  nlohmann::ordered_json header{
      {"channel", channel_.name()}, {"index", channel_.next_index()}, {"frame", number},
      {"found", face.found},        {"width", picture.width},         {"height", picture.height}};
  const RgbPicture small = rgb_picture(picture, widest_picture);
  std::vector<ArrayPart> arrays;
  if (!small.rgb.empty())
    arrays.push_back(array_part<std::uint8_t>("picture", small.rgb, {small.height, small.width, 3}));
  FaceParts parts;
  if (face.found) {
    const io::GreyImage grey = io::grey_of(picture);
    const auto width = static_cast<std::size_t>(picture.width), height = static_cast<std::size_t>(picture.height);
    parts.tell(*model_, {grey.grey.data(), width, height, width}, face, header, arrays);
  }
  channel_.publish(Packet::arrays(encode(std::move(header), arrays)));
}

}  // namespace kinema::serve
