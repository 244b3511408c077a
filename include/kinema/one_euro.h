// The One-Euro filter (Casiez, Roussel, Vogel, "1 Euro Filter: A Simple Speed-based Low-pass Filter for Noisy Input in
// Interactive Systems", CHI 2012, algorithm 1): a low pass whose cutoff rises with the speed, so that a still head does
// not jitter and a fast one does not lag.
#pragma once

namespace kinema::head {

struct OneEuroSettings {
  /// Hertz, for a signal at rest: lower is smoother, and slower to start.
  double cutoff = 1;

  /// Hertz per unit of speed (units of the signal per second): higher lags less in motion, and smooths less.
  double beta = 0.02;

  /// Hertz, of the low pass on the speed itself.
  double speed_cutoff = 1;
};

/// One signal. The caller gives the times, so frames need not be evenly spaced.
class OneEuro {
public:
  /// Throws Error if a cutoff is not above 0 or beta is negative.
  explicit OneEuro(const OneEuroSettings& settings = {});

  /// `time` in seconds. The first value is returned unchanged; so is one whose time is not after the last, which
  /// restarts the filter.
  double filter(double value, double time);

  void reset() { started_ = false; }

private:
  OneEuroSettings settings_;
  bool started_ = false;
  double time_ = 0, value_ = 0, speed_ = 0;  // of the last call: the filtered value and speed
};

}  // namespace kinema::head
