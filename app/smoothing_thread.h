// The smoother in a thread of its own: while a device weighs a frame, the host smooths those before it.
#pragma once

#include "kinema/body_smoother.h"
#include "kinema/foreground.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace kinema::app {

class SmoothingThread {
public:
  SmoothingThread(const body::TrackerSettings& settings, std::size_t lag);

  /// Ends after the frame it is at; what waits is left.
  ~SmoothingThread();

  /// What body::Smoother::add() takes. Waits where too many frames do.
  void add(double time, const body::Cloud& cloud, const body::Estimate& estimate, const body::Skeleton& skeleton);

  /// Estimates that were settled together, and the person they are of.
  struct Settled {
    std::vector<body::Estimate> estimates;
    body::Skeleton skeleton;
  };

  /// What was settled since the last call, oldest first. Throws what the smoother threw.
  std::vector<Settled> take();

  /// Waits for all that was added, and settles it.
  std::vector<Settled> finish();

  /// What smoothing took, in its own thread.
  double ms() const;

private:
  struct Job {
    double time;
    body::Cloud cloud;
    body::Estimate estimate;
    body::Skeleton skeleton;
  };

  void work(const std::stop_token& stop);

  const std::unique_ptr<body::Smoother> smoother_;  // the thread's, but in finish()
  mutable std::mutex mutex_;                        // of all below
  std::condition_variable_any changed_;
  std::deque<Job> jobs_;  // the first is under way
  std::vector<Settled> settled_;
  body::Skeleton skeleton_;  // of the last job
  double ms_ = 0;
  std::exception_ptr failed_;
  std::jthread thread_;  // the last: it ends before what it uses
};

}  // namespace kinema::app
