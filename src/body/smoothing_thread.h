// The smoother in a thread of its own: while a device weighs a frame, the host smooths those before it.
#pragma once

#include "kinema/body_smoother.h"
#include "kinema/points.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace kinema::body {

class SmoothingThread {
public:
  SmoothingThread(const TrackerSettings& settings, std::size_t lag);

  /// Ends after the frame it is at; queued frames are dropped.
  ~SmoothingThread();

  /// The points of a frame and its estimate, with the skeleton it belongs to. Waits while the queue is full.
  void add(const PointCloud& cloud, const Estimate& estimate);

  /// What was settled since the last call, oldest first, with the skeleton they were settled with; of more than
  /// most_unclaimed() estimates the newest. Throws what the smoother threw.
  std::vector<Estimate> take();

  /// Waits for all that was added, and settles it.
  std::vector<Estimate> finish();

  /// The time spent smoothing so far, milliseconds.
  double ms() const;

  /// How many settled estimates are kept for a caller that does not take them: they must not grow without bound.
  static std::size_t most_unclaimed(std::size_t lag);

private:
  struct Job {
    PointCloud cloud;
    Estimate estimate;
  };

  void work(const std::stop_token& stop);

  const std::size_t lag_;
  const std::unique_ptr<Smoother> smoother_;  // the thread's, except in finish()
  mutable std::mutex mutex_;                  // of all below
  std::condition_variable_any changed_;
  std::deque<Job> jobs_;  // the first is under way
  std::vector<Estimate> settled_;
  std::shared_ptr<const Skeleton> skeleton_;  // of the last job
  double ms_ = 0;
  std::exception_ptr failed_;
  std::jthread thread_;  // the last: it ends before what it uses
};

}  // namespace kinema::body
