#include "app/face/face_ranks.h"

#include <nlohmann/json.hpp>

namespace kinema::app {
namespace {

// CBOR, which keeps every bit of a number.
std::string packed(const std::vector<FaceError>& faces) {
  nlohmann::json all = nlohmann::json::array();
  for (const FaceError& face : faces) {
    all.push_back({face.example, nlohmann::json::binary({face.name.begin(), face.name.end()}), face.fitted, face.why,
                   face.start, face.all, face.inner, face.failure, face.landmarks, face.landmark_errors,
                   face.confidence});
  }
  std::string text;
  nlohmann::json::to_cbor(all, text);
  return text;
}

void unpack(const std::string& text, std::vector<FaceError>& faces) {
  for (const nlohmann::json& values : nlohmann::json::from_cbor(text)) {
    FaceError& face = faces.emplace_back();
    values[0].get_to(face.example);
    face.name.assign(values[1].get_binary().begin(), values[1].get_binary().end());
    values[2].get_to(face.fitted);
    values[3].get_to(face.why);
    values[4].get_to(face.start);
    values[5].get_to(face.all);
    values[6].get_to(face.inner);
    values[7].get_to(face.failure);
    values[8].get_to(face.landmarks);
    values[9].get_to(face.landmark_errors);
    values[10].get_to(face.confidence);
  }
}

}  // namespace

void gather_faces(const Ranks& ranks, std::vector<FaceError>& faces) {
  std::string mine;
  ranks.together([&] { mine = packed(faces); });  // and a rank that has failed before is noticed here
  const std::vector<std::string> texts = ranks.gather(mine);
  faces.clear();
  for (const std::string& text : texts) unpack(text, faces);
}

}  // namespace kinema::app
