#include "app/head/head_run.h"

#include "io/faces/head_table.h"
#include "io/network/head_network.h"
#include "io/overlays/head_overlay.h"
#include "io/pictures/image_file.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace kinema::app {

HeadCounts track(io::Source& source, const HeadRun& run) {
  head::Tracker tracker(run.tracker, run.compute);
  if (!run.background.empty()) {
    const io::Frame room{.name = run.background, .colour = io::read_picture(run.background)};
    tracker.set_background(room.view());
  }
  HeadCounts counts;
  counts.mode = tracker.settings().mode;
  counts.backend = tracker.backend();
  if (run.started) run.started(tracker);
  ColourFiles<io::HeadWriter> files(run.outputs, source.fps());
  io::HeadPainter painter;
  std::optional<io::HeadSender> sender;
  if (run.outputs.live.any()) sender.emplace(run.outputs.live);
  const auto work = [&](SourceLoop& loop) {
    if (sender) loop.keep_own_speed();
    follow(
        loop, counts, [&](const io::Frame& frame) { return tracker.track(frame); },
        [&](const io::Frame& frame, const head::Estimate& estimate) {
          if (sender) sender->send(frame.taken, estimate.position, estimate.confidence);
        },
        [&](const io::Frame& frame, const head::Estimate& estimate) {
          files.add(frame, estimate, [&] {
            return painter.draw(
                frame.colour, frame.index, frame.time, estimate,
                [&](std::uint8_t r, std::uint8_t g, std::uint8_t b) { return tracker.degree_now(r, g, b); });
          });
          if (run.watch) run.watch(frame, estimate);
        });
  };
  run_loop(source, run.range, counts, work, [&] { files.commit(); });
  return counts;
}

namespace {

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The position at a time between frames; nothing next to a gap.
std::optional<std::pair<double, double>> at(const HeadPath& path, double seconds) {
  const auto after = std::upper_bound(path.time.begin(), path.time.end(), seconds);
  if (after == path.time.begin() || after == path.time.end()) return std::nullopt;
  const auto i = static_cast<std::size_t>(after - path.time.begin());
  const auto &a = path.place[i - 1], &b = path.place[i];
  const double span = path.time[i] - path.time[i - 1];
  if (!a || !b || !(span > 0)) return std::nullopt;
  const double t = (seconds - path.time[i - 1]) / span;
  return std::pair{a->first + t * (b->first - a->first), a->second + t * (b->second - a->second)};
}

}  // namespace

std::optional<double> jitter(const HeadPath& path) {
  // noise of deviation s has second differences of deviation s sqrt(6), whose absolute values have a median 0.6745
  // times as large
  std::vector<double> sizes;
  for (std::size_t i = 2; i < path.place.size(); ++i) {
    const auto &a = path.place[i - 2], &b = path.place[i - 1], &c = path.place[i];
    if (!a || !b || !c) continue;
    sizes.push_back(std::abs(a->first - 2 * b->first + c->first));
    sizes.push_back(std::abs(a->second - 2 * b->second + c->second));
  }
  if (sizes.empty()) return std::nullopt;
  return median_of(std::move(sizes)) / (0.6745 * std::sqrt(6.0));
}

std::optional<double> lag(const HeadPath& raw, const HeadPath& smoothed) {
  if (raw.time.size() < 10) return std::nullopt;
  const double frame = (raw.time.back() - raw.time.front()) / static_cast<double>(raw.time.size() - 1);
  std::optional<double> best;
  double least = 0;
  for (int tenth = 0; tenth <= 150; ++tenth) {
    const double shift = 0.1 * tenth * frame;
    double sum = 0;
    std::size_t count = 0;
    // the same frames for every lag
    for (std::size_t i = 16; i < smoothed.time.size(); ++i) {
      const auto before = at(raw, smoothed.time[i] - shift - 1e-9);
      if (!before || !smoothed.place[i]) continue;
      const double x = smoothed.place[i]->first - before->first, y = smoothed.place[i]->second - before->second;
      sum += x * x + y * y;
      ++count;
    }
    if (count < 10) continue;
    const double mean = sum / static_cast<double>(count);
    if (!best || mean < least) {
      best = shift;
      least = mean;
    }
  }
  return best;
}

double step_response(const head::OneEuroSettings& settings, double pixels, double fps) {
  head::OneEuro filter(settings);
  double time = 0;
  for (int i = 0; i < 60; ++i, time += 1 / fps) filter.filter(0, time);
  const double from = time - 1 / fps;
  constexpr int longest = 100000;
  for (int i = 0; i < longest; ++i, time += 1 / fps) {
    if (filter.filter(pixels, time) >= 0.9 * pixels) break;
  }
  return time - from;
}

HeadErrors errors(const HeadPath& path, const std::vector<io::HeadBox>& truth) {
  HeadErrors result;
  std::vector<double> shares;
  std::size_t within = 0;
  for (std::size_t i = 0; i < std::min(path.place.size(), truth.size()); ++i) {
    ++result.frames;
    if (!path.place[i]) {
      ++result.missing;
      continue;
    }
    const io::HeadBox& box = truth[i];
    const double share = std::hypot(path.place[i]->first - box.cx(), path.place[i]->second - box.cy()) / box.width;
    within += share <= 0.25;
    result.mean += share;
    shares.push_back(share);
  }
  if (result.frames > 0) result.within = static_cast<double>(within) / static_cast<double>(result.frames);
  if (!shares.empty()) {
    result.mean /= static_cast<double>(shares.size());
    result.median = median_of(std::move(shares));
  }
  return result;
}

nlohmann::ordered_json errors_json(const HeadErrors& errors) {
  return {{"frames", errors.frames},
          {"missing", errors.missing},
          {"within_quarter", errors.within},
          {"mean", errors.mean},
          {"median", errors.median}};
}

}  // namespace kinema::app
