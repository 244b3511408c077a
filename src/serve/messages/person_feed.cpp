#include "serve/messages/person_feed.h"

#include "core/geometry.h"
#include "io/faces/pose_text.h"

#include <utility>

namespace kinema::serve {

void put(nlohmann::ordered_json& header, std::vector<ArrayPart>& arrays, const person::Estimate& estimate) {
  header["found"] = estimate.found;
  header["ms"] = nlohmann::ordered_json::object();
  for (const StageTime& time : estimate.times) header["ms"][time.stage] = time.ms;
  if (!estimate.found) {
    header["why"] = estimate.why;
    return;
  }
  const head::Oval& oval = estimate.oval;
  header["face"] = estimate.face;
  header["x"] = estimate.x;
  header["y"] = estimate.y;
  header["score"] = estimate.confidence;
  header["oval"] = {oval.cx, oval.cy, oval.rx, oval.ry};
  const auto numbers = [](const Vec3& place) { return nlohmann::ordered_json{place.x, place.y, place.z}; };
  if (estimate.position) {
    header["position"] = numbers(*estimate.position);
    header["distance"] = norm(*estimate.position);
  }
  if (estimate.raw_position) header["raw_position"] = numbers(*estimate.raw_position);
  if (estimate.pose) header["head"] = nlohmann::ordered_json::parse(io::pose_json(*estimate.pose));
  if (!estimate.landmarks.empty())
    arrays.push_back(array_part<float>("landmarks", estimate.landmarks, {estimate.landmarks.size() / 2, 2}));
}

void PersonFeed::add(std::int64_t number, const io::Picture& picture, const person::Estimate& estimate) {
  nlohmann::ordered_json frame =
      header({{"frame", number}, {"time", estimate.time}, {"width", picture.width}, {"height", picture.height}});
  std::vector<ArrayPart> arrays;
  put(frame, arrays, estimate);
  const RgbPicture small = rgb_picture(picture, widest_picture);
  if (!small.rgb.empty()) arrays.push_back(small.part("picture"));
  publish(std::move(frame), arrays);
}

}  // namespace kinema::serve
