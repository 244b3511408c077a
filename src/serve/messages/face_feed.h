// The face fitter's frames, for the Face page: the picture, landmarks with their confidence, and the parameters of the
// appearance; the model itself is sent once, so that the page can draw its faces.
#pragma once

#include "kinema/face_tracker.h"
#include "kinema/picture.h"
#include "serve/messages/channel.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace kinema::serve {

class FaceFeed {
public:
  static constexpr std::size_t widest_picture = 480;

  /// Tells the model at once.
  FaceFeed(Channel& channel, std::string source, std::shared_ptr<const face::Model> model);

  void add(std::int64_t number, const io::Picture& picture, const face::Estimate& face);
  void finish() { channel_.finish(); }

private:
  Channel& channel_;
  std::shared_ptr<const face::Model> model_;
};

}  // namespace kinema::serve
