#include "serve/face_feed.h"

#include "io/image_file.h"
#include "serve/face_appearance.h"
#include "serve/face_parts.h"
#include "serve/message.h"
#include "serve/picture_part.h"

#include <utility>

namespace kinema::serve {
FaceFeed::FaceFeed(Channel& channel, std::string source, std::shared_ptr<const face::Model> model)
    : channel_(channel), model_(std::move(model)) {
  channel_.begin();
  const FaceAppearance look = face_appearance(*model_, FaceParts::most_modes);
  const face::Level& level = model_->levels[look.level];
  const std::size_t points = model_->shape.landmarks(), pixels = level.pixels();
  nlohmann::ordered_json header{{"say", "opening"},
                                {"channel", channel_.name()},
                                {"source", std::move(source)},
                                {"examples", model_->examples},
                                {"width", level.width},
                                {"height", level.height}};
  for (const face::Layout::Group& group : model_->layout.groups) {
    header["groups"].push_back({{"name", group.name}, {"points", group.points}, {"closed", group.closed}});
  }
  std::vector<std::uint16_t> triangles, places;
  for (const auto& corners : model_->triangles) triangles.insert(triangles.end(), corners.begin(), corners.end());
  for (std::uint32_t place : level.places) {
    places.push_back(static_cast<std::uint16_t>(place % level.width));
    places.push_back(static_cast<std::uint16_t>(place / level.width));
  }
  const std::vector<ArrayPart> arrays = {
      array_part<std::uint16_t>("triangles", triangles, {triangles.size() / 3, 3}),
      array_part<std::uint16_t>("pixels", places, {pixels, 2}),
      array_part<float>("landmark_places", look.landmark_places, {points, 2}),
      array_part<float>("mean_shape", model_->shape.mean, {points, 2}),
      array_part<float>("mean_texture", look.mean, {pixels}),
      array_part<float>("shape_modes", look.shape, {look.shape_modes, points, 2}),
      array_part<float>("texture_modes", look.texture, {look.texture_modes, pixels}),
      array_part<float>("combined_shape_modes", look.combined_shape, {look.combined_modes, points, 2}),
      array_part<float>("combined_texture_modes", look.combined_texture, {look.combined_modes, pixels})};
  channel_.open(Packet::arrays(encode(std::move(header), arrays)));
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
