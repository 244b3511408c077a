// kinema head calibrate: from frames with an oval around the face to the colours of this user under this light.
#include "app/options/head_options.h"
#include "app/options/interrupt.h"
#include "app/options/live_options.h"
#include "app/options/options.h"
#include "app/options/places.h"
#include "core/stopwatch.h"
#include "io/faces/face_oval.h"
#include "io/faces/filter_json.h"
#include "io/files/output_file.h"
#include "io/overlays/head_overlay.h"
#include "io/pictures/image_file.h"
#include "kinema/source.h"

#include <memory>
#include <optional>

namespace kinema::app {
namespace {

struct HeadCalibrateOptions {
  CommonOptions common;
  std::vector<std::string> input;
  std::string oval, out, picture, cascade;
  bool automatic = false;
  std::size_t frames = 5;
  long start = 0;
  double fps = 0;
  std::optional<double> field_of_view;
  std::string camera, light;
  head::CalibrationSettings settings;
};

struct Frames {
  std::vector<io::Frame> kept;
  std::vector<head::Oval> ovals;
};

// The next `count` readable frames, of at most `left`.
std::vector<io::Frame> read_some(const HeadCalibrateOptions& options, io::Source& source, std::size_t count,
                                 std::size_t& left, std::string& gap) {
  const Interrupt interrupt;
  std::vector<io::Frame> frames;
  io::Frame frame;
  while (frames.size() < count && left > 0 && source.next(frame)) {
    if (interrupt.asked()) throw Error("stopped before there was a calibration", Error::Cause::running);
    if (frame.index < options.start) continue;
    --left;
    if (frame.gap.empty())
      frames.push_back(std::move(frame));
    else
      gap = frame.gap;
  }
  return frames;
}

// The first readable frames that, if the oval is detected, show the face that most of them show.
Frames read_frames(const HeadCalibrateOptions& options) {
  constexpr std::size_t longest_search = 300;
  Frames frames;
  if (!options.automatic) frames.ovals.push_back(parse_oval(options.oval));
  const auto source =
      io::open_colour(options.input, {.fps = options.fps, .wait = source_wait(options.common.console.err)});
  std::size_t left = longest_search;
  std::string gap;
  if (options.automatic) {
    const io::FaceDetector detector(options.cascade);
    while (frames.kept.empty()) {
      std::vector<io::Frame> some = read_some(options, *source, 2 * options.frames, left, gap);
      if (some.empty()) break;
      std::vector<std::vector<io::FaceDetector::Find>> finds;
      finds.reserve(some.size());
      for (const io::Frame& frame : some) finds.push_back(io::find_heads(detector, frame.colour));
      const std::vector<std::optional<head::Oval>> face = io::surest_face(finds);
      for (std::size_t i = 0; i < some.size() && frames.kept.size() < options.frames; ++i) {
        if (!face[i]) continue;
        frames.kept.push_back(std::move(some[i]));
        frames.ovals.push_back(*face[i]);
      }
    }
  } else {
    frames.kept = read_some(options, *source, options.frames, left, gap);
  }
  if (!frames.kept.empty()) return frames;
  if (left == longest_search)
    throw Error(fmt::format("{}: has no frame from --start {} on", options.input.front(), options.start));
  if (!gap.empty()) throw Error(gap);
  throw Error(fmt::format("{}: no face was found in {} frames: give the oval by hand with --oval cx,cy,rx,ry",
                          options.input.front(), longest_search - left));
}

void draw(const HeadCalibrateOptions& options, const Frames& frames, const head::Calibration& calibration) {
  const io::Frame& last = frames.kept.back();
  head::Estimate estimate;
  estimate.found = true;
  estimate.oval = frames.ovals.back();
  estimate.x = estimate.oval->cx;
  estimate.y = estimate.oval->cy;
  estimate.area = calibration.head->area;
  estimate.confidence = calibration.filter.score;
  io::HeadPainter painter;
  io::write_picture_png(options.picture, painter.draw(last.colour, last.index, last.time, estimate,
                                                      [&](std::uint8_t r, std::uint8_t g, std::uint8_t b) {
                                                        return head::degree(calibration.filter.model, r, g, b);
                                                      }));
}

void run(HeadCalibrateOptions options) {
  if (options.automatic != options.oval.empty()) {
    throw Error("say where the face is: --oval cx,cy,rx,ry in pixels, or --auto, and not both");
  }
  if (options.field_of_view) options.settings.field_of_view = parse_field_of_view(*options.field_of_view);
  std::vector<Place> inputs;
  for (const std::string& input : options.input) inputs.push_back({"--input", input});
  check_places({}, {{"--out", options.out}, {"--picture", options.picture}}, inputs, options.common);
  const io::OutputFile writable(options.out);
  Stopwatch watch;
  const Frames frames = read_frames(options);
  const double read_ms = watch.lap();
  std::vector<ColourView> views;
  for (const io::Frame& frame : frames.kept) views.push_back(frame.view());
  head::Calibration calibration = head::calibrate(views, frames.ovals, options.settings);
  const double calibrate_ms = watch.lap();
  calibration.filter.camera = options.camera.empty() ? options.input.front() : options.camera;
  calibration.filter.light = options.light;
  io::write_filter(options.out, calibration);
  if (!options.picture.empty()) draw(options, frames, calibration);

  const bool low = calibration.filter.score < head::low_score;
  if (options.common.json) {
    const head::Oval& oval = frames.ovals.back();
    nlohmann::ordered_json json;
    json["backend"] = name(Backend::cpu);  // frames are counted on the CPU, and the search is small
    json["frames"] = frames.kept.size();
    json["classifier"] = options.settings.classifier;
    json["ms"] = {{"read", read_ms}, {"calibrate", calibrate_ms}};
    json["results"] = {{"score", calibration.filter.score},
                       {"low", low},
                       {"area", calibration.head->area},
                       {"oval", {oval.cx, oval.cy, oval.rx, oval.ry}},
                       {"out", options.out}};
    if (const auto* plane = std::get_if<head::SkinPlane>(&calibration.filter.model)) {
      json["results"]["f"] = {plane->r, plane->g, plane->b, plane->d};
    }
    print_json(json);
  } else {
    fmt::print("{}: {} from {} frame{}, score {:.2f}, in {:.1f} ms\n", options.out, options.settings.classifier,
               frames.kept.size(), frames.kept.size() == 1 ? "" : "s", calibration.filter.score, calibrate_ms);
  }
  if (low) {
    warn(stderr,
         "a score of {:.2f} is low: much around the head has its colours, and tracking may suffer; see with "
         "--picture whether the oval is on the face, change the light or the background, or try --classifier "
         "histogram",
         calibration.filter.score);
  }
}

}  // namespace

void add_head_calibrate(Verb parent, Task& task) {
  Verb verb = parent.add("calibrate", "Learn the colours of a face in this light, from frames with an oval");
  const auto options = std::make_shared<HeadCalibrateOptions>();
  verb.option("--input", options->input, "FILES|DIR|SOURCE",
              "A picture, a folder or pattern of pictures, a video, or a live source: see kinema cameras")
      .required();
  verb.option("--oval", options->oval, "cx,cy,rx,ry", "The face: centre and radii, in pixels");
  verb.flag("--auto", options->automatic, "Find the face with OpenCV's detector (Debian: opencv-data)");
  verb.option("--cascade", options->cascade, "FILE.xml", "Cascade file for --auto, in place of OpenCV's own");
  verb.option("--classifier", options->settings.classifier, "plane|rg|xyz|cbcr|hsv|tsl|histogram",
              "Kind of skin classifier")
      .show_default();
  verb.option("--out", options->out, "filter.json", "The filter file to write").required();
  verb.option("--picture", options->picture, "FILE.png", "Oval and degrees over the last frame, as a PNG");
  verb.option("--frames", options->frames, "N", "Number of frames to use").between(1, 1000).show_default();
  verb.option("--start", options->start, "N", "Number of the first frame").between(0L, 1L << 52);
  verb.length("--distance", options->settings.distance,
              "Distance of the face from the camera, in metres or with a unit", seen_lengths);
  verb.option("--fov", options->field_of_view, "DEG", "Horizontal field of view of the camera, degrees");
  verb.option("--camera", options->camera, "TEXT", "A name for the camera, kept in the filter");
  verb.option("--light", options->light, "TEXT", "A name for the light, kept in the filter");
  add_common_options(verb, options->common);
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
