// Somebody who is followed: the filter, what smooths its estimates, and where the skin is expected in the next frame.
#pragma once

#include "body/smoothing/head_turn.h"
#include "body/smoothing/smoothing_thread.h"
#include "body/smoothing/steady_pose.h"
#include "kinema/body_filter.h"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::body {

/// Whether there are too few points for a person.
bool nobody_in(const PointCloud& cloud);

class Person {
public:
  Person(const TrackerSettings& settings, const Compute& compute);

  /// Follows the person in the points of a frame, which cut_out() got.
  Estimate track(double time, const std::optional<Plane>& floor, std::span<const FaceObservation> faces);

  /// The points of the frame, to be filled before track().
  PointCloud& cut_out() { return cloud_; }
  const PointCloud& points() const { return cloud_; }

  /// The final word on a frame: what is given out at once.
  Estimate keep(Estimate estimate, std::int64_t frame, double time);

  /// What later frames have settled since the last call, oldest first.
  std::vector<Estimate> settled();
  std::vector<Estimate> finish();

  /// Capsules where the person is expected in the next frame; empty during a search.
  const std::vector<float>& expected() const { return expected_; }
  void expect(const Estimate& estimate);
  void expect_anywhere() { expected_.clear(); }

  void start(const Pose& pose);
  void restart();

  Filter& filter() { return *filter_; }
  const Filter& filter() const { return *filter_; }
  double smoothing_ms() const { return smoothing_ ? smoothing_->ms() : 0; }

  /// It is somebody else from now on, of whom nothing is known.
  void become(std::unique_ptr<Filter> filter);

  /// Follows another explanation of the frame from now on.
  void replace(std::unique_ptr<Filter> filter, PointCloud cloud);

private:
  void smooth_decided(const std::shared_ptr<const Skeleton>& newest);

  std::unique_ptr<Filter> filter_;
  std::optional<HeadTurn> head_;      // of estimates given out at once
  std::optional<SteadyPose> steady_;  // likewise
  std::optional<SmoothingThread> smoothing_;
  std::vector<float> expected_;
  PointCloud cloud_;  // of the last frame
  struct Waiting {
    PointCloud cloud;
    Estimate estimate;
  };
  std::vector<Waiting> undecided_;  // see Filter::undecided()
  std::deque<Estimate> ready_;      // without a smoother
  std::vector<Estimate> former_;    // settled, of whom it was before
};

}  // namespace kinema::body
