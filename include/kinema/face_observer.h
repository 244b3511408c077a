// Faces in the colour pictures of a depth or stereo camera, for the body tracker: a face tells the front of a body from
// its back, and the body tells where to look for the face.
//
//   person::FaceObserver observer(settings);
//   for each frame:
//     tracker.set_faces(observer.observe(picture, time));
//     const body::Estimate estimate = tracker.track(depth, time);
//     observer.expect(estimate);
#pragma once

#include "kinema/body_tracker.h"
#include "kinema/face_tracker.h"

#include <memory>
#include <vector>

namespace kinema::person {

struct FaceObserverSettings {
  /// With 68 landmarks: from train(), or from a file by read_face_model().
  std::shared_ptr<const face::Model> model = {};

  /// Finds a face while no body is known. Without one, faces are looked for only where the body has its head.
  face::Detect detect = {};

  /// The camera of the depth images, to which the pictures are registered.
  Camera camera = {};

  face::FitSettings fit = {};

  /// A fit with a higher probability of failure is no observation.
  double lost = 0.3;
};

/// Observes the face of one person in the pictures of one camera. Not thread-safe. Equal frames give equal observations.
class FaceObserver {
public:
  /// Throws Error if the model is missing or has other landmarks, there is no camera, or the backend is not available.
  explicit FaceObserver(const FaceObserverSettings& settings, const Compute& compute = {});
  ~FaceObserver();
  FaceObserver(FaceObserver&&) noexcept;
  FaceObserver& operator=(FaceObserver&&) noexcept;

  /// The face in the next picture, if one is seen: none or one. `time` in seconds, later than that of the picture before.
  std::vector<body::FaceObservation> observe(const ColourView& picture, double time);

  /// Where the body was in that frame: the face is next looked for there.
  void expect(const body::Estimate& estimate);

private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::person
