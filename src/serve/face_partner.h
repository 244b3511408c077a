// The face fitter behind a page that sends its own camera's frames: the face is found, followed, and told to the page.
#pragma once

#include "kinema/face_tracker.h"
#include "serve/camera_thread.h"
#include "serve/channel.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace kinema::serve {

/// What the pages of a server share: the model that is fitted, and places for cameras.
class FaceDesk {
public:
  /// `make_detect` gives a detector of its own to each camera; what it throws is told to the page.
  explicit FaceDesk(std::function<face::Detect()> make_detect) : make_detect_(std::move(make_detect)) {}

  std::shared_ptr<const face::Model> model() const;
  void set_model(std::shared_ptr<const face::Model> model);

  face::Detect detect() const { return make_detect_(); }
  CameraSeats& cameras() { return cameras_; }

private:
  std::function<face::Detect()> make_detect_;
  mutable std::mutex mutex_;
  std::shared_ptr<const face::Model> model_;
  CameraSeats cameras_;
};

/// Messages: {"do":"camera","tracker":"face","sequence":n,"time":ms} with the array "picture" (height, width, 4); answered
/// by {"say":"face",...} with the members and arrays of a frame of the channel "face", but for the picture.
class FacePartner final : public Partner {
public:
  FacePartner(Answers& answers, FaceDesk& desk);
  ~FacePartner() override;

  bool wish(const std::string& what, const nlohmann::json& header) override;
  bool message(const std::string& what, const Message& message) override;

private:
  class Worker;
  Answers& answers_;
  FaceDesk& desk_;
  std::unique_ptr<Worker> worker_;  // while there is a camera
};

}  // namespace kinema::serve
