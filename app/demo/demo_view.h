// The demo on the live page: each part is shown while it is tracked, and remains available for review.
#pragma once

#include "app/demo/demo_face.h"
#include "app/demo/demo_head.h"
#include "app/demo/demo_walk.h"
#include "app/page/view.h"

#include <optional>

namespace kinema::app {

class DemoView {
public:
  explicit DemoView(const ViewOptions& options);

  // One per part: sets its observer.
  void show(WalkSettings& walk);
  void show(HeadDemoSettings& head);
  void show(FaceDemoSettings& face);

  /// Until Ctrl-C.
  void wait();

private:
  View view_;
  serve::BodyFeed body_;
  serve::HeadFeed head_;
  std::optional<serve::FaceFeed> face_;  // once there is a model
};

}  // namespace kinema::app
