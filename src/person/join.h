// Joins two measurements of one head, of which the colours are steady and the face is true: the output follows every
// motion of the colours, and their average difference from the face is removed.
#pragma once

#include "person/constants.h"
#include "person/outline.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace kinema::person {

class Join {
public:
  /// The difference starts anew: the colours were calibrated, or placed by the face.
  void restart() { count_ = 0; }
  void forget() {
    count_ = 0;
    known_ = false;
    off_ = {};
  }

  /// Whether the face has been seen beside the colours.
  bool known() const { return known_; }

  /// What the face would say where the colours say this, and the reverse.
  Outline to_face(const Outline& colours) const { return colours + off_; }
  Outline to_colours(const Outline& face) const { return face - off_; }

  /// The outline of the head as the face would measure it. One of the two must be there.
  Outline add(const std::optional<Outline>& face, const std::optional<Outline>& colours, double time) {
    const double seconds = std::max(0.0, time - time_);
    time_ = time;
    if (face && colours) {
      ++count_;
      // the mean of the first frames, then a low pass
      const auto share = [&](double over) { return std::max(1.0 / count_, 1 - std::exp(-seconds / over)); };
      const Outline change = *face - *colours - off_;
      const double place = share(join_time), size = share(join_size_time);
      off_ = off_ + Outline{place * change.x, place * change.y, size * change.size};
      known_ = true;
      // where the face is seen, colours that are elsewhere pull no further than this
      const Outline left = *face - to_face(*colours);
      const double apart = std::hypot(left.x, left.y), most = join_slack * face->eye_distance();
      const double excess = apart > most ? 1 - most / apart : 0;
      off_ = off_ + Outline{excess * left.x, excess * left.y,
                            left.size - std::clamp(left.size, -join_size_slack, join_size_slack)};
    }
    return colours && (mechanisms::joined_colours || !face) ? to_face(*colours) : *face;
  }

private:
  Outline off_;  // face less colours
  int count_ = 0;
  bool known_ = false;
  double time_ = 0;
};

}  // namespace kinema::person
