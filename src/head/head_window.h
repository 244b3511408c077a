// Window mode: where to search for the head, how it moves and grows, when it is lost, and how its colours change.
#pragma once

#include "head/adaptation.h"
#include "head/moments/degree_map.h"
#include "head/pattern.h"
#include "head/soft_window.h"
#include "kinema/head_tracker.h"

#include <cstddef>
#include <optional>

namespace kinema::head {

class HeadWindow {
public:
  HeadWindow(const HeadReference& reference, std::size_t width, std::size_t height, const TrackerSettings& settings,
             int threads);

  /// The head's outline in the next frame, given by the caller.
  void start(const Oval& oval);

  /// Forgets where the head was, but not what it looks like.
  void restart();

  /// Finds the head in a frame: near its last position or, if it is lost, anywhere.
  void follow(const Scene& whole, const Classifier& classifier, Estimate& estimate);

  /// Learns from the frame in which the head was just found; true if the classifier has changed.
  bool learn(const Scene& scene, Classifier& classifier);

private:
  struct Candidate {
    Window window;
    Contrast contrast;
    double value = 0;
    Pattern::Match match;  // the pattern about it, where that is known
  };

  void follow_pattern(const Scene& scene, Estimate& estimate);
  void report(const Window& window, Estimate& estimate);
  Oval head_of(const Window& window) const { return head_in(window, anchor_, outline_); }
  Window window_of(const Oval& head) const { return window_around(head, anchor_); }
  Candidate converge(const Scene& scene, Window window, int steps) const;
  std::vector<Window> seeds(const Scene& scene, const Classifier& classifier) const;
  void anchor(const Scene& scene, const Oval& head);
  bool is_distractor(const Candidate& candidate) const;
  void weigh(const Scene& scene, Candidate& candidate) const;
  void limit_offset(Window& window, const Pattern::Match& match) const;
  void learn_pattern(const Scene& scene, const Oval& head);
  void prefer_calibrated(const Scene& scene, Candidate& candidate) const;
  void fit_size(const Scene& scene, Candidate& candidate) const;
  void follow_size(const Scene& scene, Window& window, double trust) const;
  Scene cut(Scene scene, const Oval& head) const;

  Oval outline_;  // at the reference, in this size of frames
  Anchor anchor_;
  double area_;  // at the reference, of the frame
  TrackerSettings settings_;
  int threads_;
  std::size_t width_, height_;

  std::optional<Window> last_;    // of the last frame in which it was found
  bool seen_ = false;             // in the last frame
  bool given_ = false;            // last_ was confirmed
  double first_ = 0, usual_ = 0;  // contrast: at the start, and recent
  bool anchored_ = false;         // in frames of this run
  std::size_t frames_ = 0;
  Adaptation adaptation_;
  Pattern pattern_;
  Pattern::Match match_;       // in the last frame
  double usual_response_ = 0;  // of the pattern, recent
};

}  // namespace kinema::head
