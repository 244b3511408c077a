#include "serve/messages/head_feed.h"

#include "core/geometry.h"
#include "io/faces/pose_text.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::serve {
namespace {

constexpr std::size_t widest_degrees = 160;

// The members of every estimate; false: nothing was found, and there are no others.
template <class Estimate>
bool put_found(nlohmann::ordered_json& header, const Estimate& estimate) {
  header["found"] = estimate.found;
  header["ms"] = nlohmann::ordered_json::object();
  for (const StageTime& time : estimate.times) header["ms"][time.stage] = time.ms;
  if (!estimate.found) header["why"] = estimate.why;
  return estimate.found;
}

nlohmann::ordered_json numbers(const Vec3& place) { return {place.x, place.y, place.z}; }

}  // namespace

void put(nlohmann::ordered_json& header, const head::Estimate& estimate) {
  if (!put_found(header, estimate)) return;
  header["x"] = estimate.x;
  header["y"] = estimate.y;
  header["area"] = estimate.area;
  header["score"] = estimate.confidence;
  if (estimate.distance) header["distance"] = *estimate.distance;
  if (estimate.position) header["position"] = numbers(*estimate.position);
  if (estimate.raw_position) header["raw_position"] = numbers(*estimate.raw_position);
  if (estimate.oval) header["oval"] = {estimate.oval->cx, estimate.oval->cy, estimate.oval->rx, estimate.oval->ry};
}

DegreePicture degree_picture(const ColourView& frame, const head::Tracker& tracker) {
  const bool reversed = frame.format == PixelFormat::bgr || frame.format == PixelFormat::bgra;
  const std::size_t bytes = frame.format == PixelFormat::rgb || frame.format == PixelFormat::bgr ? 3 : 4;
  const std::size_t step = std::max<std::size_t>(1, (frame.width + widest_degrees - 1) / widest_degrees);
  DegreePicture result{frame.width / step, frame.height / step, {}};
  result.degrees.reserve(result.width * result.height);
  for (std::size_t y = 0; y < result.height; ++y) {
    for (std::size_t x = 0; x < result.width; ++x) {
      const std::uint8_t* pixel = frame.data + (y * step + step / 2) * frame.stride + (x * step + step / 2) * bytes;
      const double degree = tracker.degree_now(pixel[reversed ? 2 : 0], pixel[1], pixel[reversed ? 0 : 2]);
      result.degrees.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(degree, 0.0, 1.0))));
    }
  }
  return result;
}

void HeadFeed::add(long number, double time, const io::Picture& picture, const head::Estimate& estimate,
                   const head::Tracker& tracker) {
  if (!opened()) open(opening({{"frames", frames_}}));
  nlohmann::ordered_json frame =
      header({{"frame", number}, {"time", time}, {"width", picture.width}, {"height", picture.height}});
  put(frame, estimate);
  std::vector<ArrayPart> arrays;
  RgbPicture small;
  DegreePicture degrees;
  if (!picture.empty()) {
    small = rgb_picture(picture, widest_picture);
    const auto width = static_cast<std::size_t>(picture.width);
    degrees = degree_picture({picture.bgr.data(), width, static_cast<std::size_t>(picture.height), 3 * width}, tracker);
    arrays.push_back(small.part("picture"));
    arrays.push_back(array_part<std::uint8_t>("degrees", degrees.degrees, {degrees.height, degrees.width}));
  }
  publish(std::move(frame), arrays);
}

void put(nlohmann::ordered_json& header, std::vector<ArrayPart>& arrays, const person::Estimate& estimate) {
  if (!put_found(header, estimate)) return;
  const head::Oval& oval = estimate.oval;
  header["face"] = estimate.face;
  header["x"] = estimate.x;
  header["y"] = estimate.y;
  header["score"] = estimate.confidence;
  header["oval"] = {oval.cx, oval.cy, oval.rx, oval.ry};
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
