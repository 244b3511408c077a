// The head's part of the demo's page.
#include "app/base64.h"
#include "app/demo_page.h"
#include "bench/plot.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinema::app {
namespace {

std::string strip(const HeadDemo& demo) {
  if (demo.strip.empty()) return fmt::format("<p class=\"note\">No pictures: {}.</p>\n", bench::escape(demo.no_video));
  std::string html = "<div class=\"strip wide\">\n";
  for (const Shot& shot : demo.strip) {
    html += fmt::format(
        "<figure><img width=\"{}\" height=\"{}\" alt=\"the tracked head over frame {}\" "
        "src=\"data:image/png;base64,{}\"><figcaption>{:.2f} s</figcaption></figure>\n",
        shot.width, shot.height, shot.frame, base64(shot.png), shot.time);
  }
  html +=
      "</div>\n<p class=\"note\">Warm: skin, by its degree. Green: the head's outline, and the way its centre came. ";
  html += demo.no_video.empty() ? "All frames: <a href=\"head.mp4\">head.mp4</a>."
                                : fmt::format("No video: {}.", bench::escape(demo.no_video));
  return html + "</p>\n";
}

// The error of each frame as a line, with the half percent of the face's width that it should stay under.
std::string plot(const HeadDemo& demo) {
  constexpr double width = 820, height = 220, left = 62, right = width - 14, top = 36, bottom = 180;
  const double goal = 0.005 * demo.face_px, highest = 1.15 * std::max(demo.worst_px, goal);
  const double last = std::max<double>(1, static_cast<double>(demo.error_px.size()) - 1);
  const auto y = [&](double px) { return bottom - (bottom - top) * px / highest; };
  std::string path;
  bool drawing = false;
  for (std::size_t i = 0; i < demo.error_px.size(); ++i) {
    if (demo.error_px[i] < 0) {
      drawing = false;
      continue;
    }
    path += fmt::format("{}{:.1f} {:.1f}", drawing ? "L" : "M", left + (right - left) * static_cast<double>(i) / last,
                        y(demo.error_px[i]));
    drawing = true;
  }
  return fmt::format(
      "<svg class='plot' viewBox='0 0 {0} {1}' role='img' aria-label='error by frame'>"
      "<text class='title' x='{2}' y='20'>Error of the head's centre by frame, pixels</text>"
      "<path class='limit' d='M{2} {3:.1f}H{4}'/><text class='quiet' x='{4}' y='{5:.1f}' text-anchor='end'>half a "
      "percent "
      "of the face's width</text><g class='colour2'><path class='line' d='{6}'/></g>"
      "<path class='axis' d='M{2} {7}V{8}H{4}'/><text x='{9}' y='{10:.1f}' text-anchor='end'>{11:.2f}</text>"
      "<text x='{9}' y='{8}' text-anchor='end'>0</text><text class='quiet' x='{4}' y='{12}' text-anchor='end'>frame "
      "{13}</text></svg>",
      width, height, left, y(goal), right, y(goal) - 5, path, top, bottom, left - 7, y(demo.worst_px) + 4,
      demo.worst_px, bottom + 18, demo.error_px.size() - 1);
}

std::string number(const std::string& value, const std::string& label) {
  return fmt::format("<div><b>{}</b>{}</div>\n", value, label);
}

}  // namespace

std::vector<DemoRow> head_rows(const HeadDemo& demo) {
  return {
      {"clip", fmt::format("{} frames of a synthetic head, {:.0f} pixels wide, in a room with things of skin's colour",
                           demo.counts.frames, demo.face_px)},
      {"filter", fmt::format("score {:.2f}, calibrated in {:.1f} ms from an oval in the first frame", demo.score,
                             demo.calibrate_ms)},
      {"tracking", fmt::format("{} of {} frames at {:.0f} a second on {}", demo.counts.found, demo.counts.frames,
                               demo.counts.frames_per_second(), name(demo.settings.backend))},
      {"centre", fmt::format("{:.2f} pixels off on average, {:.2f} % of the face's width; at most {:.2f} pixels",
                             demo.mean_px, 100 * demo.errors.mean, demo.worst_px)},
      {"distance", fmt::format("{:.1f} % off on average", demo.distance_percent)},
      {"at rest", demo.jitter_px ? fmt::format("a jitter of {:.3f} pixels by the camera's noise", *demo.jitter_px)
                                 : std::string("-")}};
}

std::string head_part(const HeadDemo& demo) {
  std::string html =
      "<h2>A head, for a webcam</h2>\n<p class=\"lead\">A synthetic head, lit and textured, moves before a room in "
      "which "
      "wood and cardboard have nearly its colours. kinema learned its colours from one oval, and followed it by them "
      "and by its edges.</p>\n";
  html += strip(demo);
  html += "<section class=\"card numbers\">\n";
  html += number(fmt::format("{:.2f} px", demo.mean_px),
                 fmt::format("mean error: {:.2f} % of the face's width", 100 * demo.errors.mean));
  html += number(fmt::format("{:.1f} %", demo.distance_percent), "mean error of the distance");
  if (demo.jitter_px) html += number(fmt::format("{:.3f} px", *demo.jitter_px), "jitter of the head at rest");
  html += number(fmt::format("{} of {}", demo.counts.found, demo.counts.frames), "frames tracked");
  html += number(fmt::format("{:.0f}", demo.counts.frames_per_second()),
                 fmt::format("frames a second, on {}", name(demo.settings.backend)));
  html += "</section>\n<section class=\"card\">" + plot(demo) + "</section>\n<section class=\"card\"><pre>";
  for (const std::string& command : demo.commands()) html += bench::escape(command) + "\n";
  return html + "</pre></section>\n";
}

}  // namespace kinema::app
