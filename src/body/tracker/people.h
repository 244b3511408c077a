// Everybody before one camera: a frame is divided among those who are followed, and what nobody explains may be somebody new.
#pragma once

#include "body/tracker/pair_depth.h"
#include "body/tracker/person.h"
#include "body/tracker/settled_frames.h"
#include "body/tracker/sight.h"
#include "body/tracker/stage_clock.h"
#include "kinema/foreground.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace kinema::body {

/// What a camera measured: a depth image, that of a stereo pair, or a cloud.
struct Measured {
  std::variant<ImageView<const float>, PointsView> points;
  PairDepth* pairs = nullptr;  ///< which the image was made by
};

/// Why there is no estimate where somebody was chosen.
inline constexpr const char* nobody_chosen = "nobody stands at the chosen pixel";

/// The candidate at a ray; nothing where all are clearly elsewhere.
std::optional<std::size_t> nearest(std::span<const Candidate> candidates, const Vec3& ray);

class People {
public:
  People(const TrackerSettings& settings, const Compute& compute);

  /// The skins that are expected at this time, all together: K x 7.
  std::vector<float> expected(double time);

  /// The estimates of everybody in a frame: by their numbers, or that nobody was found. Who is at the ray `chosen` is looked for
  /// first.
  std::vector<Estimate> track(const Measured& measured, Foreground& foreground, std::int64_t frame, double time,
                              std::span<const FaceObservation> faces, const std::vector<StageTime>& before,
                              std::optional<Vec3> chosen);

  /// A frame that is missing.
  std::vector<Estimate> skip(std::int64_t frame, double time, const std::string& why);

  std::vector<Estimate> settled();
  std::vector<Estimate> finish();

  /// Somebody is here in the next frame.
  void start(const Pose& pose);

  /// Everybody is looked for again.
  void restart();

  void use(const TrackerSettings& settings, const PaceCounts& counts, bool particles_changed);

  /// Of the number that an estimate has; null: gone.
  Person* find(int number);

  /// Whether the last frame took a search for somebody new.
  bool tried() const { return tried_; }

  double smoothing_ms() const;

private:
  using DepthPicture = std::shared_ptr<const std::vector<float>>;  // null: not known

  struct Member {
    int key = 0, number = 0;  // 0: it may be nobody
    std::unique_ptr<Person> person;
    std::int64_t since = 0;  // the frame in which it was found
    Vec3 found_at = {};      // the middle of its cluster then
    int frames = 0;          // followed
    double fit = 0;          // sum of the confidence in these
    Estimate last;           // where it was last seen
    Vec3 velocity = {};      // of the pelvis
    ExpectedPerson expected;
    Pose pose;             // which that is
    bool awaited = false;  // by start(), until the next frame
    bool hidden = false;   // in the last frame
    DepthPicture before;   // in which it was found; null once it moved
    int doubled = 0;       // frames in which it was where somebody else is
    Estimate now;
  };

  // Somebody who left.
  struct Away {
    int key, number;
    Vec3 place, velocity;
    double time, stature;
  };

  // What was tried, and is nobody.
  struct Nobody {
    Vec3 place;
    double until, pause;
    DepthPicture before;  // then
  };

  const Camera& camera_of(const Measured& measured) const;
  void predict(Member& member, double time) const;
  void follow(Member& member, const Measured& measured, const std::optional<Plane>& floor, double time,
              std::span<const FaceObservation> faces);
  void part_doubles();
  void leave(double time);
  void meet(const Measured& measured, Foreground& foreground, std::int64_t frame, double time,
            std::optional<Vec3> chosen, StageClock& clock);
  bool try_newcomer(const Measured& measured, Foreground& foreground, std::size_t candidate, std::int64_t frame,
                    double time, const DepthPicture& now, StageClock& clock);
  bool come_out(const Measured& measured, Foreground& foreground, std::size_t candidate, double time);
  int most() const;
  int wanted() const;
  void dismiss(const Vec3& place, double time, DepthPicture before);
  void confirm(int frames, double time);
  std::size_t make_way(std::size_t newcomer, double time);
  std::vector<std::vector<FaceObservation>> shared(std::span<const FaceObservation> faces) const;
  int number_for(const Member& member, double time);
  void remove(std::size_t member, double time);
  void collect(Member& member);

  TrackerSettings settings_;
  Compute compute_;
  Threads threads_;
  int search_rest_ = 1;
  std::vector<Member> members_;
  std::vector<Away> away_;
  std::vector<Nobody> nobodies_;
  SettledFrames frames_;
  int next_key_ = 1, next_number_ = 1;
  int seen_frames_ = 0;
  int until_search_ = 0;
  bool tried_ = false;       // somebody new, in the last frame
  double smoothing_ms_ = 0;  // of those who left
};

}  // namespace kinema::body
