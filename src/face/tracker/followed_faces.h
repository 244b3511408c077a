// Several faces in the frames of one camera: all that are known are fitted as one batch, the detector looks for others now and then,
// and who was hidden or away for a while is told by place and looks.
#pragma once

#include "core/threads.h"
#include "face/tracker/followed_face.h"
#include "kinema/face_tracker.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kinema::face {

inline constexpr const char *lost_words = "lost: the score does not trust the fit", *nobody_words = "no face was found";

class FollowedFaces {
public:
  /// Both must outlive it.
  FollowedFaces(const TrackerSettings& settings, Fitter& fitter, int threads)
      : settings_(settings), fitter_(fitter), threads_(threads) {}

  /// Everybody who is found, by number; one estimate that says why if nobody is.
  std::vector<Estimate> track(FramePicture& image, double time);

  void start(const Start& start) { given_.push_back(start); }
  void restart();
  void set_neutral();

private:
  struct Place {
    double x = 0, y = 0;
  };
  struct Person {
    int number;
    FollowedFace face;
    double seen = 0;  // when it was found last, seconds
    // when it was surely seen, and not half hidden:
    double sure = 0;             // seconds
    Place at, velocity;          // pixels, and per second
    double size = 0;             // outer-eye distance, pixels
    std::vector<float> texture;  // what it has that the mean face has not
  };
  // A fit to somebody: where it is null, to nobody who is known.
  struct Found {
    Person* person;
    Fit fit;
    bool detected = false;
  };

  std::size_t most() const;
  bool trusted(const Fit& fit) const { return fit.failure <= settings_.lost; }
  static Place middle_of(const Fit& fit);
  std::vector<float> texture_of(FramePicture& image, const Fit& fit) const;
  double strangeness(const Person& person, const Fit& fit, const std::vector<float>& texture, double time) const;
  void learn(Person& person, const Fit& fit, FramePicture& image, double time) const;
  std::vector<Found> follow(FramePicture& image, std::vector<Fit>& again);
  void part(FramePicture& image, double time, std::vector<Found>& found) const;
  bool detector_is_due(const std::vector<Found>& found) const;
  std::vector<Fit> search(FramePicture& image, const std::vector<Found>& found, std::vector<Fit> again);
  void recognise(FramePicture& image, double time, std::vector<Fit> seen, std::vector<Found>& found);
  std::vector<Estimate> conclude(FramePicture& image, double time, std::vector<Found>& found);

  const TrackerSettings& settings_;
  Fitter& fitter_;
  Threads threads_;
  std::vector<Start> given_;  // by start(), for the next frame
  std::vector<Person> people_;
  int numbers_ = 0;              // given so far
  long frame_ = 0, looked_ = 0;  // the last one that the detector saw
  double detect_ms_ = 0;         // in this frame
};

}  // namespace kinema::face
