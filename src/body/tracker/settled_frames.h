// Puts the estimates of several people, each of which is settled in its own time, back into frames.
#pragma once

#include "kinema/body_tracker.h"

#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <vector>

namespace kinema::body {

class SettledFrames {
public:
  /// `most`: frames that are kept for a caller who does not take them. `most_people`: in each frame; whoever is hidden gives way.
  explicit SettledFrames(std::size_t most, std::size_t most_people = std::numeric_limits<std::size_t>::max())
      : most_(most), most_people_(most_people) {}

  /// A frame begins; `nobody` is its estimate where nobody turns out to be in it.
  void begin(const Estimate& nobody);

  /// Somebody, by the tracker's own key, has an estimate in it, which is settled later. The number is 0 as long as it may be
  /// nobody, and until then the frame is not given out.
  void expect(int key, int number) { frames_.back().people.push_back({key, number, {}}); }

  /// It was somebody, also in the frames so far.
  void name(int key, int number);

  /// The next settled estimates of somebody, oldest first.
  void add(int key, std::vector<Estimate> settled);

  /// It is nobody, or no more from the frame of this number on.
  void drop(int key, std::int64_t from = 0);

  /// The frames that are complete, oldest first; the people of a frame by their numbers. All that are left with `end`.
  std::vector<Estimate> take(bool end = false);

private:
  struct Entry {
    int key, number;
    std::optional<Estimate> estimate;
  };
  struct Slot {
    Estimate nobody;
    std::vector<Entry> people;
  };
  static bool settled(const Entry& entry) { return entry.estimate && entry.number > 0; }
  std::vector<Estimate> people_of(Slot& slot) const;

  std::size_t most_, most_people_;
  std::deque<Slot> frames_;
};

}  // namespace kinema::body
