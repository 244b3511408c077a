#include "serve/messages/face_feed.h"

#include "io/faces/pose_text.h"
#include "io/pictures/image_file.h"
#include "serve/messages/face_appearance.h"

#include <algorithm>
#include <cmath>
#include <utility>

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

void FaceParts::tell(const face::Model& model, const face::GreyView& picture, const face::Estimate& face,
                     nlohmann::ordered_json& header, std::vector<ArrayPart>& arrays) {
  const face::Fit& fit = face.fit;
  header["quality"] = fit.quality;
  header["iterations"] = fit.iterations;
  header["ms"] = {{"fit", fit.ms}};
  if (face.head) header["head"] = nlohmann::ordered_json::parse(io::pose_json(*face.head));
  const std::size_t level = shown_level(model);
  const std::vector<float> sampled =
      face::sample_texture(model, static_cast<std::uint32_t>(level), picture, face.landmarks);
  shape_.clear();
  for (std::size_t m = 0; m < std::min(most_modes, fit.shape.size()); ++m) {
    shape_.push_back(fit.shape[m] / std::sqrt(std::max(1e-12f, model.shape.variances[m])));
  }
  texture_ = texture_parameters(model.levels[level], sampled, most_modes);
  arrays.push_back(array_part<float>("landmarks", face.landmarks, {face.landmarks.size() / 2, 2}));
  arrays.push_back(array_part<float>("confidence", fit.confidence, {fit.confidence.size()}));
  arrays.push_back(array_part<float>("shape", shape_, {shape_.size()}));
  arrays.push_back(array_part<float>("texture", texture_, {texture_.size()}));
}

FaceFeed::FaceFeed(Channel& channel, std::string source, std::shared_ptr<const face::Model> model)
    : Feed(channel, std::move(source)), model_(std::move(model)) {
  channel_.open(face_model_message(opening(), *model_));
}

void FaceFeed::add(std::int64_t number, const io::Picture& picture, const face::Estimate& face) {
  nlohmann::ordered_json frame =
      header({{"frame", number}, {"found", face.found}, {"width", picture.width}, {"height", picture.height}});
  const RgbPicture small = rgb_picture(picture, widest_picture);
  std::vector<ArrayPart> arrays;
  if (!small.rgb.empty()) arrays.push_back(small.part("picture"));
  FaceParts parts;
  if (face.found) {
    const io::GreyImage grey = io::grey_of(picture);
    const auto width = static_cast<std::size_t>(picture.width), height = static_cast<std::size_t>(picture.height);
    parts.tell(*model_, {grey.grey.data(), width, height, width}, face, frame, arrays);
  }
  publish(std::move(frame), arrays);
}

}  // namespace kinema::serve
