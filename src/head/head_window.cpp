#include "head/head_window.h"

#include "head/constants.h"

#include <algorithm>
#include <cmath>

namespace kinema::head {
namespace {

constexpr double nowhere = -1e9;

}  // namespace

HeadWindow::HeadWindow(const HeadReference& reference, std::size_t width, std::size_t height,
                       const TrackerSettings& settings, int threads)
    : anchor_(reference.anchor),
      area_(reference.area),
      settings_(settings),
      threads_(threads),
      width_(width),
      height_(height),
      usual_(reference.contrast) {
  // frames of the same camera at another size
  const double x = static_cast<double>(width) / static_cast<double>(reference.width);
  const double y = static_cast<double>(height) / static_cast<double>(reference.height);
  if (settings.pattern && reference.patch.size() == head_patch_side * head_patch_side) {
    pattern_.start(reference.patch);
    usual_response_ = first_response;
  }
  outline_ = {(reference.oval.cx + 0.5) * x - 0.5, (reference.oval.cy + 0.5) * y - 0.5, reference.oval.rx * x,
              reference.oval.ry * y};
}

void HeadWindow::start(const Oval& oval) {
  last_ = window_of(oval);
  given_ = true;
  seen_ = false;
}

void HeadWindow::restart() {
  last_.reset();
  given_ = seen_ = false;
}

HeadWindow::Candidate HeadWindow::converge(const Scene& scene, Window window, int steps) const {
  window = climb(scene, window, steps);
  return {window, contrast(scene, window), 0, {}};
}

// Ignores rows below the chin, if asked for.
Scene HeadWindow::cut(Scene scene, const Oval& head) const {
  if (settings_.neck_cut) {
    const double chin = std::round(head.cy + head.ry);
    scene.weighing.bottom = static_cast<std::size_t>(std::clamp(chin, 1.0, static_cast<double>(height_)));
  }
  return scene;
}

// The size of a newly found head.
void HeadWindow::fit_size(const Scene& scene, Candidate& candidate) const {
  const double reference = window_of(outline_).rx;
  for (int round = 0; round < size_rounds; ++round) {
    const double size = better_size(scene, candidate.window, size_step) * candidate.window.rx;
    candidate.window = scaled(
        candidate.window, std::clamp(size, smallest_size * reference, largest_size * reference) / candidate.window.rx);
    candidate = converge(scene, candidate.window, climb_steps);
  }
}

// The size of a tracked head follows what is measured, and noise is suppressed.
void HeadWindow::follow_size(const Scene& scene, Window& window, double trust) const {
  const double reference = window_of(outline_).rx;
  const double asked = std::log(better_size(scene, window, size_step));
  const double size = window.rx * std::exp(trust * size_gain * asked);
  window = scaled(window, std::clamp(size, smallest_size * reference, largest_size * reference) / window.rx);
}

// Where the search starts: at the last position, and where the map of degrees has most contrast.
std::vector<Window> HeadWindow::seeds(const Scene& scene, const Classifier& classifier) const {
  const Degrees degrees(classifier);
  std::vector<Window> windows;
  if (last_) windows.push_back(*last_);
  if (given_) return windows;
  const Window about = last_ ? *last_ : window_of(outline_);
  if (!last_) windows.push_back(about);
  const double rx = about.rx, ry = about.ry;
  if (seen_) {
    const auto step = static_cast<std::size_t>(std::max(1.0, std::min(rx, ry) / near_cells));
    const Part part = part_of(scene.frame, about.cx, about.cy, (search_radius + 1) * rx, (search_radius + 1) * ry);
    const DegreeMap map(scene.frame, degrees, part, step, scene.weighing.mask);
    for (const DegreeMap::Place& place : map.places(rx / window_factor, ry / window_factor, search_places)) {
      if (std::hypot((place.x - about.cx) / rx, (place.y - about.cy) / ry) < search_radius) {
        windows.push_back({place.x, place.y, rx, ry});
      }
    }
    return windows;
  }
  if (!mechanisms::searched_everywhere) return windows;
  const auto step = static_cast<std::size_t>(std::max(1.0, std::min(rx, ry) / far_cells));
  const DegreeMap map(scene.frame, degrees, {0, 0, width_, height_}, step, scene.weighing.mask);
  for (const double size : {1.0, smaller_head, larger_head}) {
    if (!mechanisms::searched_window_sizes && size != 1) continue;
    for (const DegreeMap::Place& place :
         map.places(size * rx / window_factor, size * ry / window_factor, search_places)) {
      windows.push_back({place.x, place.y, size * rx, size * ry});
    }
  }
  return windows;
}

void HeadWindow::follow(const Scene& whole, const Classifier& classifier, Estimate& estimate) {
  if (!settings_.colours) return follow_pattern(whole, estimate);
  const Scene scene = last_ && seen_ ? cut(whole, head_of(*last_)) : whole;
  std::vector<Candidate> candidates;
  const auto add = [&](const Candidate& candidate) {
    const bool known = std::any_of(candidates.begin(), candidates.end(), [&](const Candidate& other) {
      return std::hypot(candidate.window.cx - other.window.cx, candidate.window.cy - other.window.cy) <
             same_window * candidate.window.rx;
    });
    if (!known) candidates.push_back(candidate);
  };
  for (const Window& seed : seeds(scene, classifier)) {
    Candidate candidate = converge(scene, seed, climb_steps);
    if (!seen_ && !given_) fit_size(scene, candidate);
    add(candidate);
  }
  if (mechanisms::pattern_seed && pattern_.known() && seen_) {
    const Oval head = head_of(*last_);
    const Pattern::Match match = pattern_.find(scene.frame, head);
    Window window = climb(scene, window_of({match.x, match.y, head.rx, head.ry}), climb_steps);
    limit_offset(window, match);
    add({window, contrast(scene, window), 0, {}});
  }
  Candidate best;
  best.value = nowhere;
  for (Candidate& candidate : candidates) {
    weigh(scene, candidate);
    if (!is_distractor(candidate) && candidate.value > best.value) best = candidate;
  }
  if (!last_) prefer_calibrated(scene, best);
  if (pattern_.known()) limit_offset(best.window, best.match);
  match_ = best.match;
  const double seen_contrast = best.contrast.difference();
  estimate.confidence = std::clamp(seen_contrast, 0.0, 1.0);
  const double needed = std::max(least_contrast, (seen_ ? lost_contrast : found_contrast) * usual_);
  if (!(seen_contrast >= needed)) {
    estimate.why = best.value == nowhere                        ? "what has the head's colours does not look like it"
                   : best.contrast.inside < no_colours * needed ? "nothing has the head's colours"
                                                                : "what has the head's colours does not stand out";
    seen_ = false;
    given_ = false;
    return;
  }
  if (seen_) {
    const double trust = std::clamp((seen_contrast / usual_ - sized_contrast) / (1 - sized_contrast), 0.0, 1.0);
    follow_size(scene, best.window, trust);
    // another size converges elsewhere
    if (mechanisms::climbed_again) best.window = climb(scene, best.window, climb_steps);
    if (pattern_.known()) limit_offset(best.window, best.match);
  }
  usual_ = usual_ > 0 ? usual_ + usual_rate * (seen_contrast - usual_) : seen_contrast;
  report(best.window, estimate);
}

// The pattern alone, about where the head was, at its size and a little smaller and larger; a place that was given is believed.
void HeadWindow::follow_pattern(const Scene& scene, Estimate& estimate) {
  Oval about = last_ ? head_of(*last_) : outline_;
  match_ = {about.cx, about.cy, 0};
  if (pattern_.known()) match_ = pattern_.find(scene.frame, about);
  const double usual = usual_response_ > 0 ? usual_response_ : first_response;
  const bool sure = !given_ && seen_ && match_.response >= pattern_full * usual;
  for (const double size : {1 / pattern_size_step, pattern_size_step}) {
    if (!sure) break;
    const Oval other{about.cx, about.cy, size * about.rx, size * about.ry};
    const Pattern::Match match = pattern_.find(scene.frame, other);
    const double factor = other.rx / outline_.rx;
    if (match.response > pattern_size_gain * match_.response && factor > smallest_size && factor < largest_size) {
      match_ = match;
      about.rx = other.rx, about.ry = other.ry;
      break;
    }
  }
  estimate.confidence = std::clamp(match_.response / usual, 0.0, 1.0);
  if (!given_ && estimate.confidence < pattern_alone) {
    estimate.why = "nothing looks like the head where it was";
    seen_ = false;
    return;
  }
  report(given_ ? window_of(about) : window_of({match_.x, match_.y, about.rx, about.ry}), estimate);
}

void HeadWindow::report(const Window& window, Estimate& estimate) {
  last_ = window;
  seen_ = true;
  given_ = false;
  const Oval head = head_of(window);
  const double size = head.rx / outline_.rx;
  estimate.found = true;
  estimate.oval = head;
  estimate.x = head.cx;
  estimate.y = head.cy;
  estimate.area = area_ * size * size;  // eq. 5, of the head alone
}

// Whether a candidate in another place has the head's colours, but not its pattern.
bool HeadWindow::is_distractor(const Candidate& candidate) const {
  if (given_ || !pattern_.known() || candidate.match.response >= pattern_elsewhere * usual_response_) return false;
  const Window from = seen_ ? *last_ : window_of(outline_);
  const double away = std::hypot((candidate.window.cx - from.cx) / from.rx, (candidate.window.cy - from.cy) / from.ry);
  return away > elsewhere_distance || (last_ && !seen_);
}

// The value of a candidate: contrast of its colours, distance from the last position, and response of the pattern.
void HeadWindow::weigh(const Scene& scene, Candidate& candidate) const {
  candidate.value = candidate.contrast.difference();
  if (last_ && seen_) {
    const double away =
        std::hypot((candidate.window.cx - last_->cx) / last_->rx, (candidate.window.cy - last_->cy) / last_->ry);
    candidate.value -= distance_cost * away * away;
  }
  if (!pattern_.known()) return;
  candidate.match = pattern_.find(scene.frame, head_of(candidate.window));
  if (usual_response_ > 0)
    candidate.value += pattern_weight * std::clamp(candidate.match.response / usual_response_, 0.0, 1.0);
}

// Colours locate the head to a small fraction of a pixel, but other objects of the same colours pull at it: a confident
// match of the pattern limits how far.
void HeadWindow::limit_offset(Window& window, const Pattern::Match& match) const {
  if (!(usual_response_ > 0)) return;
  const double sure =
      std::clamp((match.response / usual_response_ - pattern_from) / (pattern_full - pattern_from), 0.0, 1.0);
  if (sure == 0) return;
  Oval head = head_of(window);
  const double x = (head.cx - match.x) / head.rx, y = (head.cy - match.y) / head.ry, length = std::hypot(x, y);
  const double longest = pattern_slack / sure;
  if (length <= longest) return;
  head.cx = match.x + longest / length * x * head.rx;
  head.cy = match.y + longest / length * y * head.ry;
  window = window_of(head);
}

void HeadWindow::learn_pattern(const Scene& scene, const Oval& head) {
  if (!pattern_.known()) {
    pattern_.start(patch_of(scene.frame, head));
    return;
  }
  if (!(usual_response_ > 0)) usual_response_ = match_.response;
  if (!(match_.response >= pattern_full * usual_response_)) return;
  usual_response_ += usual_rate * (match_.response - usual_response_);
  if (frames_ % pattern_interval == 0) pattern_.learn(scene.frame, head, pattern_rate);
}

// A head found near its position at calibration is assumed to be there: calibration is more precise than any search.
void HeadWindow::prefer_calibrated(const Scene& scene, Candidate& candidate) const {
  const Window calibrated = window_of(outline_);
  const double away = std::hypot((candidate.window.cx - calibrated.cx) / calibrated.rx,
                                 (candidate.window.cy - calibrated.cy) / calibrated.ry);
  if (away > calibrated_reach) return;
  const Candidate there = converge(scene, calibrated, climb_steps);
  if (there.contrast.difference() > calibrated_contrast * candidate.contrast.difference()) candidate = there;
}

// With other weights the window converges elsewhere, with another contrast: the head stays in place, its window does
// not.
void HeadWindow::anchor(const Scene& scene, const Oval& head) {
  anchor_ = anchor_of(cut(scene, head), head);
  last_ = window_of(head);
  first_ = usual_ = contrast(cut(scene, head), *last_).difference();
  anchored_ = true;
}

bool HeadWindow::learn(const Scene& scene, Classifier& classifier) {
  const Oval head = head_of(*last_);
  ++frames_;
  if (settings_.pattern) learn_pattern(scene, head);
  if (!settings_.colours) return false;
  if (!settings_.recalibrate) {
    if (settings_.neck_cut && !anchored_) anchor(scene, head);
    return false;
  }
  if (!adaptation_.started()) {
    adaptation_.start(scene.frame, head, Degrees(classifier));
  } else {
    if (frames_ % learning_interval != 0) return false;
    if (contrast(cut(scene, head), *last_).difference() < learning_contrast * usual_) return false;
    const double need = std::clamp((1 - usual_ / first_) / full_loss, least_need, 1.0);
    adaptation_.learn(scene.frame, head, need * learning_rate);
  }
  classifier = adaptation_.table(threads_);
  scene.moments.set_classifier(classifier);
  if (!anchored_) anchor(scene, head);
  return true;
}

}  // namespace kinema::head
