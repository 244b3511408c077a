#include "serve/messages/face_model_message.h"

#include "serve/messages/face_appearance.h"
#include "serve/messages/face_parts.h"
#include "serve/messages/message.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace kinema::serve {

Packet face_model_message(nlohmann::ordered_json header, const face::Model& model) {
  const FaceAppearance look = face_appearance(model, FaceParts::most_modes);
  const face::Level& level = model.levels[look.level];
  const std::size_t points = model.shape.landmarks(), pixels = level.pixels();
  header["examples"] = model.examples;
  header["width"] = level.width;
  header["height"] = level.height;
  for (const face::Layout::Group& group : model.layout.groups) {
    header["groups"].push_back({{"name", group.name}, {"points", group.points}, {"closed", group.closed}});
  }
  std::vector<std::uint16_t> triangles, places;
  for (const auto& corners : model.triangles) triangles.insert(triangles.end(), corners.begin(), corners.end());
  for (std::uint32_t place : level.places) {
    places.push_back(static_cast<std::uint16_t>(place % level.width));
    places.push_back(static_cast<std::uint16_t>(place / level.width));
  }
  const std::vector<ArrayPart> arrays = {
      array_part<std::uint16_t>("triangles", triangles, {triangles.size() / 3, 3}),
      array_part<std::uint16_t>("pixels", places, {pixels, 2}),
      array_part<float>("landmark_places", look.landmark_places, {points, 2}),
      array_part<float>("mean_shape", model.shape.mean, {points, 2}),
      array_part<float>("mean_texture", look.mean, {pixels}),
      array_part<float>("shape_modes", look.shape, {look.shape_modes, points, 2}),
      array_part<float>("texture_modes", look.texture, {look.texture_modes, pixels}),
      array_part<float>("combined_shape_modes", look.combined_shape, {look.combined_modes, points, 2}),
      array_part<float>("combined_texture_modes", look.combined_texture, {look.combined_modes, pixels})};
  return Packet::arrays(encode(std::move(header), arrays));
}

}  // namespace kinema::serve
