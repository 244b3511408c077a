#include "app/evaluation_page.h"

#include "app/page_style.h"
#include "bench/plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kinema::app {
namespace {

using bench::escape;

constexpr const char* plot_rules = R"(
.plot .gap { fill: var(--gap); }
.plot .thin { stroke: currentColor; stroke-width: 1; opacity: .75; }
.plot .limit { stroke: var(--quiet); stroke-dasharray: 4 4; }
.plot .bar { fill: currentColor; opacity: .75; }
.plot .whisker { stroke: var(--ink); stroke-width: 1.2; }
.plot text.quiet { fill: var(--quiet); }
)";

// A step of 1, 2 or 5 times a power of ten, of which about `count` fill the range.
double round_step(double range, double count) {
  const double raw = std::max(range, 1e-9) / count, power = std::pow(10, std::floor(std::log10(raw)));
  const double digit = raw / power;
  return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

std::string title(const std::string& text, double left) {
  return fmt::format("<text class='title' x='{}' y='20'>{}</text>", left, escape(text));
}

constexpr double width = 820;

// Lines over frames, broken where a frame is missing.
struct FrameAxes {
  static constexpr double left = 62, right = width - 14, top = 56, bottom = 300, height = 344;
  double first = 0, last = 1, highest = 1;

  double x(double value) const { return left + (right - left) * (value - first) / (last - first); }
  double y(double mm) const { return bottom - (bottom - top) * mm / highest; }
};

double place(const FrameEvaluation& frame, bool by_time) {
  return by_time ? frame.time.value_or(0) : static_cast<double>(frame.frame.value_or(0));
}

std::string path_of(const Evaluation& evaluation, const FrameAxes& axes, double FrameEvaluation::*value) {
  std::string path;
  bool drawing = false;
  for (std::size_t i = 0; i < evaluation.frames.size(); ++i) {
    const FrameEvaluation& frame = evaluation.frames[i];
    if (frame.joints == 0) {
      drawing = false;
      continue;
    }
    const double x = axes.x(place(frame, evaluation.by_time)), y = axes.y(frame.*value);
    path += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", x, y);
    // a frame between two gaps is a point, which a line of no length would not show
    const bool alone = !drawing && (i + 1 == evaluation.frames.size() || evaluation.frames[i + 1].joints == 0);
    if (alone) path += "h.1";
    drawing = true;
  }
  return path;
}

std::string gaps(const Evaluation& evaluation, const FrameAxes& axes) {
  std::string svg;
  const auto& frames = evaluation.frames;
  const auto count = static_cast<double>(std::max<std::size_t>(2, frames.size()));
  const double half = (axes.right - axes.left) / (count - 1) / 2;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].joints > 0) continue;
    const std::size_t begin = i;
    while (i + 1 < frames.size() && frames[i + 1].joints == 0) ++i;
    const double from = std::max(axes.left, axes.x(place(frames[begin], evaluation.by_time)) - half);
    const double to = std::min(axes.right, axes.x(place(frames[i], evaluation.by_time)) + half);
    svg +=
        fmt::format("<rect class='gap' x='{:.1f}' y='{}' width='{:.1f}' height='{}'><title>{} missing</title></rect>",
                    from, axes.top, std::max(1.0, to - from), axes.bottom - axes.top, i - begin + 1);
  }
  return svg;
}

std::string cells(const ErrorSummary& error) {
  if (error.count == 0) return "<td colspan='5'>never estimated</td>";
  return fmt::format("<td>{:.1f}</td><td>{:.1f}</td><td>{:.1f}</td><td>{:.1f} %</td><td>{}</td>", error.mean_mm,
                     error.median_mm, error.p95_mm, 100 * error.within_100mm,
                     error.normalised_error ? fmt::format("{:.2f}", *error.normalised_error) : "–");
}

std::string number(const std::string& value, const std::string& label) {
  return fmt::format("<div><b>{}</b>{}</div>", value, label);
}

std::string numbers(const Evaluation& evaluation) {
  std::string html = "<div class='card numbers'>";
  if (evaluation.all.count > 0) {
    html += number(fmt::format("{:.1f} mm", evaluation.all.mean_mm), "mean joint error");
    html += number(fmt::format("{:.1f} %", 100 * evaluation.all.within_100mm), "within 100 mm");
  }
  html += number(fmt::format("{} of {}", evaluation.missing_frames, evaluation.truth_frames),
                 fmt::format("frames missing, at most {} in a row", evaluation.longest_gap));
  if (const auto normalised = evaluation.all.normalised_error) {
    html += number(fmt::format("{:.2f}", *normalised),
                   fmt::format("normalised error (1 is right): {}", verdict(*normalised)));
  }
  return html + "</div>\n";
}

}  // namespace

std::string evaluation_style() { return plot_rules + bench::plot_style(); }

std::string joints_table(const Evaluation& evaluation) {
  std::string html =
      "<table><thead><tr><th>joint</th><th>mean, mm</th><th>median</th><th>95 %</th><th>within 100 mm</th>"
      "<th>normalised</th></tr></thead><tbody>\n";
  for (const JointEvaluation& joint : evaluation.joints) {
    html += fmt::format("<tr><td>{}</td>{}</tr>\n", escape(joint.name), cells(joint.error));
  }
  return html + fmt::format("</tbody><tfoot><tr><td>all</td>{}</tr></tfoot></table>\n", cells(evaluation.all));
}

std::string frames_plot(const Evaluation& evaluation) {
  FrameAxes axes;
  axes.first = place(evaluation.frames.front(), evaluation.by_time);
  axes.last = std::max(place(evaluation.frames.back(), evaluation.by_time), axes.first + 1e-3);
  double highest = 0;
  for (const FrameEvaluation& frame : evaluation.frames) highest = std::max(highest, frame.worst_mm);
  const double y_step = round_step(highest, 5);
  axes.highest = y_step * std::max(1.0, std::ceil(highest / y_step));

  std::string svg = fmt::format("<svg class='plot' viewBox='0 0 {} {}' role='img' aria-label='error by frame'>", width,
                                FrameAxes::height) +
                    title("Joint error by frame", FrameAxes::left) + gaps(evaluation, axes);
  for (double mm = 0; mm <= axes.highest * 1.0001; mm += y_step) {
    svg += fmt::format("<path class='grid' d='M{} {:.1f}H{}'/><text x='{}' y='{:.1f}' text-anchor='end'>{:.4g}</text>",
                       axes.left, axes.y(mm), axes.right, axes.left - 7, axes.y(mm) + 4, mm);
  }
  // times count from the first: a clock's own are too long for labels
  const double from = evaluation.by_time ? axes.first : 0, span = axes.last - axes.first;
  const double x_step = evaluation.by_time ? round_step(span, 10) : std::max(1.0, round_step(span, 10));
  const double x_first = from + std::ceil((axes.first - from) / x_step) * x_step;
  for (int tick = 0; tick <= 12; ++tick) {
    const double at = x_first + tick * x_step;
    if (at > axes.last + 1e-6 * span) break;
    svg += fmt::format("<text x='{:.1f}' y='{}' text-anchor='middle'>{:.10g}</text>", axes.x(at), axes.bottom + 18,
                       at - from);
  }
  if (axes.highest > 100) {
    svg += fmt::format("<path class='limit' d='M{} {:.1f}H{}'/>", axes.left, axes.y(100), axes.right);
  }
  svg += fmt::format("<g class='colour1'><path class='thin' d='{}'/></g>",
                     path_of(evaluation, axes, &FrameEvaluation::worst_mm));
  svg += fmt::format("<g class='colour2'><path class='line' stroke-linecap='round' d='{}'/></g>",
                     path_of(evaluation, axes, &FrameEvaluation::mean_mm));
  svg += fmt::format("<path class='axis' d='M{} {}V{}H{}'/>", axes.left, axes.top, axes.bottom, axes.right);
  svg += fmt::format(
      "<g class='colour2'><path class='line' d='M{0} 38h20'/></g><text x='{1}' y='42'>mean of the joints</text>"
      "<g class='colour1'><path class='thin' d='M{2} 38h20'/></g><text x='{3}' y='42'>worst joint</text>",
      axes.left, axes.left + 26, axes.left + 160, axes.left + 186);
  if (evaluation.missing_frames > 0) {
    svg += fmt::format("<rect class='gap' x='{}' y='31' width='20' height='13'/><text x='{}' y='42'>missing</text>",
                       axes.left + 285, axes.left + 311);
  }
  svg += fmt::format(
      "<text class='quiet' x='{}' y='{}' text-anchor='middle'>{}</text>"
      "<text class='quiet' transform='translate(15 {}) rotate(-90)' text-anchor='middle'>mm</text></svg>",
      (axes.left + axes.right) / 2, FrameAxes::height - 8,
      evaluation.by_time ? "seconds from the first frame" : "frame", (axes.top + axes.bottom) / 2);
  return svg;
}

std::string joints_plot(const Evaluation& evaluation) {
  constexpr double left = 118, right = width - 70, top = 36, row = 22;
  const double bottom = top + row * static_cast<double>(evaluation.joints.size()), height = bottom + 44;
  double highest = 0;
  for (const JointEvaluation& joint : evaluation.joints) {
    highest = std::max({highest, joint.error.p95_mm, joint.error.mean_mm});
  }
  const double step = round_step(highest, 8), end = step * std::max(1.0, std::ceil(highest / step));
  const auto x = [&](double mm) { return left + (right - left) * mm / end; };
  std::string svg =
      fmt::format("<svg class='plot' viewBox='0 0 {} {}' role='img' aria-label='error by joint'>", width, height) +
      title("Error by joint: mean, with a line to the 95th percentile", left);
  for (double mm = 0; mm <= end * 1.0001; mm += step) {
    svg += fmt::format(
        "<path class='grid' d='M{0:.1f} {1}V{2}'/><text x='{0:.1f}' y='{3}' text-anchor='middle'>{4:.4g}</text>", x(mm),
        top, bottom, bottom + 17, mm);
  }
  for (std::size_t j = 0; j < evaluation.joints.size(); ++j) {
    const JointEvaluation& joint = evaluation.joints[j];
    const double y = top + row * static_cast<double>(j), middle = y + row / 2;
    svg += fmt::format("<text x='{}' y='{}' text-anchor='end'>{}</text>", left - 8, middle + 4, escape(joint.name));
    if (joint.error.count == 0) continue;
    const ErrorSummary& error = joint.error;
    svg += fmt::format("<g class='colour2'><rect class='bar' x='{}' y='{}' width='{:.1f}' height='{}' rx='2'/></g>",
                       left, y + 4, std::max(0.5, x(error.mean_mm) - left), row - 8);
    svg += fmt::format("<path class='whisker' d='M{:.1f} {}H{:.1f}m0 -4v8'/>", x(std::min(error.mean_mm, error.p95_mm)),
                       middle, x(error.p95_mm));
    svg += fmt::format("<text x='{:.1f}' y='{}'>{:.1f}</text>", x(std::max(error.p95_mm, error.mean_mm)) + 7,
                       middle + 4, error.mean_mm);
  }
  return svg + fmt::format("<text class='quiet' x='{}' y='{}' text-anchor='middle'>mm</text></svg>", (left + right) / 2,
                           height - 8);
}

std::string evaluation_page(const Evaluation& evaluation, const std::string& poses, const std::string& truth) {
  std::string html =
      "<!doctype html>\n<html lang='en'><head><meta charset='utf-8'>"
      "<meta name='viewport' content='width=device-width, initial-scale=1'><title>kinema: poses against "
      "truth</title><style>";
  html += std::string(page_style) + evaluation_style();
  html += fmt::format("</style></head><body><main>\n<h1>Poses against truth</h1>\n<p class='lead'>{} against {}</p>\n",
                      escape(poses), escape(truth));
  html += numbers(evaluation);
  if (evaluation.all.count > 0) {
    html += "<div class='card'>" + frames_plot(evaluation) + "</div>\n";
    html += "<div class='card'>" + joints_plot(evaluation) + "</div>\n";
  }
  html += "<div class='card'>" + joints_table(evaluation) + "</div>\n";
  html +=
      "<p class='lead'>Normalised: the mean of |e|² / (3 std²), with the stated standard deviation along each axis. "
      "1 says that errors are as large as stated; 0.5 to 2 will do; above, the tracker is too sure.</p>\n";
  return html + "</main></body></html>\n";
}

}  // namespace kinema::app
