// The demo on the live page: what each part follows is shown while it is followed, and stays to look back at.
#pragma once

#include "app/demo_face.h"
#include "app/demo_head.h"
#include "app/demo_walk.h"
#include "app/view.h"

#include <optional>

namespace kinema::app {

class DemoView {
public:
  explicit DemoView(const ViewOptions& options);

  // One for each part: sets who watches it.
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
