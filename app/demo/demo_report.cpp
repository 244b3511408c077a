#include "app/body/evaluation_report.h"
#include "app/demo/demo.h"
#include "app/face/face_evaluation.h"
#include "bench/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::app {
namespace {

void add_strip(report::Section& section, const std::vector<Shot>& strip, const char* shows) {
  report::Pictures pictures;
  for (const Shot& shot : strip) {
    pictures.pictures.push_back({shot.png, shot.width, shot.height, fmt::format("{} over frame {}", shows, shot.frame),
                                 fmt::format("{:.2f} s", shot.time)});
  }
  section.blocks.emplace_back(std::move(pictures));
}

// What the images show, and where the video of all frames is.
void add_note(report::Section& section, const std::string& text, const std::string& no_video, const char* video) {
  if (no_video.empty()) {
    section.blocks.emplace_back(report::Text{text, ""});
    section.blocks.emplace_back(report::Film{video, "All frames:"});
  } else {
    section.blocks.emplace_back(report::Text{fmt::format("{} No video: {}.", text, no_video), ""});
  }
}

report::Section own_camera_section() {
  report::Section section{
      "Now your own camera",
      "Nothing needs to be calibrated or trained. Each command prints the address of a page that shows what it tracks; "
      "Ctrl-C ends it.",
      {}};
  section.blocks.emplace_back(report::Commands{{"kinema serve", "kinema track --input camera:0 --out me.jsonl --view",
                                                "kinema body track --input openni: --out poses.jsonl --view"}});
  section.blocks.emplace_back(
      report::Text{"The first tracks head and face in the camera of your browser, and what is dropped on its page. The "
                   "second follows "
                   "one person before a webcam of this computer, the third a body before a depth camera: `kinema "
                   "cameras` lists those "
                   "that are connected.",
                   ""});
  return section;
}

}  // namespace

std::vector<DemoRow> walk_rows(const Walk& walk) {
  const Evaluation& evaluation = walk.evaluation;
  std::vector<DemoRow> rows = {
      {"recording", fmt::format("{} frames of {}, simulated from a motion-capture clip in {:.1f} s", walk.counts.frames,
                                walk.mode, walk.simulate_ms / 1000)},
      {"tracking", fmt::format("{} of {} frames at {:.1f} per second on {}; the person's size was found on the way",
                               walk.counts.found, walk.counts.frames, walk.counts.frames_per_second(),
                               name(walk.settings.compute.backend))},
      {"joints", fmt::format("{:.1f} mm off on average, {:.1f} % within 100 mm", evaluation.all.mean_mm,
                             100 * evaluation.within_100mm_of_truth)}};
  if (const auto normalised = evaluation.all.normalised_error) {
    rows.push_back(
        {"deviations", fmt::format("{}: normalised error {:.2f}, where 1 is right and 0.5 to 2 is acceptable",
                                   verdict(*normalised), *normalised)});
  }
  if (!walk.no_video.empty()) rows.push_back({"no video", walk.no_video});
  return rows;
}

std::vector<DemoRow> face_rows(const FaceDemo& face) {
  return {{"model", fmt::format("{} synthetic faces and their mirror images, {} pixels, trained in {:.1f} s",
                                face.trained, face.pixels, face.train_ms / 1000)},
          {"new faces", fmt::format("{}: {:.1f} % of the outer-eye distance off on average, {:.0f} % of them over 8 %",
                                    face.test.faces.size(), 100 * face.test.all.mean, 100 * face.test.all.failures)},
          {"clip", fmt::format("{} of {} frames followed, {:.1f} % off", face.clip_found, face.clip_frames,
                               100 * face.clip_error)}};
}

std::vector<DemoRow> head_rows(const HeadDemo& demo) {
  return {{"clip",
           fmt::format("{} frames of a synthetic head, {:.0f} pixels wide, in a room with things of the colour of skin",
                       demo.counts.frames, demo.face_px)},
          {"filter", fmt::format("score {:.2f}, calibrated in {:.1f} ms from an oval in the first frame", demo.score,
                                 demo.calibrate_ms)},
          {"tracking", fmt::format("{} of {} frames at {:.0f} per second on {}", demo.counts.found, demo.counts.frames,
                                   demo.counts.frames_per_second(), name(demo.settings.compute.backend))},
          {"centre", fmt::format("{:.2f} pixels off on average, {:.2f} % of the face's width; at most {:.2f} pixels",
                                 demo.mean_px, 100 * demo.errors.mean, demo.worst_px)},
          {"distance", fmt::format("{:.1f} % off on average", demo.distance_percent)},
          {"at rest", demo.jitter_px ? fmt::format("a jitter of {:.3f} pixels by the camera's noise", *demo.jitter_px)
                                     : std::string("-")}};
}

report::Section walk_section(const Walk& walk) {
  const Evaluation& evaluation = walk.evaluation;
  report::Section section;
  if (walk.strip.empty()) {
    section.blocks.emplace_back(report::Text{
        fmt::format("No pictures: {}. The camera gave points instead of depth images.", walk.no_video), ""});
  } else {
    add_strip(section, walk.strip, "the tracked skeleton");
    add_note(section,
             "Over the camera's pictures: the skin by limb, the bones, and around each joint a ring of two standard "
             "deviations.",
             walk.no_video, "walk.mp4");
  }
  report::Figures figures{{{fmt::format("{:.1f} mm", evaluation.all.mean_mm), "mean error of a joint"},
                           {fmt::format("{:.1f} %", 100 * evaluation.within_100mm_of_truth), "of joints within 100 mm"},
                           {fmt::format("{} of {}", walk.counts.found, walk.counts.frames), "frames tracked"},
                           {fmt::format("{:.1f}", walk.counts.frames_per_second()),
                            fmt::format("frames per second, on {}", name(walk.settings.compute.backend))}}};
  if (const auto normalised = evaluation.all.normalised_error)
    figures.figures.push_back({verdict(*normalised), fmt::format("deviations: {:.2f}, 1 is right", *normalised)});
  section.blocks.emplace_back(std::move(figures));
  section.blocks.emplace_back(frames_plot(evaluation));
  section.blocks.emplace_back(joints_table(evaluation));
  section.blocks.emplace_back(report::Text{
      "Normalised: squared errors over those that the tracker stated, on average. Near 1 the stated deviations are "
      "right; 0.5 to 2 is acceptable; above, the tracker is too sure. The same by hand, in the folder of this page:",
      ""});
  section.blocks.emplace_back(report::Commands{walk.commands()});
  return section;
}

report::Section head_section(const HeadDemo& demo) {
  report::Section section{
      "A head, for a webcam",
      "A synthetic head, lit and textured, moves in front of a room in which wood and cardboard have "
      "nearly its colours. kinema learned its colours from one oval, and followed it by them and by "
      "its edges.",
      {}};
  if (demo.strip.empty()) {
    section.blocks.emplace_back(report::Text{fmt::format("No pictures: {}.", demo.no_video), ""});
  } else {
    add_strip(section, demo.strip, "the tracked head");
    add_note(section, "Warm: skin, by its degree. Green: the head's outline, and the path of its centre.",
             demo.no_video, "head.mp4");
  }
  report::Figures figures{{{fmt::format("{:.2f} px", demo.mean_px),
                            fmt::format("mean error: {:.2f} % of the face's width", 100 * demo.errors.mean)},
                           {fmt::format("{:.1f} %", demo.distance_percent), "mean error of the distance"}}};
  if (demo.jitter_px)
    figures.figures.push_back({fmt::format("{:.3f} px", *demo.jitter_px), "jitter of the head at rest"});
  figures.figures.push_back({fmt::format("{} of {}", demo.counts.found, demo.counts.frames), "frames tracked"});
  figures.figures.push_back({fmt::format("{:.0f}", demo.counts.frames_per_second()),
                             fmt::format("frames per second, on {}", name(demo.settings.compute.backend))});
  section.blocks.emplace_back(std::move(figures));

  report::Plot plot;
  plot.title = "Error of the head's centre by frame";
  plot.x.label = "frame";
  plot.y.label = "pixels";
  const double goal = 0.005 * demo.face_px;
  plot.y.from = 0;
  plot.y.to = 1.15 * std::max(demo.worst_px, goal);
  plot.limits = {{false, goal, "0.5 % of its width"}};
  report::Series series{"error", 2, report::Style::line, {}};
  for (std::size_t i = 0; i < demo.error_px.size(); ++i) {
    series.points.push_back(
        {static_cast<double>(i), demo.error_px[i] < 0 ? std::nullopt : std::optional(demo.error_px[i]), 0, 0});
  }
  plot.series.push_back(std::move(series));
  section.blocks.emplace_back(std::move(plot));
  section.blocks.emplace_back(report::Commands{demo.commands()});
  return section;
}

report::Section face_section(const FaceDemo& demo) {
  report::Section section{"A face, fitted",
                          "An appearance model learned from synthetic faces how shape and texture vary. It was then "
                          "fitted to faces it had not seen, and followed another through a clip, frame by frame.",
                          {}};
  if (!demo.strip.empty()) {
    add_strip(section, demo.strip, "landmarks");
    add_note(section, "68 landmarks and the mesh of the model; doubtful landmarks in amber.", demo.no_video,
             "face.mp4");
  }
  section.blocks.emplace_back(report::Figures{
      {{fmt::format("{:.1f} %", 100 * demo.test.all.mean),
        fmt::format("mean error on {} new faces, over the outer-eye distance", demo.test.faces.size())},
       {fmt::format("{:.1f} %", 100 * demo.test.all.failures), "of them off by more than 8 %"},
       {fmt::format("{} of {}", demo.clip_found, demo.clip_frames),
        fmt::format("frames of the clip, {:.1f} % off", 100 * demo.clip_error)},
       {fmt::format("{:.1f} s", demo.train_ms / 1000),
        fmt::format("to train on {} faces and their mirror images, {} pixels", demo.trained, demo.pixels)}}});
  section.blocks.emplace_back(face_curve(demo.test));
  section.blocks.emplace_back(report::Commands{demo.commands()});
  return section;
}

report::Report demo_report(const Walk& walk, const HeadDemo& head, const FaceDemo& face,
                           const LikelihoodDemo& likelihood) {
  const bench::Machine machine = bench::describe_machine(0);
  return {
      "A walking person, followed",
      "A motion-capture clip was put in front of a simulated depth camera, with the noise of a real one. kinema found "
      "the person, learned its size, and followed it, without knowing the clip; then its joints were compared with "
      "the truth.",
      {walk_section(walk), head_section(head), face_section(face), likelihood_section(likelihood),
       own_camera_section()},
      fmt::format("kinema {}, made by `kinema demo` on {}, {} cores{}, {}.", build().version, machine.cpu,
                  machine.cores, machine.gpus.empty() ? "" : ", " + machine.gpus.front().name, machine.system)};
}

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
