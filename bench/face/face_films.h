// The films of `kinema bench face`: people who turn, speak and blink in front of a webcam, as the clips of the paper's video
// database, and a fit of frame after frame of them, each from the parameters that the one before ended with.
#pragma once

#include "bench/face/face_picture.h"
#include "bench/face/face_problem.h"
#include "kinema/face.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kinema::bench {

/// Grey frames of 640 x 480 with the landmarks that were drawn, one person after the other.
struct Films {
  std::size_t clip_frames = 0;  ///< of each person
  std::vector<DrawnFace> frames;

  bool begins(std::size_t frame) const { return frame % clip_frames == 0; }
};

Films draw_films(std::uint64_t seed, std::size_t persons, std::size_t clip_frames, int threads);

/// Drawn photographs of people who are in no film.
std::vector<DrawnFace> draw_people(std::uint64_t seed, std::uint32_t count, int threads);

/// Fits one frame after the other, from the last to the first again. The picture of the next frame is announced to the fitter
/// before (section 5.1 of the paper). A person is found at the start of a clip, and again where a fit is lost: its mean error
/// is over a fifth of the distance between the eyes.
class FilmFollower {
public:
  FilmFollower(std::shared_ptr<face::Fitter> fitter, const Films& films, bool announces = true)
      : fitter_(std::move(fitter)), films_(&films), announces_(announces) {}

  /// Only what is timed: see judge().
  void fit();

  /// Holds the last fit against the truth, and goes on to the next frame.
  void judge();

  double mean_error() const { return judged_ > 0 ? error_ / static_cast<double>(judged_) : 0; }  ///< pixels
  double mean_iterations() const { return judged_ > 0 ? iterations_ / static_cast<double>(judged_) : 0; }
  std::size_t frame() const { return at_; }
  std::size_t lost() const { return lost_; }
  const face::Fit& last() const { return last_; }

private:
  std::shared_ptr<face::Fitter> fitter_;
  const Films* films_;
  bool announces_, found_ = false;
  face::Fit last_;
  std::size_t at_ = 0, judged_ = 0, lost_ = 0;
  double error_ = 0, iterations_ = 0;
};

/// Some frames with the landmarks that a fitter found there.
std::vector<FacePicture> fitted_frames(std::shared_ptr<face::Fitter> fitter, const Films& films);

}  // namespace kinema::bench
