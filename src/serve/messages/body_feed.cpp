#include "serve/messages/body_feed.h"

#include "io/motion/poses.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinema::serve {
namespace {

// Of the person's points every so many, so that no more than `most` are left.
std::vector<float> thinned_points(const PointsView& points, std::size_t most) {
  const auto of_person = [&](std::size_t i) { return points.background.empty() || points.background[i] == 0; };
  std::size_t count = 0;
  for (std::size_t i = 0; i < points.size; ++i) count += of_person(i) ? 1 : 0;
  const std::size_t step = std::max<std::size_t>(1, (count + most - 1) / most);
  std::vector<float> kept;
  kept.reserve(3 * (count / step + 1));
  std::size_t number = 0;
  for (std::size_t i = 0; i < points.size; ++i) {
    if (of_person(i) && number++ % step == 0) kept.insert(kept.end(), points.xyz + 3 * i, points.xyz + 3 * i + 3);
  }
  return kept;
}

std::vector<float> flat(std::span<const Vec3> places) {
  std::vector<float> numbers;
  numbers.reserve(3 * places.size());
  for (const Vec3& place : places) {
    for (double number : {place.x, place.y, place.z}) numbers.push_back(static_cast<float>(number));
  }
  return numbers;
}

}  // namespace

void BodyFeed::open_with(const body::Skeleton& skeleton) {
  nlohmann::ordered_json about = opening({{"frames", frames_}, {"joints", io::output_names(skeleton)}});
  for (const body::Joint& joint : skeleton.joints) about["parents"].push_back(joint.parent);
  open(about);
}

void BodyFeed::set_live(const Live& live) {
  if (!live_) channel_.set_history_bytes(live_history_bytes);
  live_ = live;
}

void BodyFeed::add(const Frame& frame) {
  if (!opened()) open_with(frame.skeleton);
  const body::Estimate& estimate = frame.estimate;
  const std::size_t joints = frame.skeleton.joints.size();
  nlohmann::ordered_json message =
      header({{"frame", estimate.frame}, {"time", estimate.time}, {"found", estimate.found}});
  message["ms"] = nlohmann::ordered_json::object();
  for (const StageTime& time : estimate.times) message["ms"][time.stage] = time.ms;
  if (live_) {
    message["live"] = {{"taken", live_->taken},       {"latency", live_->latency},     {"late", live_->late},
                       {"reopened", live_->reopened}, {"particles", live_->particles}, {"points", live_->points},
                       {"lowered", live_->lowered},   {"tracking", live_->tracking}};
    if (const auto& copy = live_->recording) {
      message["live"]["recording"] = {
          {"folder", copy->folder.string()}, {"frames", copy->frames}, {"dropped", copy->dropped}};
      if (!copy->failed.empty()) message["live"]["recording"]["failed"] = copy->failed;
      message["live"]["recording"]["on"] = live_->being_recorded;
    }
  }
  const std::vector<float> points = thinned_points(frame.points, most_points);
  const std::vector<std::int16_t> place = millimetres(points);
  std::vector<ArrayPart> arrays{array_part<std::int16_t>("points", place, {points.size() / 3, 3})};
  RgbPicture picture;
  if (frame.picture != nullptr && !frame.picture->empty()) {
    picture = rgb_picture(*frame.picture, widest_picture);
    arrays.push_back(picture.part("picture"));
  }
  std::vector<float> places, capsules, deviations;
  std::vector<std::int16_t> particles;
  if (estimate.found) {
    message["log_likelihood"] = estimate.log_likelihood;
    message["ess"] = estimate.effective_sample_size;
    places = flat(estimate.joints);
    deviations.assign(estimate.deviation.begin(), estimate.deviation.end());
    capsules = body::pose_capsules(frame.skeleton, estimate.pose);
    particles = millimetres(flat(frame.particles));
    arrays.push_back(array_part<float>("joints", places, {joints, 3}));
    arrays.push_back(array_part<float>("deviation", deviations, {deviations.size()}));
    arrays.push_back(
        array_part<float>("capsules", capsules, {capsules.size() / body::capsule_floats, body::capsule_floats}));
    arrays.push_back(array_part<std::int16_t>("particles", particles, {particles.size() / 3 / joints, joints, 3}));
  } else {
    message["why"] = estimate.why;
  }
  publish(std::move(message), arrays);
}

}  // namespace kinema::serve
