#include "head/head_window.h"

#include <algorithm>
#include <cmath>

namespace kinema::head {
namespace {

constexpr int climb_steps = 20;

// The size of a head changes slowly and its measurement is noisy: two fifths of what a frame asks for are taken at once, and
// a steady growth is followed by its own rate, which fades within a second.
constexpr double size_reach = 1.1;  // sizes tried about the last one
constexpr double size_rate = 0.4;
constexpr double growth_rate = 0.02, size_fade = 0.95;
constexpr double smallest = 0.3, largest = 4;  // of the reference

constexpr double lost_below = 0.3;       // of the usual contrast
constexpr double found_above = 0.45;     // of it, once lost
constexpr double least_contrast = 0.06;  // of a head at all
constexpr double trust_from = 0.75;      // of the usual contrast: a head that is half covered says nothing of its size
constexpr double at_home = 0.6;          // of the contrast of what was found: enough for what calibration says
constexpr double usual_rate = 0.03;
constexpr double far_costs = 0.05;  // contrast, at a radius from where it is expected

// Learning follows need: a fifth of the first contrast lost is learned against at the full rate, and while nothing is
// lost little is, since what is learned from a window that sits badly cannot be unlearned.
constexpr std::size_t learn_every = 6;  // frames
constexpr double learn_rate = 0.15;
constexpr double full_need = 0.2, least_need = 0.15;
constexpr double learn_above = 0.6;  // of the usual contrast: what is half covered is not learned

constexpr double nowhere = -1e9;

// The pattern. Its answer falls as the head turns, and to a fifth or less of the usual one before anything else.
constexpr double pattern_counts = 0.3;    // contrast, for the usual answer
constexpr double pattern_from = 0.2;      // of the usual answer: what says less is not believed
constexpr double pattern_full = 0.5;      // of it: from here on the pattern is sure, and learned
constexpr double looks_like = 0.35;       // of it: what something in another place must have to be the head
constexpr double elsewhere = 0.7;         // radii: from here on a place is another one
constexpr double other_frame = 0.7;       // the answer to a head in another frame than that of calibration, about
constexpr double leash = 0.1;             // radii: how far the colours may pull from where a sure pattern is
constexpr std::size_t pattern_every = 2;  // frames
constexpr double pattern_rate = 0.04;

}  // namespace

HeadWindow::HeadWindow(const HeadReference& reference, std::size_t width, std::size_t height,
                       const TrackerSettings& settings)
    : anchor_(reference.anchor),
      area_(reference.area),
      settings_(settings),
      width_(width),
      height_(height),
      usual_(reference.contrast) {
  // another size of the same camera's frames
  const double x = static_cast<double>(width) / static_cast<double>(reference.width);
  const double y = static_cast<double>(height) / static_cast<double>(reference.height);
  if (settings.pattern && reference.patch.size() == head_patch_side * head_patch_side) {
    pattern_.start(reference.patch);
    usual_answer_ = other_frame;
  }
  outline_ = {(reference.oval.cx + 0.5) * x - 0.5, (reference.oval.cy + 0.5) * y - 0.5, reference.oval.rx * x,
              reference.oval.ry * y};
}

void HeadWindow::start(const Oval& oval) {
  last_ = window_of(oval);
  given_ = true;
  seen_ = false;
}

HeadWindow::Fix HeadWindow::settle(const Scene& scene, Window window, int steps) const {
  window = climb(scene, window, steps);
  return {window, contrast(scene, window), 0, {}};
}

// Below the chin nothing counts, where that is asked for.
Scene HeadWindow::cut(Scene scene, const Oval& head) const {
  if (settings_.neck_cut) {
    const double chin = std::round(head.cy + head.ry);
    scene.weighing.bottom = static_cast<std::size_t>(std::clamp(chin, 1.0, static_cast<double>(height_)));
  }
  return scene;
}

// The size of a head that was not there before.
void HeadWindow::fit_size(const Scene& scene, Fix& fix) const {
  const double reference = window_of(outline_).rx;
  for (int round = 0; round < 3; ++round) {
    const double size = better_size(scene, fix.window, size_reach) * fix.window.rx;
    fix.window = scaled(fix.window, std::clamp(size, smallest * reference, largest * reference) / fix.window.rx);
    fix = settle(scene, fix.window, climb_steps);
  }
}

// The size of a head that goes on: it changes steadily, so its growth is followed too, and noise is not.
void HeadWindow::follow_size(const Scene& scene, Window& window, double trust) {
  const double reference = window_of(outline_).rx;
  const double asked = std::log(better_size(scene, window, size_reach));
  growth_ = size_fade * growth_ + trust * growth_rate * asked;
  const double size = window.rx * std::exp(trust * size_rate * asked + growth_);
  window = scaled(window, std::clamp(size, smallest * reference, largest * reference) / window.rx);
}

// Where the head may be: where it was, and where there is more of its colours than around.
std::vector<Window> HeadWindow::seeds(const Scene& scene, const Classifier& classifier) const {
  const Degrees degrees(classifier);
  std::vector<Window> windows;
  if (last_) windows.push_back(*last_);
  if (given_) return windows;
  const Window about = last_ ? *last_ : window_of(outline_);
  if (!last_) windows.push_back(about);
  const double rx = about.rx, ry = about.ry;
  if (seen_) {
    constexpr double reach = 2.2;  // radii
    const auto step = static_cast<std::size_t>(std::max(1.0, std::min(rx, ry) / 6));
    const Part part = part_of(scene.frame, about.cx, about.cy, (reach + 1) * rx, (reach + 1) * ry);
    const DegreeMap map(scene.frame, degrees, part, step, scene.weighing.mask);
    for (const DegreeMap::Place& place : map.places(rx / 1.2, ry / 1.2, 3)) {
      if (std::hypot((place.x - about.cx) / rx, (place.y - about.cy) / ry) < reach) {
        windows.push_back({place.x, place.y, rx, ry});
      }
    }
    return windows;
  }
  const auto step = static_cast<std::size_t>(std::max(1.0, std::min(rx, ry) / 5));
  const DegreeMap map(scene.frame, degrees, {0, 0, width_, height_}, step, scene.weighing.mask);
  for (double size : {1.0, 0.7, 1.4}) {
    for (const DegreeMap::Place& place : map.places(size * rx / 1.2, size * ry / 1.2, 3)) {
      windows.push_back({place.x, place.y, size * rx, size * ry});
    }
  }
  return windows;
}

void HeadWindow::follow(const Scene& whole, const Classifier& classifier, HeadEstimate& estimate) {
  const Scene scene = last_ && seen_ ? cut(whole, head_of(*last_)) : whole;
  std::vector<Fix> fixes;
  const auto add = [&](const Fix& fix) {
    const bool known = std::any_of(fixes.begin(), fixes.end(), [&](const Fix& other) {
      return std::hypot(fix.window.cx - other.window.cx, fix.window.cy - other.window.cy) < 0.02 * fix.window.rx;
    });
    if (!known) fixes.push_back(fix);
  };
  for (const Window& seed : seeds(scene, classifier)) {
    Fix fix = settle(scene, seed, climb_steps);
    if (!seen_ && !given_) fit_size(scene, fix);
    add(fix);
  }
  if (pattern_.known() && seen_) {
    const Oval head = head_of(*last_);
    const Pattern::Match match = pattern_.find(scene.frame, head);
    Window window = climb(scene, window_of({match.x, match.y, head.rx, head.ry}), climb_steps);
    hold(window, match);
    add({window, contrast(scene, window), 0, {}});
  }
  Fix best;
  best.value = nowhere;
  for (Fix& fix : fixes) {
    weigh(scene, fix);
    if (!stranger(fix) && fix.value > best.value) best = fix;
  }
  if (!last_) stay_home(scene, best);
  if (pattern_.known()) hold(best.window, best.match);
  match_ = best.match;
  const double seen_contrast = best.contrast.difference();
  estimate.score = std::clamp(seen_contrast, 0.0, 1.0);
  const double needed = std::max(least_contrast, (seen_ ? lost_below : found_above) * usual_);
  if (!(seen_contrast >= needed)) {
    estimate.why = best.value == nowhere                 ? "what has the head's colours does not look like it"
                   : best.contrast.inside < 0.5 * needed ? "nothing has the head's colours"
                                                         : "what has the head's colours does not stand out";
    seen_ = false;
    given_ = false;
    return;
  }
  if (seen_) {
    const double trust = std::clamp((seen_contrast / usual_ - trust_from) / (1 - trust_from), 0.0, 1.0);
    follow_size(scene, best.window, trust);
    // another size rests in another place
    best.window = climb(scene, best.window, climb_steps);
    if (pattern_.known()) hold(best.window, best.match);
  } else {
    growth_ = 0;
  }
  usual_ = usual_ > 0 ? usual_ + usual_rate * (seen_contrast - usual_) : seen_contrast;
  last_ = best.window;
  seen_ = true;
  given_ = false;
  const Oval head = head_of(best.window);
  const double size = head.rx / outline_.rx;
  estimate.found = true;
  estimate.oval = head;
  estimate.x = head.cx;
  estimate.y = head.cy;
  estimate.area = area_ * size * size;  // eq. 5, of the head alone
}

// Whether something has the head's colours, in another place, and does not look like it.
bool HeadWindow::stranger(const Fix& fix) const {
  if (given_ || !pattern_.known() || fix.match.answer >= looks_like * usual_answer_) return false;
  const Window from = seen_ ? *last_ : window_of(outline_);
  const double away = std::hypot((fix.window.cx - from.cx) / from.rx, (fix.window.cy - from.cy) / from.ry);
  return away > elsewhere || (last_ && !seen_);
}

// How good a place is: its colours stand out, it is near, and the pattern is there.
void HeadWindow::weigh(const Scene& scene, Fix& fix) const {
  fix.value = fix.contrast.difference();
  if (last_ && seen_) {
    const double away = std::hypot((fix.window.cx - last_->cx) / last_->rx, (fix.window.cy - last_->cy) / last_->ry);
    fix.value -= far_costs * away * away;
  }
  if (!pattern_.known()) return;
  fix.match = pattern_.find(scene.frame, head_of(fix.window));
  if (usual_answer_ > 0) fix.value += pattern_counts * std::clamp(fix.match.answer / usual_answer_, 0.0, 1.0);
}

// Colours give the place to a small part of a pixel, but what else has them pulls at it: a sure pattern says how far.
void HeadWindow::hold(Window& window, const Pattern::Match& match) const {
  if (!(usual_answer_ > 0)) return;
  const double sure =
      std::clamp((match.answer / usual_answer_ - pattern_from) / (pattern_full - pattern_from), 0.0, 1.0);
  if (sure == 0) return;
  Oval head = head_of(window);
  const double x = (head.cx - match.x) / head.rx, y = (head.cy - match.y) / head.ry, length = std::hypot(x, y);
  const double longest = leash / sure;
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
  if (!(usual_answer_ > 0)) usual_answer_ = match_.answer;
  if (!(match_.answer >= pattern_full * usual_answer_)) return;
  usual_answer_ += usual_rate * (match_.answer - usual_answer_);
  if (frames_ % pattern_every == 0) pattern_.learn(scene.frame, head, pattern_rate);
}

// A head that was found about where calibration saw it is that one: calibration knows it better than any search.
void HeadWindow::stay_home(const Scene& scene, Fix& fix) const {
  const Window home = window_of(outline_);
  const double away = std::hypot((fix.window.cx - home.cx) / home.rx, (fix.window.cy - home.cy) / home.ry);
  if (away > 0.7) return;
  const Fix there = settle(scene, home, climb_steps);
  if (there.contrast.difference() > at_home * fix.contrast.difference()) fix = there;
}

// Other weights, another place of rest and another contrast: the head stays where it is, its window does not.
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
  if (!settings_.recalibrate) {
    if (settings_.neck_cut && !anchored_) anchor(scene, head);
    return false;
  }
  if (!adaptation_.started()) {
    adaptation_.start(scene.frame, head, Degrees(classifier));
  } else {
    if (frames_ % learn_every != 0) return false;
    if (contrast(cut(scene, head), *last_).difference() < learn_above * usual_) return false;
    const double need = std::clamp((1 - usual_ / first_) / full_need, least_need, 1.0);
    adaptation_.learn(scene.frame, head, need * learn_rate);
  }
  classifier = adaptation_.table(settings_.moments.threads);
  scene.moments.set_classifier(classifier);
  if (!anchored_) anchor(scene, head);
  return true;
}

}  // namespace kinema::head
