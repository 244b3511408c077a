#include "app/face_evaluation_page.h"

#include "app/base64.h"
#include "app/face_reliability.h"
#include "app/page_style.h"
#include "bench/plot.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinema::app {
namespace {

using bench::escape;

constexpr double furthest = 0.16;  // of the curve

std::string percent(double share) { return fmt::format("{:.2f} %", 100 * share); }

std::string row(const std::string& name, const FaceErrorSummary& error) {
  return fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.1f} %</td><td>{:.3f}</td></tr>\n", name,
                     percent(error.mean), percent(error.median), percent(error.p95), 100 * error.failures, error.auc);
}

std::string number(const std::string& value, const std::string& label) {
  return fmt::format("<div><b>{}</b>{}</div>", value, label);
}

std::string numbers(const FaceEvaluation& evaluation) {
  std::string html = "<div class='card numbers'>";
  if (evaluation.all.count > 0) html += number(percent(evaluation.all.mean), "mean error over the outer-eye distance");
  html += number(fmt::format("{:.1f} %", 100 * evaluation.all.failures), "failures (over 8 %)");
  html += number(fmt::format("{:.3f}", evaluation.all.auc), "area under the curve up to 8 %");
  if (evaluation.roc_area) html += number(fmt::format("{:.3f}", *evaluation.roc_area), "ROC area of the score");
  return html + "</div>\n";
}

std::string by_image(const FaceEvaluation& evaluation) {
  constexpr std::size_t most = 40;
  std::string html =
      "<table><thead><tr><th>picture, worst first</th><th>error</th><th>49 points</th><th>start</th><th>probability of "
      "failure</th></tr></thead><tbody>\n";
  const std::vector<std::size_t> order = evaluation.worst_first();
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) {
    const FaceError& face = evaluation.faces[order[i]];
    if (!face.fitted) {
      html += fmt::format("<tr><td>{}</td><td colspan='4'>{}</td></tr>\n", escape(face.name), escape(face.why));
      continue;
    }
    html +=
        fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{:.2f}</td></tr>\n", escape(face.name),
                    percent(face.all), evaluation.inner ? percent(face.inner) : "–", percent(face.start), face.failure);
  }
  return html + "</tbody></table>\n";
}

std::string reliability(const FaceEvaluation& evaluation) {
  if (!evaluation.scored) return "";
  std::string html = "<div class='card'><h2>What the score said, and what happened</h2>";
  for (const auto& [what, bins] : {std::pair{"probability of failure", failure_reliability(evaluation)},
                                   {"confidence that a landmark is within 8 %", landmark_reliability(evaluation)}}) {
    html += fmt::format(
        "<table><thead><tr><th>{}</th><th>number</th><th>told</th><th>happened</th></tr></thead><tbody>\n", what);
    for (const ReliabilityBin& bin : bins) {
      html += fmt::format("<tr><td>{:.0f} to {:.0f} %</td><td>{}</td><td>{:.1f} %</td><td>{:.1f} %</td></tr>\n",
                          100 * bin.from, 100 * bin.to, bin.count, 100 * bin.told, 100 * bin.happened);
    }
    html += "</tbody></table>\n";
  }
  return html + "</div>\n";
}

}  // namespace

std::string face_curve_style() {
  return ".plot .limit { stroke: var(--quiet); stroke-dasharray: 4 4; } .plot text.quiet { fill: var(--quiet); }\n";
}

std::string face_curve(const FaceEvaluation& evaluation) {
  constexpr double width = 820, left = 62, right = width - 14, top = 56, bottom = 320, height = 364;
  const auto x = [&](double error) { return left + (right - left) * error / furthest; };
  const auto y = [&](double share) { return bottom - (bottom - top) * share; };
  std::string svg =
      fmt::format("<svg class='plot' viewBox='0 0 {} {}' role='img' aria-label='cumulative error'>", width, height);
  svg += fmt::format("<text class='title' x='{}' y='20'>Share of faces with an error up to</text>", left);
  for (int percent = 0; percent <= 100; percent += 20) {
    svg +=
        fmt::format("<path class='grid' d='M{0} {1:.1f}H{2}'/><text x='{3}' y='{4:.1f}' text-anchor='end'>{5} %</text>",
                    left, y(percent / 100.0), right, left - 7, y(percent / 100.0) + 4, percent);
  }
  for (int percent = 0; percent <= 16; percent += 2) {
    svg += fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{} %</text>", x(percent / 100.0), bottom + 18,
                       percent);
  }
  svg += fmt::format("<path class='limit' d='M{:.1f} {}V{}'/>", x(failure_limit), top, bottom);
  std::vector<double> at;
  for (int i = 0; i <= 320; ++i) at.push_back(furthest * i / 320);
  int legend = 0;
  for (const auto& [inner, label, colour] : {std::tuple{false, fmt::format("all {} points", evaluation.landmarks), 2},
                                             {true, std::string("49 points"), 1}}) {
    if (inner && !evaluation.inner) continue;
    const std::vector<double> shares = cumulative(evaluation, inner, at);
    std::string path;
    for (std::size_t i = 0; i < at.size(); ++i)
      path += fmt::format("{}{:.1f} {:.1f}", i == 0 ? "M" : "L", x(at[i]), y(shares[i]));
    const double place = left + 170 * legend++;
    svg += fmt::format(
        "<g class='colour{}'><path class='line' d='{}'/><path class='line' d='M{} 38h20'/></g><text x='{}' "
        "y='42'>{}</text>",
        colour, path, place, place + 26, label);
  }
  svg += fmt::format("<path class='axis' d='M{} {}V{}H{}'/>", left, top, bottom, right);
  return svg + fmt::format(
                   "<text class='quiet' x='{}' y='{}' text-anchor='middle'>mean error over the distance of the outer "
                   "eye corners</text></svg>",
                   (left + right) / 2, height - 8);
}

std::string face_evaluation_page(const FaceEvaluation& evaluation, const std::string& model, const std::string& images,
                                 const std::string& start, const std::string& worst) {
  std::string html =
      "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
      "<meta name='viewport' content='width=device-width, initial-scale=1'><title>kinema: faces against "
      "truth</title><style>";
  html += std::string(page_style) + face_curve_style() + bench::plot_style();
  html += fmt::format(
      "</style></head><body><main>\n<h1>Faces against truth</h1>\n<p class='lead'>{}: {} fits of {}; starts: "
      "{}{}</p>\n",
      escape(model), evaluation.faces.size(), escape(images), escape(start),
      evaluation.stopped ? "; stopped early" : "");
  html += numbers(evaluation);
  html += "<div class='card'>" + face_curve(evaluation) + "</div>\n";
  html +=
      "<div class='card'><table><thead><tr><th>points</th><th>mean</th><th>median</th><th>95 "
      "%</th><th>failures</th><th>AUC</th></tr></thead><tbody>\n";
  html += row(fmt::format("all {}", evaluation.landmarks), evaluation.all);
  if (evaluation.inner) html += row("49", *evaluation.inner);
  html += "</tbody></table></div>\n";
  html += reliability(evaluation);
  if (!worst.empty()) {
    html += fmt::format(
        "<div class='card'><h2>The worst faces: the fit is green, the truth is blue</h2><img alt='the worst faces' "
        "src='data:image/png;base64,{}'></div>\n",
        base64(worst));
  }
  return html + "<div class='card'>" + by_image(evaluation) + "</div>\n</main></body></html>\n";
}

}  // namespace kinema::app
