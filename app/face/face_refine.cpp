#include "app/face/face_refine.h"

#include "app/face/face_run.h"
#include "app/run/source_loop.h"
#include "core/stopwatch.h"
#include "io/faces/face_detector.h"
#include "io/faces/face_model_file.h"
#include "io/files/output_file.h"
#include "kinema/error.h"
#include "kinema/files.h"

#include <algorithm>
#include <filesystem>

namespace kinema::app {

std::filesystem::path start_file(const std::string& start) {
  if (start != "shipped") return start;
  const std::filesystem::path place = default_face_model();
  if (place.empty()) throw Error("--start shipped: the model that ships is not installed; give a .kface");
  return place;
}

io::FaceModelPrecision precision_of(const std::filesystem::path& file) {
  const std::vector<io::FaceModelSection> sections = io::list_face_model(file);
  const bool small = std::any_of(sections.begin(), sections.end(), [](const io::FaceModelSection& section) {
    return section.name.starts_with("cascade") && section.type == "uint16";
  });
  return small ? io::FaceModelPrecision::small : io::FaceModelPrecision::full;
}

namespace {

// What a model is refined on, in memory.
struct Faces {
  FaceExamples labelled;
  std::vector<face::OwnedExample> filmed;
  std::vector<face::Example> examples;  // views of these
  std::string words;                    // where they come from
};

void add_labelled(const ImageOptions& options, Faces& faces) {
  faces.labelled = read_examples(options);
  print_left_out(faces.labelled.left_out);
  for (std::size_t i = 0; i < faces.labelled.size(); ++i) {
    faces.examples.push_back(
        {faces.labelled.images[i].view(), faces.labelled.landmarks[i], faces.labelled.files[i].image.string()});
  }
  faces.words = fmt::format("{} labelled faces", faces.examples.size());
}

void add_filmed(const RefineOptions& options, const std::shared_ptr<const face::Model>& start, Faces& faces) {
  const std::unique_ptr<io::Source> source = io::open_colour(options.film, face_source(0, options.sequence));
  if (source->live()) throw Error(fmt::format("{}: a camera has no end; record it first", options.film.front()));
  const io::FaceDetector detector(options.detector);
  face::FilmSettings settings;
  settings.model = start;
  settings.detect = [&](const face::GreyView& image) { return detector.detect(image); };
  settings.consecutive = source->consecutive();
  settings.threads = options.common.compute.threads;
  face::FilmFaces film(settings);
  SourceLoop loop(*source, {}, settings.consecutive ? "frames" : "pictures");
  loop.run([&] {
    for (io::Frame frame; loop.next(frame);) {
      if (!frame.gap.empty()) continue;
      const io::GreyImage grey = io::grey_of(frame.colour);
      film.add(grey.view(), frame.time);
    }
  });
  loop.finish([] {});
  if (loop.stopped()) throw Error("stopped before the model was made; nothing was written", Error::Cause::running);
  faces.filmed.assign(film.faces().begin(), film.faces().end());
  if (faces.filmed.size() < face::least_refine_examples) {
    throw Error(fmt::format("{}: only {} different faces that the score trusts in {} frames; refining needs {}",
                            options.film.front(), faces.filmed.size(), film.frames(), face::least_refine_examples));
  }
  for (const face::OwnedExample& face : faces.filmed) {
    faces.examples.push_back({{face.pixels.data(), face.width, face.height, face.width},
                              face.landmarks,
                              fmt::format("face {} of the film", faces.examples.size())});
  }
  faces.words =
      fmt::format("{} faces of {} frames of a film, labelled by itself", faces.examples.size(), film.frames());
}

// What Refinement::before and after are.
std::string_view measure(const RefineOptions& options) {
  return options.film.empty() ? "the mean error of faces that were held out"
                              : "how far fits of a face from different starts lie apart";
}

void report(const RefineOptions& options, const face::Refinement& refinement, const Faces& faces, double read_ms,
            double refine_ms) {
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(options.out, ignored);
  const face::Model& model = refinement.model;
  if (!options.common.json) {
    fmt::print("{}: refined on {}; {} fell from {:.2f} % to {:.2f} %; {:.1f} MB in {:.1f} s\n", options.out,
               faces.words, measure(options), 100 * refinement.before, 100 * refinement.after,
               static_cast<double>(bytes) / 1e6, (read_ms + refine_ms) / 1000);
    return;
  }
  nlohmann::ordered_json json;
  json["backend"] = name(Backend::cpu);  // training runs there
  json["examples"] = faces.examples.size();
  json["mirrored"] = options.mirrored;
  json["landmarks"] = model.shape.landmarks();
  json["ms"] = {{"read", read_ms}, {"train", refine_ms}};
  json["results"] = {{"out", options.out},
                     {"bytes", bytes},
                     {"measure", options.film.empty() ? "error" : "disagreement"},
                     {"before", refinement.before},
                     {"after", refinement.after},
                     {"shape_modes", model.shape.modes.rows},
                     {"sequence", stages_text(model.sequence)}};
  print_json(json);
}

}  // namespace

void refine_face_model(const RefineOptions& options) {
  const io::OutputFile place(options.out);  // an unwritable target is reported before the work
  const std::filesystem::path file = start_file(options.start);
  const auto start = std::make_shared<const face::Model>(io::read_face_model(file));
  Stopwatch watch;
  Faces faces;
  if (options.film.empty())
    add_labelled(options.images, faces);
  else
    add_filmed(options, start, faces);
  const double read_ms = watch.lap();
  face::RefineSettings settings;
  settings.mirrored = options.mirrored && !start->layout.mirror.empty();
  settings.film = !options.film.empty();
  settings.seed = options.common.seed;
  settings.threads = options.common.compute.threads;
  TrainProgress progress;
  settings.progress = progress.teller();
  face::Refinement refinement = face::refine(*start, faces.examples, settings);
  progress.end();
  const double refine_ms = watch.lap();
  if (!refinement.better) {
    throw Error(
        fmt::format("{} do not make {} better: {} is {:.2f} % before and {:.2f} % after; nothing was written",
                    faces.words, file.string(), measure(options), 100 * refinement.before, 100 * refinement.after),
        Error::Cause::running);
  }
  const std::string what = "refined on " + faces.words;
  std::string& note = refinement.model.note;
  note += (note.empty() ? "" : "; ") + (options.note.empty() ? what : what + ": " + options.note);
  io::write_face_model(options.out, refinement.model, precision_of(file));
  report(options, refinement, faces, read_ms, refine_ms);
}

}  // namespace kinema::app
