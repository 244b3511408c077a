// kinema.face: appearance models, their fits, and the tracker.
#include "kinema/face.h"

#include "arrays.h"
#include "detector.h"
#include "kinema/face_refine.h"
#include "kinema/face_tracker.h"
#include "kinema/files.h"
#include "module.h"
#include "pickle.h"
#include "shared.h"
#include "texts.h"

#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <deque>
#include <memory>
#include <optional>

namespace kinema::python {
namespace {

using face::Model;
using SharedModel = std::shared_ptr<Model>;

face::Start start_of(const std::optional<BoxNumbers>& box, bool detector, const py::object& landmarks) {
  if (box.has_value() == !landmarks.is_none())
    throw Error("give a box (x, y, width, height) or landmarks, and not both");
  face::Start start;
  if (box)
    start.box = box_of(*box, detector);
  else
    start.landmarks = landmarks_of(landmarks);
  return start;
}

// Images and their landmarks, one by one.
struct Labelled {
  std::deque<Grey> pictures;
  std::vector<face::Example> examples;

  Labelled(const py::iterable& images, const py::iterable& landmarks) {
    for (const py::handle image : images) pictures.emplace_back(py::reinterpret_borrow<py::object>(image));
    for (const py::handle shape : landmarks) {
      if (examples.size() == pictures.size()) throw Error("there are more landmarks than images");
      face::Example example{
          pictures[examples.size()].view, landmarks_of(py::reinterpret_borrow<py::object>(shape)), {}};
      example.name = "image " + std::to_string(examples.size());
      examples.push_back(std::move(example));
    }
    if (examples.size() < pictures.size()) throw Error("there are more images than landmarks");
  }
};

using Progress = std::function<void(const std::string&, double)>;

std::function<void(std::string_view, double)> teller(const Progress& progress) {
  if (!progress) return {};
  return [&progress](std::string_view stage, double done) {
    const py::gil_scoped_acquire acquire;
    progress(std::string(stage), done);
  };
}

SharedModel train(const py::iterable& images, const py::iterable& landmarks, std::uint32_t pixels, std::uint32_t levels,
                  const std::string& features, bool mirrored, bool quality, std::uint64_t seed, int threads,
                  const Progress& progress) {
  const Labelled labelled(images, landmarks);
  const std::vector<face::Example>& examples = labelled.examples;
  face::TrainSettings settings;
  settings.pixels = pixels;
  settings.levels = levels;
  settings.features = static_cast<face::Features>(number_of(features, "features", face::feature_names));
  settings.mirrored = mirrored;
  settings.quality = quality;
  settings.seed = seed;
  settings.threads = threads;
  settings.progress = teller(progress);
  const face::Layout layout = face::default_layout(examples.empty() ? 0 : examples.front().landmarks.size() / 2);
  if (layout.mirror.empty()) settings.mirrored = false;  // which requires mirror pairs
  const py::gil_scoped_release release;
  return std::make_shared<Model>(face::train(examples, layout, settings));
}

struct Refined {
  SharedModel model;
  bool better = false;
  double before = 0, after = 0;
};

Refined refine(const SharedModel& model, const py::iterable& images, const py::iterable& landmarks, bool mirrored,
               bool film, std::uint64_t seed, int threads, const Progress& progress) {
  const Labelled labelled(images, landmarks);
  face::RefineSettings settings;
  settings.mirrored = mirrored && !model->layout.mirror.empty();
  settings.film = film;
  settings.seed = seed;
  settings.threads = threads;
  settings.progress = teller(progress);
  const py::gil_scoped_release release;
  face::Refinement made = face::refine(*model, labelled.examples, settings);
  return {std::make_shared<Model>(std::move(made.model)), made.better, made.before, made.after};
}

py::list stage_list(const std::vector<face::PlacedStage>& stages) {
  py::list list;
  for (const face::PlacedStage& placed : stages)
    list.append(py::make_tuple(std::string(name(placed.stage.method)), std::string(name(placed.backend))));
  return list;
}

class Fitter : public Shared<std::unique_ptr<face::Fitter>> {
public:
  Fitter(const SharedModel& model, const face::FitSettings& settings, const Compute& compute)
      : Shared(face::make_fitter(model, settings, compute)), model_(model) {}

  std::string backend() {
    return locked([](auto& fitter) { return std::string(name(fitter->backend())); });
  }
  py::list stages() {
    return stage_list(locked([](auto& fitter) { return fitter->stages(); }));
  }

  face::Fit fit(const py::object& image, const std::optional<BoxNumbers>& box, bool detector,
                const py::object& landmarks, bool again) {
    const Grey picture(image, Memory::host_or_gpu);
    const face::Face face{picture.view, start_of(box, detector, landmarks), picture.pixels.on_gpu};
    return locked([&](auto& fitter) { return again ? face::fit_again(*fitter, *model_, face) : fitter->fit(face); });
  }

private:
  SharedModel model_;
};

class Tracker : public SharedTracker<face::Tracker> {
public:
  Tracker(const face::TrackerSettings& settings, const Compute& compute, const std::string& order)
      : SharedTracker(settings, compute), red_first_(red_first(order)) {}

  face::Estimate track(const py::object& image, double time) {
    if (py::isinstance<py::array>(image) && py::reinterpret_borrow<py::array>(image).ndim() == 3)
      return track_view(Colour(image, red_first_), time);
    return track_view(Grey(image), time);
  }

  void start(const std::optional<BoxNumbers>& box, bool detector, const py::object& landmarks) {
    const face::Start start = start_of(box, detector, landmarks);
    locked([&](face::Tracker& tracker) { tracker.start(start); });
  }

  py::list stages() {
    return stage_list(locked([](face::Tracker& tracker) { return tracker.stages(); }));
  }

private:
  template <class Image>
  face::Estimate track_view(const Image& image, double time) {
    return tracked(time, [&](face::Tracker& tracker) { return tracker.track(image.view, time); });
  }

  bool red_first_;
};

void bind_settings(py::module_& module) {
  using Settings = face::TrackerSettings;
  auto settings =
      public_class<Settings>(module, "TrackerSettings", "The settings of a Tracker, by the names of its arguments.");
  const auto of_head = [](auto face::HeadPoseSettings::*member) {
    return [member](const Settings& own) { return own.head ? std::optional((*own.head).*member) : std::nullopt; };
  };
  settings.def_readonly("people", &Settings::people, "How many faces are followed at most, 0: all.")
      .def_readonly("lost", &Settings::lost, "A fit with a higher probability of failure is lost.")
      .def_readonly("smoothing", &Settings::smoothing, "Cutoff for a face at rest, hertz; 0: no smoothing.")
      .def_property_readonly("field_of_view", of_head(&face::HeadPoseSettings::field_of_view),
                             "None for models that show no pose of the head.")
      .def_property_readonly("eye_distance", of_head(&face::HeadPoseSettings::eye_distance), "Likewise.")
      .def_readonly("head_smoothing", &Settings::head_smoothing,
                    "Cutoff for the pose of a head at rest, hertz; 0: no smoothing.")
      .def("__repr__", &text_of_settings<Settings>);
}

void bind_model(py::module_& module) {
  auto model = public_class<Model, SharedModel>(module, "Model", "An appearance model: the contents of a .kface.");
  model
      .def_property_readonly(
          "landmarks", [](const Model& own) { return own.shape.landmarks(); }, "How many.")
      .def_property_readonly(
          "mean_shape",
          [](const Model& own) { return pairs(std::vector<float>(own.shape.mean.begin(), own.shape.mean.end())); },
          "float32 (L, 2), in the model's unit.")
      .def_property_readonly(
          "shape_modes", [](const Model& own) { return own.shape.modes.rows; }, "How many parameters a shape has.")
      .def_property_readonly(
          "examples", [](const Model& own) { return own.examples; }, "Faces it was trained on.")
      .def(
          "save", [](const Model& own, const std::filesystem::path& path) { write_face_model(path, own); },
          py::arg("path"), "Writes a .kface.")
      .def("__repr__", [](const Model& own) {
        return "Model(" + counted(own.shape.landmarks(), "landmark") + ", " +
               counted(own.shape.modes.rows, "shape mode") + ", " + counted(own.examples, "example") + ")";
      });
  module.def(
      "read_model",
      [](const std::optional<std::filesystem::path>& path) {
        return std::make_shared<Model>(path ? read_face_model(*path) : read_face_model());
      },
      py::arg("path") = py::none(), "The model of a .kface; without one, the model that ships with kinema.");
  const face::TrainSettings defaults;
  module.def("train", &train, py::arg("images"), py::arg("landmarks"), py::kw_only(),
             py::arg("pixels") = defaults.pixels, py::arg("levels") = defaults.levels, py::arg("features") = "edges",
             py::arg("mirrored") = defaults.mirrored, py::arg("quality") = defaults.quality,
             py::arg("seed") = defaults.seed, py::arg("threads") = defaults.threads, py::arg("progress") = nullptr,
             R"(A Model of labelled images: uint8 (H, W) and float32 (L, 2) each, pixels from 0.

pixels    of the finest level; each of the other `levels` has a quarter of the one before
features  'edges', 'orientation' or 'intensity'
mirrored  learn each face's mirror image too, where the landmarks are those of 300-W (68) or IMM (73)
quality   learn the probability of failure: needs 8 images
progress  called with a stage and the share of all that is done)");
}

// The faces of a film as a list of (image, landmarks).
py::list film_faces(const SharedModel& model, const py::iterable& frames, const PythonDetect& detect, double fps,
                    bool consecutive, double trusted, std::uint32_t most, int threads) {
  face::FilmSettings settings;
  settings.model = model;
  settings.detect = boxes_by(detect);
  settings.consecutive = consecutive;
  settings.trusted = trusted;
  settings.most = most;
  settings.threads = threads;
  face::FilmFaces film(settings);
  for (const py::handle frame : frames) {
    const Grey picture(py::reinterpret_borrow<py::object>(frame));
    const py::gil_scoped_release release;
    film.add(picture.view, static_cast<double>(film.frames()) / fps);
  }
  py::list result;
  for (const face::OwnedExample& face : film.faces()) {
    result.append(py::make_tuple(
        array_of(face.pixels, {static_cast<py::ssize_t>(face.height), static_cast<py::ssize_t>(face.width)}),
        pairs(face.landmarks)));
  }
  return result;
}

void bind_refine(py::module_& module) {
  auto refined = public_class<Refined>(module, "Refinement", "A refined Model, and what it is worth.");
  refined.def_readonly("model", &Refined::model, "The model that was given if it was not bettered.")
      .def_readonly("better", &Refined::better, "Whether the images are fitted better by it.")
      .def_readonly("before", &Refined::before, "Mean error of the images over the outer eyes' distance.")
      .def_readonly("after", &Refined::after, "The same, each by a model that was refined without it.")
      .def("__repr__", [](const Refined& own) {
        return std::string("Refinement(") + (own.better ? "better" : "not better") + ", before=" + number(own.before) +
               ", after=" + number(own.after) + ")";
      });
  const face::RefineSettings defaults;
  module.def("refine", &refine, py::arg("model"), py::arg("images"), py::arg("landmarks"), py::kw_only(),
             py::arg("mirrored") = defaults.mirrored, py::arg("film") = defaults.film, py::arg("seed") = defaults.seed,
             py::arg("threads") = defaults.threads, py::arg("progress") = nullptr,
             R"(The Refinement of a Model on some labelled images, at least 4: uint8 (H, W) and float32 (L, 2) each.

film      they are frames of one film, in their order
progress  called with a stage and the share of all that is done)");
  const face::FilmSettings films;
  module.def("film_faces", &film_faces, py::arg("model"), py::arg("frames"), py::kw_only(), py::arg("detect") = nullptr,
             py::arg("fps") = 30.0, py::arg("consecutive") = films.consecutive, py::arg("trusted") = films.trusted,
             py::arg("most") = films.most, py::arg("threads") = films.threads,
             R"(Faces for refine() from a film of one person without landmarks: a list of (image, landmarks).

frames       uint8 (H, W) each
detect       as in Tracker
consecutive  False: unrelated pictures of the person
trusted      fits with a higher probability of failure are not taken
most         faces, at most: those that differ most)");
}

void bind_fit(py::module_& module) {
  auto fit = public_class<face::Fit>(module, "Fit", "A model in an image.");
  fit.def_property_readonly(
         "landmarks", [](const face::Fit& own) { return pairs(own.landmarks); }, "float32 (L, 2), pixels from 0.")
      .def_readonly("failure", &face::Fit::failure,
                    "Probability that the mean error is over 8 % of the outer eyes' distance.")
      .def_readonly("quality", &face::Fit::quality, "1 - failure.")
      .def_property_readonly("confidence", as_array(&face::Fit::confidence),
                             "Of each landmark, that it is within those 8 %.")
      .def_property_readonly("shape", as_array(&face::Fit::shape), "Parameters of the shape.")
      .def_readonly("error", &face::Fit::error, "What the last stage minimised, over its values; 0 after a cascade.")
      .def_readonly("iterations", &face::Fit::iterations, "Of all stages.")
      .def_readonly("converged", &face::Fit::converged, "The last stage ended before its iterations were used up.")
      .def_readonly("ms", &face::Fit::ms, "Milliseconds that it took.")
      .def("__repr__", [](const face::Fit& own) {
        return "Fit(" + counted(own.landmarks.size() / 2, "landmark") + ", failure=" + number(own.failure, 2) + ")";
      });
  pickles(fit);

  using face::Estimate;
  auto estimate = public_class<Estimate>(module, "Estimate", "A face in a frame of a video.");
  estimate.def_readonly("found", &Estimate::found, "False: there is no face, or its fit failed.")
      .def_readonly("person", &Estimate::person,
                    "The number of the person, from 1; 0 if not found, or where one face is followed.")
      .def_readonly("time", &Estimate::time, "As given to track(), seconds.")
      .def_readonly("why", &Estimate::why, "If not found: the reason.")
      .def_readonly("confidence", &Estimate::confidence, "0 to 1: 1 - probability of failure.")
      .def_readonly("detected", &Estimate::detected, "Started anew, not from the frame before.")
      .def_readonly("fit", &Estimate::fit, "Of this frame alone; if not found, the best that was tried.")
      .def_property_readonly(
          "landmarks", [](const Estimate& own) { return pairs(own.landmarks); },
          "float32 (L, 2), smoothed if asked for; empty if not found.")
      .def_readonly("head", &Estimate::head, "The HeadPose; None if not found, or for other models than 68 landmarks.")
      .def_property_readonly(
          "times", [](const Estimate& own) { return milliseconds(own.times); }, "Milliseconds by stage.")
      .def("__repr__", [](const Estimate& own) {
        std::string text = "Estimate(time=" + number(own.time, 6) + ", " + outcome(own.found, own.why);
        if (own.found) {
          text += ", " + counted(own.landmarks.size() / 2, "landmark") + ", confidence=" + number(own.confidence, 2);
        }
        return text + ")";
      });
  pickles(estimate);
}

}  // namespace

void bind_face(py::module_& module) {
  bind_model(module);
  bind_refine(module);
  bind_fit(module);
  bind_settings(module);

  const face::FitSettings fits;
  auto fitter = public_class<Fitter>(module, "Fitter", R"(Fits a model to images.

score     probability of failure and confidences, if the model has them
starts    number of starts of the cascade, of which the median is taken
backend   'auto', 'reference', 'cpu' or 'cuda'
threads   0: one per core. Results do not depend on it
devices   GPUs: 'all', '0,2' or numbers; None: the first)");
  fitter
      .def(py::init([](const SharedModel& model, bool score, int starts, const std::string& backend, int threads,
                       const py::object& devices) {
             face::FitSettings settings;
             settings.score = score;
             settings.starts = starts;
             return std::make_unique<Fitter>(model, settings, compute_of(backend, threads, devices));
           }),
           py::arg("model"), py::kw_only(), py::arg("score") = fits.score, py::arg("starts") = fits.starts,
           py::arg("backend") = "auto", py::arg("threads") = 0, py::arg("devices") = py::none(), "See the class.")
      .def("fit", &Fitter::fit, py::arg("image"), py::kw_only(), py::arg("box") = py::none(),
           py::arg("detector") = true, py::arg("landmarks") = py::none(), py::arg("again") = false,
           R"(The Fit to an image: uint8 (H, W). Releases the GIL.

With the backend 'cuda' and one GPU, also an array in its memory, such as a tensor of PyTorch.

box        where to start: (x, y, width, height), from a face detector, or (detector=False) around the landmarks
landmarks  alternatively: float32 (L, 2), of which position, size and rotation are used
again      try other starts if the fit looks failed)")
      .def_property_readonly("backend", &Fitter::backend, "What runs: 'reference', 'cpu' or 'cuda'.")
      .def_property_readonly("stages", &Fitter::stages, "Where each stage runs: a list of (method, backend).");

  const face::TrackerSettings defaults;
  auto tracker = public_class<Tracker>(module, "Tracker", R"(Follows a face through the frames of a video.

detect     called with a uint8 (H, W) image when the face must be detected: a list of boxes (x, y, width, height); None:
           a lost face is searched for at its last position, else start() says where
lost       a fit with a higher probability of failure is lost
smoothing  cutoff for a face at rest, hertz; 0: no smoothing
field_of_view  of the camera across the frame, radians: for the pose of the head
eye_distance   between the outer corners of the person's eyes, metres
head_smoothing cutoff for the pose of a head at rest, hertz; 0: no smoothing
backend    'auto', 'reference', 'cpu' or 'cuda'
order      of the channels of colour frames: 'rgb', or 'bgr' as in OpenCV
threads    0: one per core. Results do not depend on it
devices    GPUs: 'all', '0,2' or numbers; None: the first
people     how many faces are followed at most, each with a number; 0: all, up to 30)");
  tracker
      .def(py::init([](const SharedModel& model, const PythonDetect& detect, double lost, double smoothing,
                       const std::string& backend, const std::string& order, int threads, double field_of_view,
                       double eye_distance, double head_smoothing, const py::object& devices, int people) {
             face::TrackerSettings settings{.model = model, .people = people, .detect = boxes_by(detect)};
             settings.lost = lost;
             settings.smoothing = smoothing;
             settings.head->field_of_view = field_of_view;
             settings.head->eye_distance = eye_distance;
             settings.head_smoothing = head_smoothing;
             return std::make_unique<Tracker>(settings, compute_of(backend, threads, devices), order);
           }),
           py::arg("model"), py::kw_only(), py::arg("detect") = nullptr, py::arg("lost") = defaults.lost,
           py::arg("smoothing") = defaults.smoothing, py::arg("backend") = "auto", py::arg("order") = "rgb",
           py::arg("threads") = 0, py::arg("field_of_view") = face::HeadPoseSettings{}.field_of_view,
           py::arg("eye_distance") = face::HeadPoseSettings{}.eye_distance,
           py::arg("head_smoothing") = defaults.head_smoothing, py::arg("devices") = py::none(),
           py::arg("people") = defaults.people, "See the class.")
      .def_property_readonly(
          "people", [](Tracker& own) { return own.locked([](face::Tracker& inner) { return inner.people(); }); },
          "The Estimates of everybody in the last frame, by number; one that says why if there is nobody.")
      .def("track", &Tracker::track, py::arg("image"), py::arg("time"),
           "The Estimate of an image: uint8 (H, W), (H, W, 3) or (H, W, 4), seconds. Releases the GIL.")
      .def("start", &Tracker::start, py::kw_only(), py::arg("box") = py::none(), py::arg("detector") = true,
           py::arg("landmarks") = py::none(), "Where the face is in the next frame, whatever came before.")
      .def_property_readonly("stages", &Tracker::stages, "Where each stage runs: a list of (method, backend).");
  bind_members(tracker);
  tracker.def(
      "set_neutral", [](Tracker& own) { own.locked([](auto& inner) { inner.set_neutral(); }); },
      "The next second shows the neutral face, with open eyes, which expressions count from.");
}

}  // namespace kinema::python
