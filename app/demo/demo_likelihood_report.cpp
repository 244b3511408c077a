// The likelihood's part of the demo's report.
#include "app/demo/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::app {
namespace {

constexpr std::size_t most_points = 6000;

// The cost of a single point is its distance: d^2 = -2 sigma^2 log p (eq. 3).
std::vector<double> distances(const LikelihoodDemo& demo, const std::vector<std::size_t>& chosen,
                              const float* capsules) {
  const auto likelihood = body::make_likelihood(demo.settings, Backend::reference);
  const body::CapsulesView sample{capsules, 1, bench::person_capsules, body::capsule_floats};
  std::vector<double> result;
  for (std::size_t i : chosen) {
    double log_likelihood = 0;
    likelihood->set_points({&demo.problem.points[3 * i], 1, {}});
    likelihood->evaluate(sample, {&log_likelihood, 1});
    result.push_back(demo.settings.sigma * std::sqrt(std::max(0.0, -2 * log_likelihood)));
  }
  return result;
}

// Evenly through the scan, so that the image stays even too.
std::vector<std::size_t> thinned(std::size_t points) {
  const std::size_t count = std::min(points, most_points);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    // a fractional step draws lines across the image; a shift within the step breaks them up
    const double shift = std::fmod(static_cast<double>(i) * 0.6180339887, 1.0);
    chosen.push_back(static_cast<std::size_t>((static_cast<double>(i) + shift) * static_cast<double>(points) /
                                              static_cast<double>(count)));
  }
  return chosen;
}

// A point in the camera frame, and its colour value, 0 to 1.
struct ColouredPoint {
  float x = 0, y = 0, z = 0;
  double value = 0;
};

struct Circle {
  double x = 0, y = 0, r = 0;
};

// A sphere seen from outside. Its outline is an ellipse that is nearly circular close to the camera's axis; a circle of
// its smaller radius is enough for a drawing.
Circle project(const Camera& camera, const float* centre, double radius) {
  const double z = std::max<double>(centre[2], 1e-3);
  return {camera.fx * centre[0] / z + camera.cx, camera.fy * centre[1] / z + camera.cy, camera.fx * radius / z};
}

struct Box {
  double left = INFINITY, top = INFINITY, right = -INFINITY, bottom = -INFINITY;
  void include(const Circle& c) {
    left = std::min(left, c.x - c.r);
    top = std::min(top, c.y - c.r);
    right = std::max(right, c.x + c.r);
    bottom = std::max(bottom, c.y + c.r);
  }
  bool contains(const Circle& c) const { return c.x >= left && c.x <= right && c.y >= top && c.y <= bottom; }
};

// Fills box, points and outlines of a scene. Capsules are (count, 7); the scene is cropped to those of `frame`.
void project_scene(const Camera& camera, const std::vector<ColouredPoint>& points, const float* capsules,
                   const float* frame, std::size_t count, report::Scenes::Scene& scene) {
  Box box;
  for (std::size_t k = 0; k < count; ++k) {
    const float* c = frame + k * 7;
    box.include(project(camera, c, c[3]));
    box.include(project(camera, c + 4, c[3]));
  }
  const double margin = 0.05 * std::max(box.right - box.left, box.bottom - box.top);
  box = {box.left - margin, box.top - margin, box.right + margin, box.bottom + margin};
  scene.left = box.left;
  scene.top = box.top;
  scene.width = box.right - box.left;
  scene.height = box.bottom - box.top;

  constexpr double highest_level = report::Scenes::levels - 1;
  for (const ColouredPoint& point : points) {
    const float centre[3] = {point.x, point.y, point.z};
    const Circle at = project(camera, centre, 0);
    if (!box.contains(at)) continue;
    const auto level = static_cast<std::size_t>(std::lround(std::clamp(point.value, 0.0, 1.0) * highest_level));
    scene.points[level].emplace_back(at.x, at.y);
  }
  for (std::size_t k = 0; k < count; ++k) {
    const float* c = capsules + k * 7;
    const Circle a = project(camera, c, c[3]), b = project(camera, c + 4, c[3]);
    scene.outlines.push_back({a.x, a.y, a.r, b.x, b.y, b.r});
  }
}

report::Scenes scenes(const LikelihoodDemo& demo) {
  // false matches are metres off; the colour scale covers the person
  double nearest = INFINITY, farthest = 0;
  for (std::size_t k = 0; k < bench::person_capsules; ++k) {
    const float* c = demo.capsules(0) + k * body::capsule_floats;
    nearest = std::min<double>(nearest, std::min(c[2], c[6]) - c[3]);
    farthest = std::max<double>(farthest, std::max(c[2], c[6]));
  }
  const std::vector<std::size_t> chosen = thinned(demo.problem.points.size() / 3);
  const std::vector<double> off = distances(demo, chosen, demo.capsules(demo.best_other));
  std::vector<ColouredPoint> by_depth, by_distance;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const float* p = &demo.problem.points[3 * chosen[i]];
    by_depth.push_back({p[0], p[1], p[2], (p[2] - nearest) / (farthest - nearest)});
    by_distance.push_back({p[0], p[1], p[2], off[i] / demo.settings.tau});
  }

  report::Scenes::Scene depth, distance;
  depth.title = "What the camera saw";
  depth.text = "Points coloured by depth; in white the 48 capsules of the true pose.";
  depth.alternative = "points coloured by depth, with the capsules of the true pose";
  depth.ramp = "depth";
  depth.low = fmt::format("{:.1f} m", nearest);
  depth.high = fmt::format("{:.1f} m", farthest);
  distance.title = fmt::format("The best of the other poses, sample {}", demo.best_other);
  distance.text = "Points coloured by their distance to its skin along the ray; its capsules are dashed.";
  distance.alternative = fmt::format("points coloured by distance to the skin of sample {}", demo.best_other);
  distance.ramp = "distance";
  distance.low = "0";
  distance.high = fmt::format("{:.0f} mm and more", 1000 * demo.settings.tau);
  distance.dashed = true;
  project_scene(demo.problem.camera, by_depth, demo.capsules(0), demo.capsules(0), bench::person_capsules, depth);
  project_scene(demo.problem.camera, by_distance, demo.capsules(demo.best_other), demo.capsules(0),
                bench::person_capsules, distance);
  return {{std::move(depth), std::move(distance)}};
}

// One dot per sample on an axis of log-likelihood. Their height has no meaning: the golden ratio separates neighbours.
report::Plot samples_plot(const LikelihoodDemo& demo) {
  report::Plot plot;
  plot.title = "Every pose that was tried";
  plot.x.label = "log-likelihood, more likely to the right";
  plot.y = {"", report::Unit::number, false, -0.1, 1.1, true};
  const auto point = [&](std::size_t sample) {
    const double height = sample == 0 ? 0.5 : std::fmod(static_cast<double>(sample) * 0.6180339887, 1.0);
    return report::Point{demo.log_likelihood[sample], height, 0, 0};
  };
  report::Series others{"other poses", 0, report::Style::dots, {}};
  for (std::size_t sample = 1; sample < demo.samples(); ++sample)
    if (sample != demo.best_other) others.points.push_back(point(sample));
  std::sort(others.points.begin(), others.points.end(),
            [](const report::Point& a, const report::Point& b) { return a.x < b.x; });
  plot.series.push_back(std::move(others));
  plot.series.push_back(
      {fmt::format("the best of them, sample {}", demo.best_other), 1, report::Style::dots, {point(demo.best_other)}});
  plot.series.push_back({"the true pose", 3, report::Style::dots, {point(0)}});
  plot.limits = {{true, demo.log_likelihood[0], "true pose"}};
  return plot;
}

}  // namespace

std::vector<DemoRow> likelihood_rows(const LikelihoodDemo& demo) {
  const auto samples = static_cast<double>(demo.samples());
  return {
      {"scene", fmt::format("{} points of a person of {} capsules, with noise and 5 % false matches", demo.points.used,
                            bench::person_capsules)},
      {"poses", fmt::format("{} samples: the true pose, and {} such as a particle filter would try", demo.samples(),
                            demo.samples() - 1)},
      {"backend", std::string(name(demo.compute.backend))},
      {"time", fmt::format("{:.1f} ms for all samples, {:.3f} ms each; {:.1f} ms to set the points", demo.evaluate_ms,
                           demo.evaluate_ms / samples, demo.set_points_ms)},
      {"true pose",
       fmt::format("rank {} of {}, log-likelihood {:.0f}; best other: sample {}, {:.0f}", demo.true_rank,
                   demo.samples(), demo.log_likelihood[0], demo.best_other, demo.log_likelihood[demo.best_other])},
      {"agreement", fmt::format("{} samples within {:.1e} of the reference, which took {:.1f} ms each", demo.checked,
                                demo.difference, demo.reference_ms / static_cast<double>(demo.checked))},
  };
}

report::Section likelihood_section(const LikelihoodDemo& demo) {
  report::List list;
  for (DemoRow& row : likelihood_rows(demo)) list.entries.push_back({std::move(row.label), std::move(row.text)});
  return {
      "Beneath the walk: how likely is a pose?",
      "Each pose is a set of capsules; its likelihood measures, along the ray of every point, how far the point lies "
      "from their skin. The tracker asks this of hundreds of poses per frame.",
      {scenes(demo), samples_plot(demo), std::move(list)}};
}

}  // namespace kinema::app
