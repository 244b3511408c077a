#include "bench/head/steps/moments_joint.h"

#include "core/stopwatch.h"
#include "head/moments/frame_rows.h"
#include "head/moments/moments_backends.h"

#include <algorithm>
#include <cmath>

namespace kinema::head {

void JointMoments::set_classifier(const Classifier& classifier) {
  device_->set_classifier(classifier);
  for (const auto& host : host_) host->set_classifier(classifier);
}

std::size_t JointMoments::host_rows(std::size_t rows) const {
  if (fixed_share_ < 0) return division_.host_rows(rows);
  return std::min(rows, static_cast<std::size_t>(std::llround(fixed_share_ * static_cast<double>(rows))));
}

// Rows `first` to `end` - 1, one part per worker.
Sums JointMoments::measure_on_host(const ColourView& frame, const Weighing& weighing, std::size_t first,
                                   std::size_t end) {
  const std::size_t pairs = (end - first + row_grain - 1) / row_grain, workers = host_.size();
  const auto edge = [&](std::size_t i) { return std::min(end, first + pairs * i / workers * row_grain); };
  parts_.assign(workers, {});
  threads_.for_each(workers, [&](std::size_t i) {
    const std::size_t begin = edge(i), rows = edge(i + 1) - begin;
    if (rows > 0)
      parts_[i] = moved_down(host_[i]->measure(band(frame, begin, rows), band(weighing, begin, rows)), begin);
  });
  Sums sums;
  for (const Sums& part : parts_) sums = sums + part;
  return sums;
}

Sums JointMoments::measure(const ColourView& frame, const Weighing& weighing) {
  check_frame(frame, true);
  check_weighing(frame, weighing);
  const Stopwatch watch;
  const Box box = pixels_that_count(frame, weighing);
  if (frame.on_device || box.empty()) {
    const Sums sums = device_->measure(frame, weighing);
    times_ = device_->times();
    return sums;
  }

  // the device's rows end at `cut`
  std::size_t cut = box.bottom - host_rows(box.height());
  if (cut < box.bottom) cut = cut / row_grain * row_grain;
  const std::size_t device_rows = cut - std::min(cut, box.top), host_rows = box.height() - device_rows;

  Sums sums;
  double host_ms = 0;
  if (device_rows > 0) device_->start(band(frame, 0, cut), band(weighing, 0, cut));
  const double late_ms = watch.ms();
  if (host_rows > 0) {
    try {
      sums = measure_on_host(frame, weighing, cut, box.bottom);
      host_ms = watch.ms() - late_ms;
    } catch (...) {
      if (device_rows > 0) device_->finish();
      throw;
    }
  }
  if (device_rows > 0) sums = device_->finish() + sums;
  const double wall_ms = watch.ms();

  const double device_ms = device_rows > 0 ? device_->device_ms() : 0;
  division_.learn(host_rows, host_ms, device_rows, device_ms, late_ms);
  times_ = {{"cpu", host_ms}, {"device", device_ms}, {"wall", wall_ms}};
  if (device_rows > 0)
    for (const StageTime& time : device_->times())
      if (time.stage == "transfer") times_.push_back(time);
  return sums;
}

}  // namespace kinema::head
