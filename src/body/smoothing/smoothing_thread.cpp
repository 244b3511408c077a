#include "body/smoothing/smoothing_thread.h"

#include "body/constants_mechanisms.h"
#include "core/stopwatch.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace kinema::body {
namespace {

// Queued frames hold their points: several megabytes each at the point counts of a GPU.
constexpr std::size_t longest_queue = 64;

}  // namespace

SmoothingThread::SmoothingThread(const TrackerSettings& settings, std::size_t lag, const Compute& compute)
    : lag_(lag),
      smoother_(make_smoother(settings, lag, compute)),
      head_(settings.steady && mechanisms::held_head ? std::optional<HeadTurn>(HeadTurn()) : std::nullopt),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

SmoothingThread::~SmoothingThread() = default;

// a minute at usual frame rates, and always more than are settled at once
std::size_t SmoothingThread::most_unclaimed(std::size_t lag) { return std::max<std::size_t>(2000, 4 * lag); }

void SmoothingThread::add(const PointCloud& cloud, const Estimate& estimate) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return jobs_.size() < longest_queue || failed_; });
  // frames without a person need only the estimate
  jobs_.push_back({estimate.found ? cloud : PointCloud(), estimate});
  changed_.notify_all();
}

std::vector<Estimate> SmoothingThread::take() {
  const std::scoped_lock lock(mutex_);
  if (failed_) std::rethrow_exception(std::exchange(failed_, nullptr));
  return std::exchange(settled_, {});
}

std::vector<Estimate> SmoothingThread::finish() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.empty(); });
  }
  std::vector<Estimate> settled = take();
  Stopwatch watch;
  // the queue is empty, so the thread does not use smoother and skeleton
  std::vector<Estimate> last = smoother_->finish();
  complete(last, skeleton_);
  if (head_) head_->restart();
  std::move(last.begin(), last.end(), std::back_inserter(settled));
  ms_ += watch.lap();
  return settled;
}

// Frames that are settled together are corrected together, whenever somebody takes them.
void SmoothingThread::complete(std::vector<Estimate>& settled, const std::shared_ptr<const Skeleton>& skeleton) {
  for (Estimate& estimate : settled) estimate.skeleton = skeleton;
  if (head_) head_->correct(settled);
}

double SmoothingThread::ms() const {
  const std::scoped_lock lock(mutex_);
  return ms_;
}

void SmoothingThread::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !jobs_.empty(); }) && !stop.stop_requested()) {
    const Job& job = jobs_.front();  // stays in place while others are added behind it
    lock.unlock();
    std::exception_ptr failed;
    std::vector<Estimate> settled;
    Stopwatch watch;
    try {
      settled = smoother_->add({job.estimate.time, job.cloud.view()}, job.estimate, *job.estimate.skeleton);
      complete(settled, job.estimate.skeleton);
    } catch (...) {
      failed = std::current_exception();
    }
    const double ms = watch.lap();
    lock.lock();
    ms_ += ms;
    skeleton_ = job.estimate.skeleton;
    jobs_.pop_front();
    if (failed) {
      failed_ = failed;
      jobs_.clear();
    }
    std::move(settled.begin(), settled.end(), std::back_inserter(settled_));
    if (const std::size_t most = most_unclaimed(lag_); settled_.size() > most)
      settled_.erase(settled_.begin(), settled_.end() - static_cast<std::ptrdiff_t>(most));
    changed_.notify_all();
  }
}

}  // namespace kinema::body
