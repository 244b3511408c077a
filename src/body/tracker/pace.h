// How the tracker keeps up with a live camera: numbers of particles and points are chosen by measuring the first second,
// lowered while frames are late, and raised again once there is time; searches become rarer the longer they take. It is
// given times, and measures none itself.
#pragma once

#include "kinema/body_tracker.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace kinema::body {

class Pace {
public:
  /// A frame as most are; one that also searched for rivals of the tracked pose; any other, such as one without a person,
  /// which says nothing about those to come.
  enum class Kind { usual, searched, other };

  /// `most`: the counts where there is time enough, from which it starts. `fps`: of the camera.
  Pace(PaceCounts most, double fps);

  /// Keeps this number as it is, since the user chose it.
  void fix_particles() { fixed_particles_ = true; }
  void fix_points() { fixed_points_ = true; }

  /// A frame of this time (seconds, of the camera) was tracked in `ms`. `late`: frames before it that came too late, while
  /// the last one was tracked. Returns the counts for later frames if they change.
  std::optional<PaceCounts> add(double time, double ms, Kind kind, std::size_t late);

  const PaceCounts& most() const { return most_; }
  const PaceCounts& counts() const { return counts_; }
  bool lowered() const { return counts_ != most_; }
  std::size_t changes() const { return changes_; }

private:
  double factor(double median, double late_share);
  double lowering_factor(double median, double wanted);
  int search_rest(double median) const;

  PaceCounts most_, counts_;
  bool fixed_particles_ = false, fixed_points_ = false;
  double budget_ms_;
  double effort_ = 1;  // share of the greatest counts
  std::optional<double> begin_;
  std::size_t frames_ = 0, late_in_window_ = 0;
  Kind last_kind_ = Kind::other;
  std::vector<double> ms_;
  std::vector<double> search_ms_;  // of the last frames that searched
  int quiet_ = 0, patience_;
  bool raised_ = false;  // by the last change
  struct Window {
    double effort, median;
  };
  std::optional<Window> slow_;    // the first of those that are too slow in a row
  std::optional<double> futile_;  // the median at which fewer particles and points did not help
  std::size_t changes_ = 0;
};

}  // namespace kinema::body
