#include "app/smoothing_thread.h"

#include "core/stopwatch.h"

#include <utility>

namespace kinema::app {
namespace {

// Frames that wait hold their points: some megabytes each on a GPU's machine.
constexpr std::size_t most_jobs = 64;

}  // namespace

SmoothingThread::SmoothingThread(const body::TrackerSettings& settings, std::size_t lag)
    : smoother_(body::make_smoother(settings, lag)), thread_([this](const std::stop_token& stop) { work(stop); }) {}

SmoothingThread::~SmoothingThread() = default;

void SmoothingThread::add(double time, const body::Cloud& cloud, const body::Estimate& estimate,
                          const body::Skeleton& skeleton) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return jobs_.size() < most_jobs || failed_; });
  jobs_.push_back({time, cloud, estimate, skeleton});
  changed_.notify_all();
}

std::vector<SmoothingThread::Settled> SmoothingThread::take() {
  const std::scoped_lock lock(mutex_);
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
  return std::exchange(settled_, {});
}

std::vector<SmoothingThread::Settled> SmoothingThread::finish() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.empty(); });
  }
  std::vector<Settled> settled = take();
  Stopwatch watch;
  settled.push_back({smoother_->finish(), skeleton_});  // the thread has nothing to do, and leaves both alone
  ms_ += watch.lap();
  return settled;
}

double SmoothingThread::ms() const {
  const std::scoped_lock lock(mutex_);
  return ms_;
}

void SmoothingThread::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !jobs_.empty(); }) && !stop.stop_requested()) {
    const Job& job = jobs_.front();  // stays where it is while others are added behind it
    lock.unlock();
    std::exception_ptr failed;
    Settled settled;
    Stopwatch watch;
    try {
      settled.estimates = smoother_->add({job.time, job.cloud.view()}, job.estimate, job.skeleton);
    } catch (...) {
      failed = std::current_exception();
    }
    const double ms = watch.lap();
    lock.lock();
    ms_ += ms;
    skeleton_ = job.skeleton;
    jobs_.pop_front();
    if (failed) {
      failed_ = failed;
      jobs_.clear();
    } else if (!settled.estimates.empty()) {
      settled.skeleton = skeleton_;
      settled_.push_back(std::move(settled));
    }
    changed_.notify_all();
  }
}

}  // namespace kinema::app
