// The smoother in its own thread: while a device weighs a frame, the host smooths the preceding ones.
#pragma once

#include "body/smoothing/head_turn.h"
#include "kinema/body_smoother.h"
#include "kinema/points.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace kinema::body {

class SmoothingThread {
public:
  SmoothingThread(const TrackerSettings& settings, std::size_t lag, const Compute& compute);

  /// Ends after the current frame; queued frames are dropped.
  ~SmoothingThread();

  /// The points of a frame and its estimate, with its skeleton. Waits while the queue is full.
  void add(const PointCloud& cloud, const Estimate& estimate);

  /// The estimates settled since the last call, oldest first, with their skeleton; of more than most_unclaimed() the
  /// newest. Rethrows exceptions of the smoother.
  std::vector<Estimate> take();

  /// Waits for all added frames, and settles them.
  std::vector<Estimate> finish();

  /// The time spent smoothing so far, milliseconds.
  double ms() const;

  /// The number of settled estimates kept for a caller that does not take them, so that memory stays bounded.
  static std::size_t most_unclaimed(std::size_t lag);

private:
  struct Job {
    PointCloud cloud;
    Estimate estimate;
  };

  void work(const std::stop_token& stop);
  void complete(std::vector<Estimate>& settled, const std::shared_ptr<const Skeleton>& skeleton);

  const std::size_t lag_;
  const std::unique_ptr<Smoother> smoother_;  // the thread's, except in finish()
  std::optional<HeadTurn> head_;              // likewise
  mutable std::mutex mutex_;                  // guards all below
  std::condition_variable_any changed_;
  std::deque<Job> jobs_;  // the first is being processed
  std::vector<Estimate> settled_;
  std::shared_ptr<const Skeleton> skeleton_;  // of the last job
  double ms_ = 0;
  std::exception_ptr failed_;
  std::jthread thread_;  // last, so that it ends before what it uses
};

}  // namespace kinema::body
