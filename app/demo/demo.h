// The parts of `kinema demo`, which run the trackers on recordings that it makes and compare them with the truth, their
// measurements, and the report page that shows them.
#pragma once

#include "app/body/evaluation.h"
#include "app/face/face_evaluation.h"
#include "app/head/head_run.h"
#include "app/run/track_run.h"
#include "bench/body/body_problem.h"
#include "io/pictures/picture_sink.h"
#include "kinema/body.h"
#include "kinema/compute.h"
#include "kinema/face_tracker.h"
#include "report/report.h"
#include "synth/head_clip.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::app {

/// The sample built into the command: the text of samples/walk.bvh, a walking person.
std::string_view walk_clip();

struct WalkSettings {
  std::filesystem::path folder;  ///< of the demo: motion.bvh, walk/, poses.jsonl, walk.bvh and images are written there
  std::size_t frames = 60;
  Compute compute;
  std::uint64_t seed = 1;
  decltype(TrackRun::watch) watch = nullptr;
};

/// Images of a film strip on the page.
inline constexpr std::size_t strip_length = 6;

/// One image of the film strip.
struct Shot {
  long frame = 0;
  double time = 0;
  int width = 0, height = 0;
  std::string png;  ///< the bytes of the file
};

/// Overlays of the frames of a part: all of them as a video, a few as images.
struct FilmStrip {
  std::vector<Shot> strip;  ///< empty without OpenCV
  std::string no_video;     ///< why there is no video; empty if there is one
};

/// Makes them, in the folder `frames` beside the video.
class Film {
public:
  /// `shots`: the beginning of the names of the images.
  Film(FilmStrip& made, const std::filesystem::path& video, double fps, std::size_t frames, std::string shots);

  /// `shot`: makes the image for the strip from the overlay, where it is one of the few.
  void add(std::int64_t frame, double time, const io::Picture& overlay,
           const std::function<io::Picture(const io::Picture&)>& shot);
  void commit();

private:
  FilmStrip& made_;
  std::filesystem::path folder_;
  std::size_t frames_;
  std::string shots_;
  std::optional<io::PictureSink> video_;
};

struct Walk : FilmStrip {
  WalkSettings settings;
  std::string mode;  ///< depth; points without OpenCV, which writes depth images
  TrackCounts counts;
  Evaluation evaluation;
  double simulate_ms = 0, track_ms = 0;

  std::vector<std::string> commands() const;  ///< that do the same by hand, inside the folder
};

/// Throws Error if the folder cannot be written or nobody was found.
Walk follow_walk(const WalkSettings& settings);

struct HeadDemoSettings {
  std::filesystem::path folder;  ///< of the demo: head/, filter.json, head.csv and images are written there
  std::size_t frames = 60;
  Compute compute;
  std::uint64_t seed = 1;

  /// Called with every frame, its result, and the tracker.
  std::function<void(const io::Frame&, const head::Estimate&, const head::Tracker&)> watch = nullptr;
};

struct HeadDemo : FilmStrip {
  HeadDemoSettings settings;
  double score = 0;  ///< of the calibration
  double calibrate_ms = 0, make_ms = 0, track_ms = 0;
  HeadCounts counts;
  HeadErrors errors;  ///< over the face's width
  double mean_px = 0, worst_px = 0;
  double face_px = 0;               ///< its width in the first frame
  std::vector<double> error_px;     ///< per frame; negative: not found
  std::optional<double> jitter_px;  ///< of the same head at rest
  double distance_percent = 0;      ///< mean error of the distance
  std::string oval;                 ///< of the first frame, as --oval takes it

  std::vector<std::string> commands() const;  ///< that do the same by hand, inside the folder
};

/// Throws Error if the folder cannot be written or the head was not found.
HeadDemo follow_head(const HeadDemoSettings& settings);

struct FaceDemoSettings {
  std::filesystem::path folder;  ///< of the demo: faces/, face.kface, face.jsonl and face.mp4 are written there
  Compute compute;
  std::uint64_t seed = 1;

  /// Called with every frame of the clip, its result, and the model.
  std::function<void(std::int64_t, const io::Picture&, const face::Estimate&,
                     const std::shared_ptr<const face::Model>&)>
      watch = nullptr;
};

struct FaceDemo : FilmStrip {
  FaceDemoSettings settings;
  std::size_t trained = 0, pixels = 0;
  FaceEvaluation test;
  std::size_t clip_frames = 0, clip_found = 0;
  double clip_error = 0;  ///< over the outer-eye distance, for frames in which the face was found
  std::string start;      ///< start of the clip: the face detector, or the true position with noise
  double make_ms = 0, train_ms = 0, clip_ms = 0;

  std::vector<std::string> commands() const;  ///< that do the same by hand, inside the folder
};

FaceDemo fit_demo_faces(const FaceDemoSettings& settings);

/// The likelihood alone, for a person made of capsules.
struct LikelihoodDemo {
  bench::BodyProblem problem;
  body::LikelihoodSettings settings;
  Compute compute;
  body::PointCount points;
  std::vector<double> log_likelihood;  // (samples); sample 0 is the true pose
  std::vector<StageTime> stages;
  double make_ms = 0, set_points_ms = 0, evaluate_ms = 0, reference_ms = 0;

  std::size_t true_rank = 1;   // 1: no sample is more likely than the true pose
  std::size_t best_other = 0;  // the most likely sample that is not the true pose
  std::size_t checked = 0;     // samples also evaluated by the reference backend
  double difference = 0;       // the largest among them, relative

  std::size_t samples() const { return log_likelihood.size(); }
  const float* capsules(std::size_t sample) const {
    return problem.capsules.data() + sample * bench::person_capsules * body::capsule_floats;
  }
};

/// The results as text, for the page and the terminal.
struct DemoRow {
  std::string label, text;
};
std::vector<DemoRow> walk_rows(const Walk& walk);
std::vector<DemoRow> head_rows(const HeadDemo& demo);
std::vector<DemoRow> face_rows(const FaceDemo& face);
std::vector<DemoRow> likelihood_rows(const LikelihoodDemo& demo);

report::Report demo_report(const Walk& walk, const HeadDemo& head, const FaceDemo& face,
                           const LikelihoodDemo& likelihood);

// Parts of it: the trackers, and the likelihood with its own title and text.
report::Section walk_section(const Walk& walk);
report::Section head_section(const HeadDemo& demo);
report::Section face_section(const FaceDemo& demo);
report::Section likelihood_section(const LikelihoodDemo& demo);

}  // namespace kinema::app
