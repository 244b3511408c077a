// Not a test but a measurement: 60 frames a second of 5000 points, 48 capsules and 500 particles for the Body page, while
// the tracker works on all cores (serve_load SECONDS), or without it (serve_load SECONDS alone). `web/tests/rate.mjs` runs
// it with a browser; each second it prints a line.
#include "bench/body/tracker_problem.h"
#include "kinema/body_filter.h"
#include "serve/messages/body_feed.h"
#include "serve/server.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace kinema::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int frames_per_second = 60, phases = 30;
constexpr std::size_t capsules = 48;

struct Moment {
  bench::SeenPerson seen;
  body::Estimate estimate;
};

std::vector<Moment> walk(const body::Skeleton& skeleton) {
  std::vector<Moment> moments(phases);
  for (int i = 0; i < phases; ++i) {
    const body::Pose pose = bench::walking_pose(skeleton, 6.2831853 * i / phases);
    moments[static_cast<std::size_t>(i)].seen =
        bench::see_person(skeleton, pose, bench::person_camera(), 0.005, 2000, 1);
    body::Estimate& estimate = moments[static_cast<std::size_t>(i)].estimate;
    estimate.found = true;
    estimate.pose = pose;
    estimate.joints = body::joint_positions(skeleton, pose);
    estimate.deviation.assign(skeleton.joints.size(), 0.02);
    estimate.times = {{"weigh", 1}};
  }
  return moments;
}

// Tracks the same walk again and again, as fast as it goes.
void track(const body::Skeleton& skeleton, const std::vector<Moment>& moments, std::atomic<int>& tracked,
           const std::atomic<bool>& stop) {
  body::TrackerSettings settings;
  settings.skeleton = skeleton;
  const auto tracker = body::make_filter(settings);
  tracker->start(moments.front().estimate.pose);
  for (int i = 0; !stop; ++i) {
    const bench::SeenPerson& seen = moments[static_cast<std::size_t>(i % phases)].seen;
    // as many points as the foreground leaves on a machine without a GPU
    std::vector<float> points;
    std::vector<std::uint8_t> background;
    for (std::size_t p = 0; p < seen.background.size(); p += 10) {
      points.insert(points.end(), &seen.points[3 * p], &seen.points[3 * p] + 3);
      background.push_back(seen.background[p]);
    }
    tracker->track({i / 30.0, {points.data(), background.size(), background}});
    ++tracked;
  }
}

void run(int seconds, bool alone) {
  body::Skeleton skeleton = body::default_human();
  const std::vector<Moment> moments = walk(skeleton);
  body::Skeleton shown = skeleton;
  while (shown.capsules.size() < capsules) shown.capsules.push_back(shown.capsules[shown.capsules.size() % 40]);

  Hub hub;
  ServerSettings settings;
  settings.port = 0;
  const Server server(settings, built_in_pages(), hub);
  std::fprintf(stderr, "look at %s\n", server.url().c_str());
  BodyFeed feed(hub.channel("body"), "a load", 0);
  std::atomic<int> tracked = 0;
  std::atomic<bool> stop = false;
  std::thread tracking([&] {
    if (!alone) track(skeleton, moments, tracked, stop);
  });

  auto next = Clock::now();
  double worst_ms = 0;
  for (int frame = 0; frame < seconds * frames_per_second; ++frame) {
    const Moment& moment = moments[static_cast<std::size_t>(frame % phases)];
    std::vector<Vec3> particles;
    for (std::size_t i = 0; i < BodyFeed::most_particles; ++i) {
      for (const Vec3& joint : moment.estimate.joints) {
        const double wander = 0.02 * (static_cast<double>(i % 21) / 10 - 1);
        particles.push_back({joint.x + wander, joint.y - wander, joint.z + wander});
      }
    }
    const auto before = Clock::now();
    body::Estimate estimate = moment.estimate;
    estimate.frame = frame;
    estimate.time = frame / 60.0;
    feed.add({shown, estimate, moment.seen.view(), particles});
    worst_ms = std::max(worst_ms, std::chrono::duration<double, std::milli>(Clock::now() - before).count());
    if (frame % frames_per_second == frames_per_second - 1) {
      fmt::print("sent {} skipped {} tracked {} worst publishing {:.2f} ms\n", hub.counts().sent.exchange(0),
                 hub.counts().skipped.exchange(0), tracked.exchange(0), worst_ms);
      std::fflush(stdout);
      worst_ms = 0;
    }
    next += std::chrono::microseconds(1000000 / frames_per_second);
    std::this_thread::sleep_until(next);
  }
  stop = true;
  tracking.join();
}

}  // namespace
}  // namespace kinema::serve

int main(int argc, char** argv) { kinema::serve::run(argc > 1 ? std::atoi(argv[1]) : 30, argc > 2); }
