// Face fitting for a page that sends the frames of its own camera: the face is found, tracked, and sent to the page.
#pragma once

#include "kinema/face_tracker.h"
#include "serve/messages/channel.h"
#include "serve/requests/camera_handler.h"
#include "serve/requests/head_handler.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace kinema::serve {

/// What the pages of a server share: the model that is fitted, and the slots for cameras.
class FaceSharedState {
public:
  /// `make_detect` makes a detector for each camera; what it throws is reported to the page.
  explicit FaceSharedState(std::function<face::Detect()> make_detect, std::shared_ptr<const face::Model> model = {})
      : make_detect_(std::move(make_detect)), model_(std::move(model)) {}

  std::shared_ptr<const face::Model> model() const;
  void set_model(std::shared_ptr<const face::Model> model);

  /// The model and, for pages, its message {"say":"face model",...}, which is made once.
  struct Shown {
    std::shared_ptr<const face::Model> model;
    Packet message;
  };
  Shown shown();

  face::Detect detect() const { return make_detect_(); }
  CameraSlots& cameras() { return cameras_; }

private:
  std::function<face::Detect()> make_detect_;
  mutable std::mutex mutex_;
  std::shared_ptr<const face::Model> model_;
  std::mutex making_;  // of the message below
  Shown shown_;
  CameraSlots cameras_;
};

/// Messages: {"do":"camera","tracker":"face","sequence":n,"time":ms} with the array "picture" (height, width, 4); answered
/// by {"say":"face",...} with the members and arrays of a frame of the channel "face", but for the picture. Before the
/// first answer, and whenever it is another, the model is sent: {"say":"face model",...}.
class FaceHandler final : public CameraHandler {
public:
  FaceHandler(PageSender& sender, FaceSharedState& shared);
};

/// Messages: {"do":"camera","tracker":"person","sequence":n,"time":ms} with the array "picture" (height, width, 4); answered
/// by {"say":"person",...}. With "instead":"head" nobody is found, and the page should ask the head tracker: there is no face
/// model, or the user has calibrated a head, which is then followed by its colours.
class PersonHandler final : public CameraHandler {
public:
  /// The face model, the detector and the slots are those of `faces`, the calibration that of `heads`.
  PersonHandler(PageSender& sender, FaceSharedState& faces, HeadSharedState& heads);
};

}  // namespace kinema::serve
