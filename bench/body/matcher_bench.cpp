#include "bench/body/matcher_bench.h"

#include "bench/bench_run.h"
#include "bench/body/matcher_opencv.h"
#include "bench/body/pair_problem.h"
#include "bench/times.h"
#include "kinema/stereo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

namespace kinema::bench {
namespace {

constexpr std::size_t frames = 8;

struct Size {
  int width, height;
  double focal_length, nearest;  // 128 and 224 disparities
};
constexpr Size sizes[] = {{640, 480, 768, 0.85}, {1280, 720, 1152, 0.66}};

// One of the contestants.
struct Runner {
  std::string name;
  std::unique_ptr<stereo::Matcher> matcher;  // null: OpenCV's
  int paths = 8, disparities = 0;
  stereo::Disparities found;
  Times times;

  void match(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right) {
    if (matcher)
      matcher->match(left, right, {}, matcher->whole(), found);
    else
      match_by_opencv(left, right, disparities, paths, found.disparity);
  }
};

MatcherRow row_of(const Runner& runner, const Size& size, const std::vector<float>& truth) {
  MatcherRow row{runner.name,         size.width, size.height,          runner.disparities,
                 runner.times.wall(), {},         runner.times.stages()};
  row.repeats = runner.times.count();
  std::size_t known = 0, wrong = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (runner.found.disparity[i] <= 0) continue;
    ++known;
    if (std::abs(runner.found.disparity[i] - truth[i]) > 1) ++wrong;
  }
  row.known = static_cast<double>(known) / static_cast<double>(truth.size());
  row.wrong = known > 0 ? static_cast<double>(wrong) / static_cast<double>(known) : 0;
  return row;
}

}  // namespace

std::vector<MatcherRow> measure_matchers(const std::vector<std::string>& backends, int threads, std::uint64_t seed,
                                         double turn_ms, bool quick,
                                         const std::function<void(const std::string&)>& progress) {
  std::vector<MatcherRow> rows;
  for (const Size& size : sizes) {
    if (quick && !rows.empty()) break;
    if (progress) progress(fmt::format("bench body: stereo matching, {} x {}", size.width, size.height));
    const Camera camera = person_camera(size.width, size.height, size.focal_length);
    const std::vector<PairImages> pairs = see_walk(body::default_human(), camera, frames, seed);
    std::vector<Runner> runners;
    int disparities = 0;
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
      if (!wanted(backends, name(backend)) || !available(backend)) continue;
      Runner runner;
      runner.name = std::string(name(backend));
      runner.matcher =
          stereo::make_matcher(camera, pair_baseline, {.nearest = size.nearest, .farthest = 12}, {backend, threads});
      disparities = runner.disparities = runner.matcher->whole().disparities;
      runners.push_back(std::move(runner));
    }
    if (runners.empty()) return {};
    if (opencv_matches())
      for (const int paths : {5, 8}) {
        runners.emplace_back();
        runners.back().name = fmt::format("OpenCV, {} paths", paths);
        runners.back().paths = paths;
        runners.back().disparities = disparities;
      }
    const auto width = static_cast<std::size_t>(camera.width), height = static_cast<std::size_t>(camera.height);
    const auto view = [&](const std::vector<std::uint8_t>& picture) {
      return ImageView<const std::uint8_t>{picture.data(), width, height, width};
    };
    for (std::size_t round = 0; round < rounds; ++round)
      for (Runner& runner : runners) {
        std::size_t next = 0;
        take_turn(
            runner.times, turn_ms, most_turn_repeats,
            [&] {
              const PairImages& pair = pairs[next++ % pairs.size()];
              runner.match(view(pair.left), view(pair.right));
            },
            [&] { return runner.matcher ? runner.matcher->times() : std::vector<StageTime>(); });
      }
    for (Runner& runner : runners) {
      runner.match(view(pairs[0].left), view(pairs[0].right));
      rows.push_back(row_of(runner, size, pairs[0].disparity));
    }
  }
  return rows;
}

}  // namespace kinema::bench
