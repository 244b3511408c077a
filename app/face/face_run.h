// A run of the face fitter: images or the frames of a video go through detector and fitter into files. Used by `kinema
// face fit` and the demo.
#pragma once

#include "app/run/source_loop.h"
#include "io/faces/face_detector.h"
#include "io/faces/landmark_output.h"
#include "io/network/live_sender.h"
#include "kinema/face_tracker.h"
#include "kinema/picture.h"
#include "kinema/source.h"

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinema::app {

/// Files and folders to write; empty name: none.
struct FaceFiles {
  std::string landmarks, csv, overlay;
  std::string pts;         ///< a folder, NAME.pts for each image
  std::string patches;     ///< a folder, the shape-free patch of each face
  std::string appearance;  ///< a folder, the sampled texture beside the model's reconstruction
};

struct FaceRun {
  face::TrackerSettings tracker;  ///< its model and fit settings apply to single images too
  Compute compute;
  std::optional<io::FaceDetector> detector;
  std::optional<io::Starts> starts;  ///< instead of the detector
  int faces = 1;           ///< in each picture, at most; in films others than one are followed with a number each
  std::size_t frames = 0;  ///< at most; 0: all
  FaceFiles files;
  io::LiveTargets live;

  /// Called with every frame and its detections.
  std::function<void(std::int64_t frame, const io::Picture&, const face::Estimate&)> watch = nullptr;

  /// Called now and then with the number of finished frames and the total, 0 if unknown.
  std::function<void(std::size_t done, std::size_t total)> progress = nullptr;
};

struct FaceCounts {
  std::size_t frames = 0, found = 0, lost = 0, unreadable = 0, restarts = 0;
  LiveCounts live;
  bool stopped = false;              ///< by the user
  std::map<std::string, double> ms;  ///< by stage
  std::vector<std::string> lines;    ///< about images that could not be used
  double quality = 0;                ///< mean of those found

  Backend backend = Backend::cpu;         ///< the backend that ran
  std::vector<face::PlacedStage> stages;  ///< and where each stage of a fit ran

  /// Where a fitter or tracker runs now: a device may fail on the way, and the CPU go on.
  void note_place(const auto& fitter) {
    backend = fitter.backend();
    stages = fitter.stages();
  }

  double fits_per_second() const;

  /// Which of decoding, detecting and fitting took longest: they overlap in a video, and this one sets its rate.
  std::string slowest() const;
};

/// How faces are read: images of any size and colour depth, which are frames of one camera only if `sequence`.
io::ColourSettings face_source(double fps = 0, bool sequence = false);

/// Fits unrelated images one by one, and tracks a face through consecutive frames. Ctrl-C ends it early. If the source
/// fails, the results so far are written, and then the Error is thrown.
FaceCounts fit_faces(io::Source& source, const FaceRun& run);

}  // namespace kinema::app
