// A run of the face fitter: pictures or the frames of a video go through detector and fitter into files. `kinema face fit`
// and the demo are made of it.
#pragma once

#include "io/face_detector.h"
#include "io/landmark_output.h"
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

/// Files and folders to write; an empty name: none.
struct FaceFiles {
  std::string landmarks, csv, overlay;
  std::string pts;         ///< a folder, NAME.pts for each picture
  std::string patches;     ///< a folder, the shape-free patch of each face
  std::string appearance;  ///< a folder, the texture as it was sampled beside what the model makes of it
};

struct FaceRun {
  std::shared_ptr<const face::Model> model;
  face::TrackerSettings tracker;  ///< its fit settings are those of pictures too
  Backend backend = Backend::automatic;
  std::optional<io::FaceDetector> detector;
  std::optional<io::Starts> starts;  ///< instead of the detector
  int faces = 1;                     ///< in each picture, at most
  std::size_t frames = 0;            ///< at most; 0: all
  FaceFiles files;

  /// Called with every frame and what was found in it.
  std::function<void(std::int64_t frame, const io::Picture&, const face::TrackedFace&)> watch = nullptr;

  /// Called now and then with the frames that are done and those there are, 0 where that is not known.
  std::function<void(std::size_t done, std::size_t total)> progress = nullptr;
};

struct FaceCounts {
  std::size_t frames = 0, found = 0, lost = 0, unreadable = 0, restarts = 0;
  bool stopped = false;              ///< by the user
  std::map<std::string, double> ms;  ///< by stage
  std::vector<std::string> lines;    ///< about pictures that could not be used
  double quality = 0;                ///< mean of those found

  double fits_per_second() const;
};

/// How faces are read: pictures of any size and depth of colour, which are frames of one camera only where `sequence`.
io::ColourSettings face_source(double fps = 0, bool sequence = false);

/// Fits unrelated pictures one by one, and follows a face through consecutive frames. Ctrl-C ends it early. Where the
/// source breaks off, what was fitted until then is written, and then the Error is thrown.
FaceCounts fit_faces(io::Source& source, const FaceRun& run);

}  // namespace kinema::app
