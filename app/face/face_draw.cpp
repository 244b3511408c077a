// kinema face draw: pictures of synthetic faces with their landmarks, to train or test a model on.
#include "app/options/options.h"
#include "app/options/progress.h"
#include "core/stopwatch.h"
#include "synth/faces/faces.h"

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

}  // namespace kinema::app
