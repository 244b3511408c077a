// Smoothing of landmarks that keeps a resting face still: a low pass whose cutoff rises with the speed of the face
// (Casiez, Roussel, Vogel, "1 Euro filter", 2012). One speed for all landmarks, so that smoothing does not change the
// shape of a face that moves as a whole.
#pragma once

#include "face/constants.h"

#include <cmath>
#include <numbers>
#include <span>
#include <vector>

namespace kinema::face {

class LandmarkSmoothing {
public:
  /// Hertz, and hertz at a speed of one `size` per second.
  LandmarkSmoothing(double cutoff, double rise) : cutoff_(cutoff), rise_(rise) {}

  void reset() { smoothed_.clear(); }

  /// `size`: a length of the face in pixels, relative to which its speed is measured.
  std::vector<float> smooth(std::span<const float> landmarks, double time, double size) {
    const double seconds = time - time_;
    time_ = time;
    if (smoothed_.size() != landmarks.size() || !(seconds > 0)) {
      smoothed_.assign(landmarks.begin(), landmarks.end());
      speed_ = 0;
      return smoothed_;
    }
    double moved = 0;
    for (std::size_t i = 0; i < landmarks.size(); ++i)
      moved += std::abs(static_cast<double>(landmarks[i] - smoothed_[i]));
    const double speed = 2 * moved / static_cast<double>(landmarks.size()) / (size * seconds);
    speed_ += share(speed_cutoff, seconds) * (speed - speed_);
    const auto weight = static_cast<float>(share(cutoff_ + rise_ * speed_, seconds));
    for (std::size_t i = 0; i < landmarks.size(); ++i) smoothed_[i] += weight * (landmarks[i] - smoothed_[i]);
    return smoothed_;
  }

private:
  // weight of a new value in a low pass of this cutoff
  static double share(double cutoff, double seconds) { return 1 / (1 + 1 / (2 * std::numbers::pi * cutoff * seconds)); }

  double cutoff_, rise_;
  double time_ = 0, speed_ = 0;
  std::vector<float> smoothed_;
};

}  // namespace kinema::face
