#include "app/demo/demo_view.h"

namespace kinema::app {

DemoView::DemoView(const ViewOptions& options)
    : view_(options),
      body_(view_.hub().channel("body"), "a walking person, simulated", 0),
      head_(view_.hub().channel("head"), "a synthetic head", 0) {
  view_.hub().channel("face");
}

void DemoView::show(WalkSettings& walk) {
  walk.watch = [this](const io::Frame& frame, body::Tracker& tracker, const body::Estimate& estimate) {
    app::show(body_, frame, tracker, estimate);
  };
}

void DemoView::show(HeadDemoSettings& head) {
  body_.finish();
  head.watch = [this](const io::Frame& frame, const head::Estimate& estimate, const head::Tracker& tracker) {
    head_.add(frame.index, frame.time, frame.colour, estimate, tracker);
  };
}

void DemoView::show(FaceDemoSettings& face) {
  head_.finish();
  face.watch = [this](std::int64_t frame, const io::Picture& picture, const face::Estimate& seen,
                      const std::shared_ptr<const face::Model>& model) {
    if (!face_) {
      face_.emplace(view_.hub().channel("face"), "a synthetic face", model);
      // of few faces, it fits those that it was drawn with; for the viewer's own it is the last resort
      if (!view_.faces().model()) view_.faces().set_model(model);
    }
    face_->add(frame, picture, seen);
  };
}

void DemoView::wait() {
  if (face_) face_->finish();
  view_.wait();
}

}  // namespace kinema::app
