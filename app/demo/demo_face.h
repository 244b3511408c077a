// The face's part of the demo: a model is trained on synthetic faces, fitted to others, and tracks one in a clip.
#pragma once

#include "app/demo/demo_walk.h"
#include "app/face/face_evaluation.h"
#include "kinema/compute.h"
#include "kinema/face_tracker.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kinema::app {

struct FaceDemoSettings {
  std::filesystem::path folder;  ///< of the demo: faces/, face.kface, face.jsonl and face.mp4 are written there
  Compute compute;
  std::uint64_t seed = 1;

  /// Called with every frame of the clip, its result, and the model.
  std::function<void(std::int64_t, const io::Picture&, const face::Estimate&,
                     const std::shared_ptr<const face::Model>&)>
      watch = nullptr;
};

struct FaceDemo {
  FaceDemoSettings settings;
  std::size_t trained = 0, pixels = 0;
  FaceEvaluation test;
  std::size_t clip_frames = 0, clip_found = 0;
  double clip_error = 0;    ///< over the outer-eye distance, for frames in which the face was found
  std::string start;        ///< start of the clip: the face detector, or the true position with noise
  std::vector<Shot> strip;  ///< empty without OpenCV
  std::string no_video;     ///< why there is no face.mp4; empty if there is one
  double make_ms = 0, train_ms = 0, clip_ms = 0;

  std::vector<std::string> commands() const;  ///< that do the same by hand, inside the folder
};

FaceDemo fit_demo_faces(const FaceDemoSettings& settings);

}  // namespace kinema::app
