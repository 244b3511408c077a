// kinema face draw: pictures of synthetic faces with their landmarks, to train or test a model on; kinema face film: people
// in front of a webcam, with the true pose of each head in each frame.
#include "app/options/head_options.h"
#include "app/options/options.h"
#include "app/options/progress.h"
#include "core/stopwatch.h"
#include "core/threads.h"
#include "io/faces/landmark_file.h"
#include "io/faces/pose_text.h"
#include "io/files/output_file.h"
#include "io/pictures/image_file.h"
#include "synth/faces/faces.h"
#include "synth/faces/head_pose_clip.h"

#include <algorithm>
#include <filesystem>
#include <memory>

namespace kinema::app {
namespace {

// Faces in memory at once.
constexpr std::uint32_t faces_at_once = 64;

struct FaceDrawOptions {
  CommonOptions common;
  std::filesystem::path out;
  std::uint32_t count = 100, first = 0;
  int size = 256;
};

void run(const FaceDrawOptions& options) {
  const Stopwatch watch;
  Progress progress("face draw", options.count, !options.common.json);
  for (std::uint32_t done = 0; done < options.count;) {
    const std::uint32_t now = std::min(faces_at_once, options.count - done), number = options.first + done;
    synth::write_face_set(
        options.out, synth::face_shots(options.common.seed, number, now, options.size, options.common.compute.threads),
        number, options.common.compute.threads);
    progress.show(done += now);
  }
  const double seconds = watch.ms() / 1000;
  if (options.common.json) {
    print_json({{"faces", options.count},
                {"first", options.first},
                {"seed", options.common.seed},
                {"size", options.size},
                {"landmarks", synth::face_landmarks},
                {"ms", {{"draw", 1000 * seconds}}},
                {"results", {{"out", options.out.string()}}}});
  } else {
    fmt::print("{}: {} faces with {} landmarks each, {:.1f} s\n", options.out.string(), options.count,
               synth::face_landmarks, seconds);
  }
}

}  // namespace

void add_face_draw(Verb parent, Task& task) {
  Verb verb = parent.add("draw", "Draw synthetic faces: pictures with their landmarks, to train or test a model on");
  const auto options = std::make_shared<FaceDrawOptions>();
  verb.option("--count", options->count, "N", "Number of faces").between(1, 1000000).show_default();
  verb.option("--first", options->first, "N", "Number of the first face; a seed and a number always give the same face")
      .between(0, 100000000)
      .show_default();
  verb.option("--size", options->size, "N", "Sides of a picture, pixels").between(48, 2048).show_default();
  verb.option("--out", options->out, "DIR", "Folder for face_0000.png with face_0000.pts, and so on").required();
  add_other_common_options(verb, options->common);
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

namespace {

// Frames drawn side by side, and in memory at once.
constexpr std::size_t frames_at_once = 32;

struct FaceFilmOptions {
  CommonOptions common;
  std::filesystem::path out;
  std::size_t frames = 300;
  int persons = 1;
  double field_of_view = 60;
  bool resting = false;
  synth::HeadPoseClipSettings clip;
};

// Several people are others than the first, stand beside and behind each other, and cross those beside them.
std::vector<synth::HeadPoseClip> clips_of(const FaceFilmOptions& options) {
  std::vector<synth::HeadPoseClip> clips;
  for (int k = 0; k < options.persons; ++k) {
    synth::HeadPoseClipSettings clip = options.clip;
    if (options.persons > 1) {
      constexpr double behind = 0.12, across = 0.8;  // metres; of the distance
      const double between = across * clip.distance / options.persons;
      clip.person += static_cast<std::uint32_t>(k);
      clip.home = between * (k - 0.5 * (options.persons - 1));
      clip.sway = between;
      clip.distance += behind * (2 * k % options.persons);  // whoever crosses somebody is not as far away
      clip.phase += k;
    }
    clips.emplace_back(clip);
  }
  return clips;
}

void run(FaceFilmOptions options) {
  options.clip.seed = options.common.seed;
  options.clip.expressions = !options.resting && !options.clip.still;
  options.clip.field_of_view = parse_field_of_view(options.field_of_view);
  const Stopwatch watch;
  const std::vector<synth::HeadPoseClip> clips = clips_of(options);
  io::make_folder(options.out);
  io::OutputFile truth(options.out / "truth.jsonl");
  const Threads threads(options.common.compute.threads);
  Progress progress("face film", options.frames, !options.common.json);
  for (std::size_t done = 0; done < options.frames;) {
    const std::size_t now = std::min(frames_at_once, options.frames - done);
    threads.for_each(now, [&](std::size_t i) {
      const std::filesystem::path place = options.out / fmt::format("{:06}", done + i);
      std::vector<synth::FaceActor> actors;
      for (const synth::HeadPoseClip& clip : clips) actors.push_back(clip.actor(done + i));
      const synth::FaceShots shots = synth::photograph_faces(actors);
      io::write_picture_png(place.string() + ".png", shots.picture);
      for (std::size_t k = 0; k < clips.size(); ++k) {
        const std::string person = clips.size() > 1 ? fmt::format("_{}", k + 1) : std::string();
        io::write_pts(place.string() + person + ".pts", shots.landmarks[k]);
      }
    });
    for (std::size_t i = done; i < done + now; ++i) {
      for (std::size_t k = 0; k < clips.size(); ++k) {
        const std::string person = clips.size() > 1 ? fmt::format(",\"person\":{}", k + 1) : std::string();
        truth.write(fmt::format("{{\"frame\":{},\"time\":{:.6f}{},\"head\":{}}}\n", i, i / options.clip.fps, person,
                                io::pose_json(clips[k].truth(i))));
      }
    }
    progress.show(done += now);
  }
  truth.commit();
  const double seconds = watch.ms() / 1000;
  if (options.common.json) {
    print_json({{"frames", options.frames},
                {"seed", options.common.seed},
                {"person", options.clip.person},
                {"ms", {{"draw", 1000 * seconds}}},
                {"results", {{"out", options.out.string()}}}});
  } else {
    fmt::print("{}: {} frames with the pose of the head in truth.jsonl, {:.1f} s\n", options.out.string(),
               options.frames, seconds);
  }
}

}  // namespace

void add_face_film(Verb parent, Task& task) {
  Verb verb = parent.add("film", "Draw a film of people in front of a webcam, with the true poses of their heads");
  const auto options = std::make_shared<FaceFilmOptions>();
  synth::HeadPoseClipSettings& clip = options->clip;
  verb.option("--frames", options->frames, "N", "Number of frames").between(1, 1000000).show_default();
  verb.option("--person", clip.person, "N", "Who it is, by number; 0: the mean of all people")
      .between(0, 1000000)
      .show_default();
  verb.option("--persons", options->persons, "N", "Number of people, who cross; their numbers follow that of --person")
      .between(1, 30)
      .show_default();
  verb.flag("--still", clip.still, "A head at rest: only the noise of the sensor changes");
  verb.flag("--resting", options->resting, "No expressions");
  verb.option("--turn", clip.turn, "DEG", "How far the head turns to both sides, degrees")
      .between(0.0, 80.0)
      .show_default();
  verb.length("--distance", clip.distance, "Distance of the eyes from the camera, in metres or with a unit",
              seen_lengths)
      .show_default("60cm");
  verb.option("--fov", options->field_of_view, "DEG", "Horizontal field of view of the camera, degrees").show_default();
  verb.option("--fps", clip.fps, "N", "Frames per second").between(1.0, 1000.0).show_default();
  verb.option("--width", clip.width, "N", "Width of a frame, pixels").between(64, 4096).show_default();
  verb.option("--height", clip.height, "N", "Height of a frame, pixels").between(64, 4096).show_default();
  verb.option("--noise", clip.noise, "N", "Sensor noise, standard deviation in grey levels")
      .between(0.0, 50.0)
      .show_default();
  verb.option("--out", options->out, "DIR",
              "Folder for 000000.png with 000000.pts (of several 000000_1.pts) and so on, and truth.jsonl")
      .required();
  add_other_common_options(verb, options->common);
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
