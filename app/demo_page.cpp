#include "app/demo_page.h"

#include "app/base64.h"
#include "app/demo_picture.h"
#include "app/evaluation_page.h"
#include "bench/plot.h"
#include "bench/report_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

namespace kinema::app {
namespace {

// Near is bright, far is dark; on the skin is quiet, off it glows. Both rise evenly in lightness on a dark ground.
constexpr std::array depth_ramp = {"#fde725", "#c2df23", "#86d549", "#52c569", "#2ab07f", "#1e9b8a",
                                   "#25858e", "#2d708e", "#38588c", "#433e85", "#5a4a9c"};
constexpr std::array distance_ramp = {"#33506e", "#3f5f83", "#56708f", "#7a7f8f", "#a58f80", "#c99b6a",
                                      "#e8a354", "#f79a48", "#fb8545", "#fb6b46", "#f94d4d"};

constexpr std::size_t most_points = 6000;

constexpr const char* style = R"(
:root { color-scheme: light dark; --page: #f7f8fa; --card: #ffffff; --ink: #1b2430; --quiet: #5d6b7c; --rule: #dfe4ea; --gap: #f5c98b66;
  --truth: #0b7a75; --other: #b4530a; --sample: #8a99ab; }
@media (prefers-color-scheme: dark) { :root { --page: #0d1117; --card: #161c25; --ink: #e6ebf1; --quiet: #97a5b5;
  --rule: #2a333f; --gap: #8a5a1d66; --truth: #3ddbd0; --other: #ffab5c; --sample: #66768a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, "Segoe UI", Roboto,
  "Helvetica Neue", Arial, sans-serif; }
main { max-width: 960px; margin: 0 auto; padding: 2.5rem 1.25rem 3rem; }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; }
h2 { font-size: 1.35rem; line-height: 1.25; margin: 2.5rem 0 .4rem; }
h3 { font-size: 1.05rem; margin: 0 0 .75rem; }
p { margin: 0 0 1rem; max-width: 44rem; }
.lead, figcaption, footer { color: var(--quiet); }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 1.25rem; margin: 1.5rem 0; }
.card, figure { background: var(--card); border: 1px solid var(--rule); border-radius: 12px; overflow: hidden; margin: 0; }
.card { padding: 1.1rem 1.25rem 1.25rem; margin-bottom: 1.25rem; }
figcaption { padding: .8rem 1.1rem 1rem; font-size: .9rem; }
figcaption strong { display: block; color: var(--ink); font-size: 1rem; }
.picture { display: block; width: 100%; height: 520px; background: #0b111a; }
.dots path { fill: none; stroke-linecap: round; }
.pose { fill: none; stroke: #ffffff; stroke-opacity: .5; }
.guess { fill: none; stroke: #ffffff; stroke-opacity: .7; stroke-dasharray: 3 2; }
.legend { display: grid; grid-template-columns: auto 1fr auto; gap: .6rem; align-items: center; margin-top: .6rem;
  font-variant-numeric: tabular-nums; }
.bar { height: 8px; border-radius: 4px; }
.chart { display: block; width: 100%; height: auto; }
.chart line { stroke: var(--rule); }
.chart text { fill: var(--quiet); font-size: 13px; font-variant-numeric: tabular-nums; }
.chart .samples { fill: none; stroke: var(--sample); stroke-opacity: .7; stroke-width: 5; stroke-linecap: round; }
.chart line.truth { stroke: var(--truth); } .chart circle.truth { fill: var(--truth); }
.chart text.truth { fill: var(--truth); font-weight: 600; }
.chart line.other { stroke: var(--other); } .chart circle.other { fill: var(--other); }
.chart text.other { fill: var(--other); font-weight: 600; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem .5rem 0; border-top: 1px solid var(--rule); }
tr:first-child > * { border-top: 0; }
th { font-weight: 500; color: var(--quiet); white-space: nowrap; width: 8rem; }
footer { font-size: .85rem; }
.strip { display: grid; grid-template-columns: repeat(6, 1fr); gap: 4px; margin: 1.5rem 0 .4rem; border-radius: 12px;
  overflow: hidden; background: #0b111a; padding: 4px; }
.strip figure { border: 0; border-radius: 6px; background: none; }
.strip img { display: block; width: 100%; height: auto; }
.strip figcaption { padding: .25rem 0 .15rem; color: #b6c2d0; font-size: .8rem; text-align: center;
  font-variant-numeric: tabular-nums; }
.strip.wide { grid-template-columns: repeat(3, 1fr); }
@media (max-width: 640px) { .strip { grid-template-columns: repeat(3, 1fr); } }
.numbers { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: .75rem 1rem; }
.numbers div { color: var(--quiet); font-size: .9rem; }
.numbers b { display: block; color: var(--ink); font-size: 1.5rem; font-variant-numeric: tabular-nums; }
.errors { overflow-x: auto; }
.errors th, .errors td { text-align: right; padding: .3rem .6rem; width: auto; white-space: nowrap; }
.errors th:first-child, .errors td:first-child { text-align: left; padding-left: 0; }
.errors tfoot td { font-weight: 600; }
.note { color: var(--quiet); font-size: .9rem; margin: .75rem 0 1.25rem; }
pre { margin: 0; overflow-x: auto; font: .85rem/1.6 ui-monospace, "DejaVu Sans Mono", Menlo, monospace; }
)";

// What a point alone costs is its own distance: d^2 = -2 sigma^2 log p (eq. 3).
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

// Evenly through the scan, so that the picture stays even too.
std::vector<std::size_t> thinned(std::size_t points) {
  const std::size_t count = std::min(points, most_points);
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < count; ++i) {
    // a step that is no whole number of points draws lines across the picture; a shift within it breaks them up
    const double shift = std::fmod(static_cast<double>(i) * 0.6180339887, 1.0);
    chosen.push_back(static_cast<std::size_t>((static_cast<double>(i) + shift) * static_cast<double>(points) /
                                              static_cast<double>(count)));
  }
  return chosen;
}

std::string legend(Ramp ramp, const std::string& low, const std::string& high) {
  std::string colours;
  for (const char* colour : ramp) colours += fmt::format(",{}", colour);
  return fmt::format(
      "<span class=\"legend\"><span>{}</span><span class=\"bar\" style=\"background:linear-gradient(90deg{})\"></span>"
      "<span>{}</span></span>",
      low, colours, high);
}

std::string figure(const Picture& picture, const std::string& title, const std::string& text, const std::string& key) {
  return fmt::format("<figure>\n{}<figcaption><strong>{}</strong>{}{}</figcaption>\n</figure>\n", picture_svg(picture),
                     title, text, key);
}

std::string pictures(const LikelihoodDemo& demo) {
  Picture depth, distance;
  depth.camera = distance.camera = demo.problem.camera;
  depth.count = distance.count = bench::person_capsules;
  depth.frame = distance.frame = depth.capsules = demo.capsules(0);
  distance.capsules = demo.capsules(demo.best_other);
  depth.ramp = depth_ramp;
  distance.ramp = distance_ramp;
  depth.outline = "pose";
  distance.outline = "guess";

  // false matches lie metres off; colours are for the person
  double nearest = INFINITY, farthest = 0;
  for (std::size_t k = 0; k < bench::person_capsules; ++k) {
    const float* c = demo.capsules(0) + k * body::capsule_floats;
    nearest = std::min<double>(nearest, std::min(c[2], c[6]) - c[3]);
    farthest = std::max<double>(farthest, std::max(c[2], c[6]));
  }
  const std::vector<std::size_t> chosen = thinned(demo.problem.points.size() / 3);
  const std::vector<double> off = distances(demo, chosen, distance.capsules);
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const float* p = &demo.problem.points[3 * chosen[i]];
    depth.points.push_back({p[0], p[1], p[2], (p[2] - nearest) / (farthest - nearest)});
    distance.points.push_back({p[0], p[1], p[2], off[i] / demo.settings.tau});
  }
  depth.title = "points coloured by depth, with the capsules of the true pose";
  distance.title = fmt::format("points coloured by distance to the skin of sample {}", demo.best_other);
  return "<div class=\"pictures\">\n" +
         figure(depth, "What the camera saw", "Points coloured by depth; in white the 48 capsules of the true pose.",
                legend(depth_ramp, fmt::format("{:.1f} m", nearest), fmt::format("{:.1f} m", farthest))) +
         figure(distance, fmt::format("The best of the other poses, sample {}", demo.best_other),
                "Points coloured by their distance to its skin along the ray; dashed its capsules.",
                legend(distance_ramp, "0", fmt::format("{:.0f} mm and more", 1000 * demo.settings.tau))) +
         "</div>\n";
}

std::string strip(const Walk& walk) {
  if (walk.strip.empty()) {
    return fmt::format("<p class=\"note\">No pictures: {}. The camera gave points instead of depth images.</p>\n",
                       bench::escape(walk.no_video));
  }
  std::string html = "<div class=\"strip\">\n";
  for (const Shot& shot : walk.strip) {
    html += fmt::format(
        "<figure><img width=\"{}\" height=\"{}\" alt=\"the tracked skeleton over frame {}\" "
        "src=\"data:image/png;base64,{}\"><figcaption>{:.2f} s</figcaption></figure>\n",
        shot.width, shot.height, shot.frame, base64(shot.png), shot.time);
  }
  html +=
      "</div>\n<p class=\"note\">Over the camera's pictures: the skin by limb, the bones, and about each joint a ring "
      "of "
      "two standard deviations. ";
  html += walk.no_video.empty() ? "All frames: <a href=\"walk.mp4\">walk.mp4</a>."
                                : fmt::format("No video: {}.", bench::escape(walk.no_video));
  return html + "</p>\n";
}

std::string number(const std::string& value, const std::string& label) {
  return fmt::format("<div><b>{}</b>{}</div>\n", value, label);
}

std::string walk_part(const Walk& walk) {
  const Evaluation& evaluation = walk.evaluation;
  std::string html = strip(walk);
  html += "<section class=\"card numbers\">\n";
  html += number(fmt::format("{:.1f} mm", evaluation.all.mean_mm), "mean error of a joint");
  html += number(fmt::format("{:.1f} %", 100 * evaluation.within_100mm_of_truth), "of joints within 100 mm");
  html += number(fmt::format("{} of {}", walk.counts.found, walk.counts.frames), "frames tracked");
  html += number(fmt::format("{:.1f}", walk.counts.frames_per_second()),
                 fmt::format("frames a second, on {}", name(walk.settings.backend)));
  if (const auto normalised = evaluation.all.normalised_error) {
    html += number(verdict(*normalised), fmt::format("deviations: {:.2f}, 1 is right", *normalised));
  }
  html += "</section>\n<section class=\"card\">" + frames_plot(evaluation) + "</section>\n";
  html += "<section class=\"card errors\">\n<h3>Against the truth, by joint</h3>\n" + joints_table(evaluation) +
          "</section>\n<p class=\"note\">Normalised: squared errors over those that the tracker stated, on average. "
          "Near 1 it knows how well it knows; 0.5 to 2 will do; above, it is too sure.</p>\n";
  html += "<h2>The same by hand</h2>\n<p class=\"lead\">In the folder of this page:</p>\n<section class=\"card\"><pre>";
  for (const std::string& command : walk.commands()) html += bench::escape(command) + "\n";
  return html + "</pre></section>\n";
}

}  // namespace

std::vector<DemoRow> walk_rows(const Walk& walk) {
  const Evaluation& evaluation = walk.evaluation;
  std::vector<DemoRow> rows = {
      {"recording", fmt::format("{} frames of {}, simulated from a motion-capture clip in {:.1f} s", walk.counts.frames,
                                walk.mode, walk.simulate_ms / 1000)},
      {"tracking", fmt::format("{} of {} frames at {:.1f} a second on {}; the person's size was found on the way",
                               walk.counts.found, walk.counts.frames, walk.counts.frames_per_second(),
                               name(walk.settings.backend))},
      {"joints", fmt::format("{:.1f} mm off on average, {:.1f} % within 100 mm", evaluation.all.mean_mm,
                             100 * evaluation.within_100mm_of_truth)}};
  if (const auto normalised = evaluation.all.normalised_error) {
    rows.push_back({"deviations", fmt::format("{}: normalised error {:.2f}, where 1 is right and 0.5 to 2 will do",
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

std::vector<DemoRow> likelihood_rows(const LikelihoodDemo& demo) {
  const auto samples = static_cast<double>(demo.samples());
  return {
      {"scene", fmt::format("{} points of a person of {} capsules, with noise and 5 % false matches", demo.points.used,
                            bench::person_capsules)},
      {"poses", fmt::format("{} samples: the true pose, and {} such as a particle filter would try", demo.samples(),
                            demo.samples() - 1)},
      {"backend", std::string(name(demo.backend))},
      {"time", fmt::format("{:.1f} ms for all samples, {:.3f} ms each; {:.1f} ms to set the points", demo.evaluate_ms,
                           demo.evaluate_ms / samples, demo.set_points_ms)},
      {"true pose",
       fmt::format("rank {} of {}, log-likelihood {:.0f}; best other: sample {}, {:.0f}", demo.true_rank,
                   demo.samples(), demo.log_likelihood[0], demo.best_other, demo.log_likelihood[demo.best_other])},
      {"agreement", fmt::format("{} samples within {:.1e} of the reference, which took {:.1f} ms each", demo.checked,
                                demo.difference, demo.reference_ms / static_cast<double>(demo.checked))},
  };
}

std::string demo_page(const Walk& walk, const HeadDemo& head, const FaceDemo& face, const LikelihoodDemo& likelihood) {
  std::string table;
  for (const DemoRow& row : likelihood_rows(likelihood))
    table += fmt::format("<tr><th>{}</th><td>{}</td></tr>\n", row.label, row.text);
  std::string page =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>kinema demo</title>\n<style>";
  page += style + evaluation_style() + face_part_style();
  page +=
      "</style>\n</head>\n<body>\n<main>\n<h1>A walking person, followed</h1>\n"
      "<p class=\"lead\">A motion-capture clip was put before a simulated depth camera, with the noise of a real one. "
      "kinema found the person, learned its size, and followed it, without knowing the clip; then its joints were held "
      "against the truth.</p>\n";
  page += walk_part(walk);
  page += head_part(head);
  page += face_part(face);
  page +=
      "<h2>Beneath the walk: how likely is a pose?</h2>\n"
      "<p class=\"lead\">Each pose is a set of capsules; its likelihood measures, along the ray of every point, how "
      "far "
      "the point lies from their skin. The tracker asks this of hundreds of poses a frame.</p>\n";
  page += pictures(likelihood);
  page += "<section class=\"card\">\n<h3>Every pose that was tried</h3>\n";
  page += likelihood_chart_svg(likelihood.log_likelihood, likelihood.best_other);
  page += "</section>\n<section class=\"card\">\n<table>\n" + table + "</table>\n</section>\n";
  const bench::Machine machine = bench::describe_machine(0);
  page += fmt::format(
      "<footer>kinema {}, made by <code>kinema demo</code> on {}, {} cores{}, {}.</footer>\n"
      "</main>\n</body>\n</html>\n",
      build().version, bench::escape(machine.cpu), machine.cores,
      machine.gpus.empty() ? "" : ", " + bench::escape(machine.gpus.front().name), machine.system);
  return page;
}

}  // namespace kinema::app
