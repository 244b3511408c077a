#include "body/tracker/person.h"

#include "body/constants.h"
#include "body/constants_mechanisms.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kinema::body {

bool nobody_in(const PointCloud& cloud) {
  const auto points = std::count(cloud.background.begin(), cloud.background.end(), 0);
  return static_cast<std::size_t>(points) < constants::pipeline::fewest_person_points;
}

Person::Person(const TrackerSettings& settings, const Compute& compute) : filter_(make_filter(settings, compute)) {
  if (settings.steady && mechanisms::held_head) head_.emplace();
  if (settings.rest_cutoff != 0) steady_.emplace(settings.rest_cutoff);
  if (settings.lag > 0) smoothing_.emplace(settings, settings.lag, compute);
}

Estimate Person::track(double time, const std::optional<Plane>& floor, std::span<const FaceObservation> faces) {
  return filter_->track({time, cloud_.view(), floor, faces});
}

void Person::expect(const Estimate& estimate) {
  expected_.clear();
  if (estimate.found)
    expected_ = pose_capsules(estimate.skeleton ? *estimate.skeleton : filter_->skeleton(), estimate.pose);
}

Estimate Person::keep(Estimate estimate, std::int64_t frame, double time) {
  estimate.frame = frame;
  estimate.time = time;
  // a steady estimate takes a new shape over gradually; a smoother starts from the newest
  const auto newest = std::make_shared<const Skeleton>(filter_->skeleton());
  if (!estimate.skeleton) estimate.skeleton = newest;
  if (smoothing_) {
    undecided_.push_back({cloud_, estimate});
    if (!filter_->undecided()) smooth_decided(newest);
  }
  if (head_) head_->correct({&estimate, 1});
  if (steady_) steady_->correct(estimate);
  if (!smoothing_) {
    ready_.push_back(estimate);
    if (ready_.size() > SmoothingThread::most_unclaimed(0)) ready_.pop_front();
  }
  return estimate;
}

// Gives the frames that waited for a decision to the smoother.
void Person::smooth_decided(const std::shared_ptr<const Skeleton>& newest) {
  std::vector<Estimate> revised = filter_->revised();
  auto next = revised.begin();
  for (auto& [points, estimate] : undecided_) {
    if (next != revised.end() && next->time == estimate.time) {
      next->frame = estimate.frame;
      next->times = std::move(estimate.times);
      if (!next->found) next->why = std::move(estimate.why);
      estimate = std::move(*next++);
    }
    estimate.skeleton = newest;
    smoothing_->add(points, estimate);
  }
  undecided_.clear();
}

std::vector<Estimate> Person::settled() {
  std::vector<Estimate> all = std::exchange(former_, {});
  std::vector<Estimate> smoothed = smoothing_ ? smoothing_->take() : std::vector<Estimate>();
  std::move(smoothed.begin(), smoothed.end(), std::back_inserter(all));
  std::move(ready_.begin(), ready_.end(), std::back_inserter(all));
  ready_.clear();
  return all;
}

std::vector<Estimate> Person::finish() {
  if (!smoothing_) return settled();
  smooth_decided(std::make_shared<const Skeleton>(filter_->skeleton()));
  std::vector<Estimate> all = std::exchange(former_, {}), rest = smoothing_->finish();
  std::move(rest.begin(), rest.end(), std::back_inserter(all));
  return all;
}

void Person::start(const Pose& pose) {
  filter_->start(pose);
  expected_ = pose_capsules(filter_->skeleton(), pose);
}

void Person::restart() {
  expected_.clear();
  filter_->restart();
  if (head_) head_->restart();
  if (steady_) steady_->restart();
}

void Person::become(std::unique_ptr<Filter> filter) {
  former_ = finish();  // with the shape of whoever it was
  filter_ = std::move(filter);
  restart();
}

void Person::replace(std::unique_ptr<Filter> filter, PointCloud cloud) {
  filter_ = std::move(filter);
  cloud_ = std::move(cloud);
}

}  // namespace kinema::body
