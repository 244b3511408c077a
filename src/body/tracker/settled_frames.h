// Puts the estimates of several people, each of which is settled in its own time, back into frames.
#pragma once

#include "kinema/body_tracker.h"

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace kinema::body {

class SettledFrames {
public:
  /// `most`: frames that are kept for a caller who does not take them.
  explicit SettledFrames(std::size_t most) : most_(most) {}

  /// A frame begins; `nobody` is its estimate where nobody turns out to be in it.
  void begin(const Estimate& nobody);

  /// Somebody, by the tracker's own key, has an estimate in it, which is settled later.
  void expect(int key) { frames_.back().people.push_back({key, {}}); }

  /// Whether it was somebody: 0 as long as that is open, before which its frames are not given out.
  void name(int key, int number) { numbers_[key] = number; }

  /// The next settled estimates of somebody, oldest first.
  void add(int key, std::vector<Estimate> settled);

  /// It is nobody, or no more from the frame of this number on.
  void drop(int key, std::int64_t from = 0);

  /// The frames that are complete, oldest first; the people of a frame by their numbers. All that are left with `end`.
  std::vector<Estimate> take(bool end = false);

private:
  struct Entry {
    int key;
    std::optional<Estimate> estimate;
  };
  struct Slot {
    Estimate nobody;
    std::vector<Entry> people;
  };
  bool complete(const Slot& slot) const;

  std::size_t most_;
  std::deque<Slot> frames_;
  std::map<int, int> numbers_;
};

}  // namespace kinema::body
