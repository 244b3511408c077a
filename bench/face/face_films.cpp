#include "bench/face/face_films.h"

#include "core/threads.h"
#include "kinema/error.h"
#include "synth/faces/faces.h"
#include "synth/faces/head_pose_clip.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::bench {
namespace {

constexpr std::uint64_t film_seed = 7000;  // added to that of the benchmark: nobody of a film is a face that is learnt
constexpr double lost_share = 0.2;         // of the distance between the outer corners of the eyes
constexpr int photograph_side = 256;       // pixels
constexpr std::size_t report_frames = 6;

double landmark_distance(const std::vector<float>& a, std::size_t i, const std::vector<float>& b, std::size_t j) {
  return std::hypot(double{a[2 * i]} - b[2 * j], double{a[2 * i + 1]} - b[2 * j + 1]);
}

double mean_distance(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size() / 2; ++i) sum += landmark_distance(a, i, b, i);
  return sum / static_cast<double>(std::max<std::size_t>(1, a.size() / 2));
}

}  // namespace

Films draw_films(std::uint64_t seed, std::size_t persons, std::size_t clip_frames, int threads) {
  Films films{clip_frames, std::vector<DrawnFace>(persons * clip_frames)};
  std::vector<synth::HeadPoseClip> clips;
  for (std::size_t person = 0; person < persons; ++person) {
    synth::HeadPoseClipSettings settings;
    settings.seed = film_seed + seed * 1000 + person;
    settings.person = static_cast<std::uint32_t>(1 + person);
    clips.emplace_back(settings);
  }
  Threads(threads).for_each(films.frames.size(), [&](std::size_t i) {
    const synth::HeadPoseClip& clip = clips[i / clip_frames];
    io::GreyImage grey = synth::grey_of(clip.picture(i % clip_frames));
    films.frames[i] = {static_cast<std::size_t>(grey.width), static_cast<std::size_t>(grey.height),
                       std::move(grey.grey), clip.landmarks(i % clip_frames)};
  });
  return films;
}

std::vector<DrawnFace> draw_people(std::uint64_t seed, std::uint32_t count, int threads) {
  std::vector<DrawnFace> people(count);
  Threads(threads).for_each(count, [&](std::size_t i) {
    face::OwnedExample one = synth::face_example(seed, static_cast<std::uint32_t>(i), photograph_side);
    people[i] = {one.width, one.height, std::move(one.pixels), std::move(one.landmarks)};
  });
  return people;
}

void FilmFollower::fit() {
  const auto picture = [&](std::size_t frame) { return films_->frames[frame].view(); };
  const DrawnFace& drawn = films_->frames[at_];
  face::Start start;
  if (found_) {
    start.landmarks = last_.landmarks;
    start.keep_shape = true;
  } else {
    start = displaced_start(drawn, film_seed, static_cast<std::uint32_t>(at_));
  }
  if (announces_) fitter_->expect({picture((at_ + 1) % films_->frames.size()), {}, false});
  last_ = fitter_->fit({picture(at_), std::move(start), false});
}

void FilmFollower::judge() {
  const std::vector<float>& truth = films_->frames[at_].landmarks;
  const double error = mean_distance(last_.landmarks, truth), eyes = landmark_distance(truth, 36, truth, 45);
  error_ += error;
  iterations_ += last_.iterations;
  ++judged_;
  at_ = (at_ + 1) % films_->frames.size();
  const bool lost = !(error < lost_share * eyes);
  lost_ += lost ? 1 : 0;
  found_ = !lost && !films_->begins(at_);
}

std::vector<FacePicture> fitted_frames(std::shared_ptr<face::Fitter> fitter, const Films& films) {
  std::vector<FacePicture> pictures;
  FilmFollower follower(std::move(fitter), films);
  const std::size_t step = std::max<std::size_t>(1, films.clip_frames / report_frames);
  for (std::size_t i = 0; i < films.clip_frames; ++i) {
    follower.fit();
    if (i % step == 0 && pictures.size() < report_frames)
      pictures.push_back(landmark_picture(films.frames[i], follower.last().landmarks, "frame " + std::to_string(i)));
    follower.judge();
  }
  return pictures;
}

}  // namespace kinema::bench
