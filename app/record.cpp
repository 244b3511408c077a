// kinema record: a live source to a recording.
#include "app/options/interrupt.h"
#include "app/options/live_options.h"
#include "app/options/options.h"
#include "core/stopwatch.h"
#include "io/pictures/image_file.h"
#include "io/recordings/recorder.h"
#include "io/sources/reopening_source.h"
#include "io/sources/source_schemes.h"
#include "kinema/body_tracker.h"
#include "kinema/error.h"
#include "kinema/lens_check.h"

#include <filesystem>
#include <memory>

namespace kinema::app {
namespace {

struct RecordOptions {
  std::string input;
  std::filesystem::path out;
  std::size_t frames = 0;
  double seconds = 0;
  int threads = 0;
  bool json = false;
  io::RecordingSettings recording;
};

struct Counts {
  std::size_t frames = 0, dropped = 0, reopened = 0, bytes = 0;
  double seconds = 0;  // of the source
  bool stopped = false;
  bool pairs = false;
};

void report(const RecordOptions& options, const Counts& counts) {
  if (!options.json) {
    fmt::print(
        "{}{} frames in {:.1f} s, {:.1f} MB{}{}\n", counts.stopped ? "stopped; " : "", counts.frames, counts.seconds,
        static_cast<double>(counts.bytes) / 1e6,
        counts.dropped > 0 ? fmt::format("; {} dropped: the disk or the processor is too slow", counts.dropped) : "",
        counts.reopened > 0 ? fmt::format("; the source came back {} times", counts.reopened) : "");
    return;
  }
  nlohmann::ordered_json json;
  json["frames"] = counts.frames;
  json["dropped"] = counts.dropped;
  json["reopened"] = counts.reopened;
  json["seconds"] = counts.seconds;
  json["bytes"] = counts.bytes;
  json["stopped"] = counts.stopped;
  json["results"] = {{"out", options.out.string()}};
  print_json(json);
}

// Tells of a lens that is covered or out of focus, as long as something can be done about it.
void look_at(const io::RawFrame& frame, stereo::LensCheck& lenses) {
  if (frame.left.bgr.empty() || frame.right.bgr.empty() || !lenses.looks()) return;
  const std::string& fault = lenses.look(io::grey_of(frame.left).view(), io::grey_of(frame.right).view());
  if (lenses.lasts()) warn(stderr, "{}", fault);
}

// Says why `body track` will refuse the recorded pairs, while they can be taken again.
void look_at_first_pair(const std::filesystem::path& folder) {
  try {
    const std::unique_ptr<io::Recording> recording = io::open_recording({folder.string()});
    body::Tracker tracker(body::settings_for(*recording));
    if (io::Frame first; recording->next(first)) tracker.track(first);
  } catch (const Error& error) {
    warn(stderr, "body track will refuse these pairs: {}", error.what());
  }
}

// Passes frames on until the source ends, enough were taken, or a file cannot be written.
void copy(io::ReopeningSource& source, io::Recorder& recorder, const RecordOptions& options, Counts& counts) {
  const Interrupt interrupt;
  stereo::LensCheck lenses;
  for (std::size_t taken = 0; options.frames == 0 || taken < options.frames;) {
    counts.stopped = interrupt.asked();
    if (counts.stopped) return;
    io::RawFrame frame;
    const auto got = source.read(frame, std::chrono::milliseconds(100));
    if (got == io::RawSource::Got::end) return;
    if (got == io::RawSource::Got::nothing) continue;
    if (options.seconds > 0 && frame.time >= options.seconds) return;
    counts.seconds = frame.time;
    ++taken;
    look_at(frame, lenses);
    counts.pairs = !frame.left.bgr.empty() && !frame.right.bgr.empty();
    if (!recorder.add(std::move(frame))) return;
  }
}

void run(RecordOptions options) {
  const Interrupt interrupt;  // until the results are printed
  options.recording.wait = source_wait();
  const auto opener = io::source_opener(options.input, options.recording, io::SourceUse::any);
  if (!opener) {
    throw Error(fmt::format("{}: is not a live source: kinema cameras lists them", options.input));
  }
  io::ReopeningSource source(*opener, options.recording.reconnect, options.recording.wait.stopped);
  io::Recorder recorder(options.out, source.format(), options.recording, options.threads);
  Counts counts;
  std::optional<Error> broken;
  try {
    copy(source, recorder, options, counts);
  } catch (const Error& error) {
    broken = error;
  }
  try {
    recorder.finish();
  } catch (const Error& error) {
    broken = error;
  }
  counts.frames = recorder.written();
  counts.dropped = recorder.dropped();
  counts.bytes = recorder.bytes();
  counts.reopened = source.reopened();
  if (broken) {
    throw Error(fmt::format("{}; what was recorded until then, {} frame{}, is kept", broken->what(), counts.frames,
                            counts.frames == 1 ? "" : "s"),
                broken->cause());
  }
  if (counts.frames == 0 && !counts.stopped) throw Error(fmt::format("{}: gave no frame", options.input));
  if (counts.pairs) look_at_first_pair(options.out);
  report(options, counts);
}

}  // namespace

void add_record(Verb parent, Task& task) {
  Verb verb = parent.add("record", "Write a live source to a recording, which body track reads");
  const auto options = std::make_shared<RecordOptions>();
  io::RecordingSettings& recording = options->recording;
  verb.option("--input", options->input, "SOURCE", "A live source: kinema cameras lists them").required();
  verb.option("--out", options->out, "DIR", "The folder of the recording").required();
  verb.option("--frames", options->frames, "N", "At most N frames; 0: until the source ends, or Ctrl-C")
      .between(0L, 1L << 52);
  verb.option("--seconds", options->seconds, "S", "At most S seconds; 0: until the source ends, or Ctrl-C")
      .between(0.0, 1e9);
  verb.parsed("--camera-file", recording.camera_files, split_paths, "FILE[,FILE]",
              "camera.json or an OpenCV calibration, in place of the source's own");
  verb.option("--fps", recording.fps, "N", "Frames per second, in place of the source's").between(0.0, 1e6);
  verb.length("--depth-scale", recording.depth_scale,
              "Length of a unit of depth, in metres or as in 1mm, in place of the source's", {0, 1});
  verb.length("--baseline", recording.baseline,
              "Distance between the cameras of a rectified pair, in metres or with a unit", {0, 10});
  verb.length("--calibration-unit", recording.calibration_unit,
              "Length of a unit of an OpenCV calibration, in metres or as in 25mm", {0, 1000});
  verb.option("--reconnect", recording.reconnect, "S", "Seconds to wait for a live source that disappears; 0: end")
      .between(0.0, 1e9)
      .show_default();
  verb = verb.under("Everywhere");
  verb.option("--threads", options->threads, "N", "Number of CPU threads that compress images, 0: one per core")
      .between(0, 4096);
  verb.flag("--json", options->json, "Print the results as one JSON object on standard output");
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
