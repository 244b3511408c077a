// What a pair of cameras sees while it is calibrated, for the Calibrate page: both pictures, the board in them, and what
// of the picture boards have covered so far.
#pragma once

#include "io/cameras/calibration_board.h"
#include "serve/messages/feed.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace kinema::serve {

class CalibrationFeed : public Feed {
public:
  static constexpr std::size_t widest_picture = 480;

  /// `wanted`: boards after which it is enough.
  CalibrationFeed(Channel& channel, std::string source, std::size_t wanted)
      : Feed(channel, std::move(source)), wanted_(wanted) {}

  struct Frame {
    const io::Picture &left, &right;
    const std::optional<io::BoardView>& board;  ///< in these pictures
    bool taken = false;                         ///< it is another view, and counts
    std::span<const io::BoardView> views;       ///< so far
    std::string lacking;                        ///< what they lack; empty: nothing
  };
  void add(const Frame& frame);

  /// No more frames, and what came of them, for people.
  void finish(const std::string& words);

private:
  void tell(const std::string& result);

  std::size_t wanted_;
};

}  // namespace kinema::serve
