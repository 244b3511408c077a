// kinema.body: the tracker, its settings and estimates, and its output files.
#include "kinema/body_tracker.h"

#include "arrays.h"
#include "body_settings.h"
#include "kinema/error.h"
#include "kinema/poses.h"
#include "module.h"
#include "pickle.h"
#include "recording.h"
#include "shared.h"
#include "texts.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <array>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace kinema::python {
namespace {

class Tracker : public SharedTracker<body::Tracker> {
public:
  using SharedTracker::SharedTracker;

  body::Estimate track(const py::object& depth, double time) {
    const Depth image(depth);
    return tracked(time, [&](body::Tracker& tracker) { return tracker.track(image.view, time); });
  }

  body::Estimate track_points(const py::object& points, double time, const py::object& background) {
    const Points given(points, background);
    return tracked(time, [&](body::Tracker& tracker) { return tracker.track(given.view, time); });
  }

  body::Estimate track_pair(const py::object& left, const py::object& right, double time) {
    const Grey left_image(left), right_image(right);
    return tracked(time,
                   [&](body::Tracker& tracker) { return tracker.track(left_image.view, right_image.view, time); });
  }

  void set_background(const py::object& depth) {
    const Depth image(depth);
    locked([&](body::Tracker& tracker) { tracker.set_background(image.view); });
  }

  py::tuple points() {
    return cloud_arrays(locked([](body::Tracker& tracker) { return tracker.points(); }));
  }

  std::optional<FloorNumbers> floor() {
    return floor_numbers(locked([](body::Tracker& tracker) { return tracker.floor(); }));
  }
};

// In the order of the enumeration.
constexpr std::array<std::string_view, 3> cut_out_words = {"auto", "yes", "no"};

void bind_settings(py::module_& module) {
  using Settings = body::TrackerSettings;
  auto settings = public_class<Settings>(
      module, "TrackerSettings", "What a Tracker is made with; by name: TrackerSettings(lag=0, particles=500).");
  settings
      .def(py::init([](const py::kwargs& values) { return changed(std::nullopt, values); }),
           "Settings by name; the others have their defaults.")
      .def_readwrite("people", &Settings::people,
                     "How many are followed at most, each with a number; 1: the one most like a person, 0: all.")
      .def_readwrite("camera", &Settings::camera, "Of depth images and stereo pairs; not needed for clouds.")
      .def_readwrite("baseline", &Settings::baseline,
                     "Metres between the cameras of a stereo pair; above 0: depth comes from such pairs.")
      .def_readwrite("skeleton", &Settings::skeleton, "The person; by default an average human.")
      .def_readwrite("fit_shape", &Settings::fit_shape,
                     "Fit lengths and radii of the skeleton to the person who is seen.")
      .def_readwrite("height_known", &Settings::height_known,
                     "The skeleton is as tall as the person: fit_shape fits proportions only.")
      .def_readwrite("lag", &Settings::lag, "How many later frames correct an estimate before it is settled; 0: none.")
      .def_readwrite("particles", &Settings::particles, "Poses tried in a layer; 0: what this machine holds.")
      .def_readwrite("layers", &Settings::layers, "Annealing layers.")
      .def_readwrite("refined", &Settings::refined, "Poses that are refined by least squares; 0: none.")
      .def_readwrite("rivals", &Settings::rivals, "Alternative poses that each frame is held against; 0: none.")
      .def_readwrite("independent_points", &Settings::independent_points,
                     "The number of a frame's points that count as independent evidence.")
      .def_readwrite(
          "tempered", &Settings::tempered,
          "Weights are the likelihood to the power of independent_points over the number of points; False: the "
          "likelihood itself.")
      .def_readwrite("unperturbed_particle", &Settings::unperturbed_particle, "One particle is moved without noise.")
      .def_readwrite("steady", &Settings::steady,
                     "The estimate at once is held to the motion of the last frames; False: the mean of the particles.")
      .def_readwrite("rest_cutoff", &Settings::rest_cutoff,
                     "Cutoff of joints at rest in immediate estimates, hertz; lower is steadier, 0: no low pass.")
      .def_readwrite("sensor_noise", &Settings::sensor_noise,
                     "Standard deviation of a depth at 1 m, metres; it grows with the square of the distance.")
      .def_readwrite("shared_noise", &Settings::shared_noise,
                     "The part of it that all points have in common, as those of matched stereo pairs do.")
      .def_readwrite("points", &Settings::points, "Of the person that are kept of a frame; 0: what this machine holds.")
      .def_readwrite("background_points", &Settings::background_points,
                     "Likewise of the rays that see past the person.")
      .def_readwrite("seed", &Settings::seed, "The same gives the same bits.")
      .def_property(
          "nearest", [](const Settings& own) { return own.foreground.nearest; },
          [](Settings& own, double metres) { own.foreground.nearest = metres; }, "Nearer depths are nobody's, metres.")
      .def_property(
          "farthest", [](const Settings& own) { return own.foreground.farthest; },
          [](Settings& own, double metres) { own.foreground.farthest = metres; }, "Depths beyond are nobody's, metres.")
      .def_property(
          "planes", [](const Settings& own) { return own.foreground.planes; },
          [](Settings& own, bool planes) { own.foreground.planes = planes; }, "Find floor and walls, and remove them.")
      .def_property(
          "cut_out",
          [](const Settings& own) { return cut_out_words[static_cast<std::size_t>(own.foreground.cut_out)]; },
          [](Settings& own, const std::string& word) {
            own.foreground.cut_out = static_cast<body::CutOut>(number_of(word, "cut_out", cut_out_words));
          },
          "Whether depth images hold only the person: 'auto', 'yes' or 'no'. Empty pixels are then rays past the "
          "person.")
      .def("__repr__", &text_of_settings<Settings>);
  pickles(settings);
  module.def("paper_settings", &body::paper_settings, "The plain filter of the paper; see docs/body-method.md.");
  module.def(
      "settings_for",
      [](const Recording& recording, const py::kwargs& changes) {
        return body::settings_for(recording.source(), changed(std::nullopt, changes));
      },
      py::arg("recording"),
      "TrackerSettings for a recording: with its camera, and the person of its skeleton.json where there is one.");
}

// Nothing once it is closed. It writes without the GIL: the file may be a pipe that another thread reads.
class PosesWriter : public Shared<std::optional<io::PosesWriter>> {
public:
  PosesWriter(const std::filesystem::path& path, const body::Skeleton& skeleton, bool people)
      : Shared(std::in_place, path, skeleton, people), path_(path) {}

  void add(const body::Estimate& estimate) {
    locked([&](auto& writer) {
      require_open(writer).add(estimate);
      ++added_;
    });
  }

  void commit() {
    locked([&](auto& writer) {
      require_open(writer).commit();
      writer.reset();
    });
  }

  // Leaves what was written so far in NAME.partial.
  void abandon() {
    locked([](auto& writer) { writer.reset(); });
  }

  std::string text() {
    return locked([&](auto& writer) {
      return "PosesWriter('" + path_.string() + "', " + counted(added_, "frame") + (writer ? ", not committed" : "") +
             ")";
    });
  }

private:
  io::PosesWriter& require_open(std::optional<io::PosesWriter>& writer) const {
    if (!writer) throw Error(path_.string() + ": this writer is closed; another one starts the file anew");
    return *writer;
  }

  std::filesystem::path path_;
  std::size_t added_ = 0;
};

// What the tracker knows of the scene, and how much of it it uses.
void bind_scene(py::class_<Tracker>& tracker) {
  tracker
      .def("set_background", &Tracker::set_background, py::arg("depth"),
           "A depth image of the scene without the person, for a surer outline: float32 (H, W), metres.")
      .def_property_readonly("floor", &Tracker::floor,
                             R"(The floor: (x, y, z, offset); None where none is seen.

x, y, z is its unit normal, and x X + y Y + z Z + offset the height of a point above it.)")
      .def_property_readonly("points", &Tracker::points,
                             R"(The person in the last frame: points and marks, float32 (I, 3) and bool (I,).

Marked points are where rays past the person ended.)")
      .def(
          "set_counts",
          [](Tracker& own, std::size_t particles, std::size_t points, int search_rest) {
            own.locked([&](auto& inner) { inner.set_counts({particles, points, search_rest}); });
          },
          py::arg("particles") = 0, py::arg("points") = 0, py::arg("search_rest") = 1,
          R"(Other numbers of particles and points from the next frame on; 0: what this machine holds.

search_rest: rivals of the pose are looked for this many times more rarely than usual.)");
}

void bind_writer(py::module_& module) {
  auto writer = public_class<PosesWriter>(module, "PosesWriter",
                                          R"(Writes estimates to poses.jsonl, or a table where the name ends in .csv.

The file appears at commit(); until then its lines stand in NAME.partial.

    with PosesWriter("poses.jsonl", tracker.skeleton) as poses:
        poses.add(estimate)

commits at the end of the block, unless an exception leaves it.)");
  writer
      .def(py::init<const std::filesystem::path&, const body::Skeleton&, bool>(), py::arg("path"), py::arg("skeleton"),
           py::arg("people") = false, R"(The file, and the person whose joints it names: Tracker.skeleton.

people: lines have the numbers of people.)")
      .def("add", &PosesWriter::add, py::arg("estimate"), "Writes a frame, also one in which nobody was found.")
      .def("commit", &PosesWriter::commit, "The file is complete: NAME.partial takes its name.")
      .def(
          "__enter__", [](py::object self) { return self; }, "Itself.")
      .def(
          "__exit__",
          [](PosesWriter& own, const py::object& type, const py::object&, const py::object&) {
            if (type.is_none())
              own.commit();
            else
              own.abandon();
          },
          py::arg("type"), py::arg("value"), py::arg("traceback"), "Commits, unless there is an exception.")
      .def("__repr__", &PosesWriter::text);
}

}  // namespace

body::TrackerSettings changed(const std::optional<body::TrackerSettings>& settings, const py::kwargs& changes) {
  const py::object object = py::cast(settings.value_or(body::TrackerSettings{}));
  for (const auto& [name, value] : changes) {
    try {
      py::setattr(object, name, value);
    } catch (const py::error_already_set& error) {
      if (!error.matches(PyExc_TypeError)) throw;
      // pybind11's own message does not say which of the settings it is about
      throw py::type_error(py::str("the setting {} cannot be {!r}").format(name, value));
    }
  }
  return object.cast<body::TrackerSettings>();
}

void bind_body_tracker(py::module_& module) {
  bind_settings(module);
  bind_writer(module);

  auto tracker =
      public_class<Tracker>(module, "Tracker", R"(Follows a person, or several, through the frames of one camera.

Tracker(settings=None, backend='auto', **changes): TrackerSettings, 'auto', 'reference', 'cpu' or 'cuda', and any of the
settings by name.

The first frame, and any after the person was lost, starts a search. The GIL is released while it runs.)");
  tracker
      .def(py::init([](const std::optional<body::TrackerSettings>& settings, const std::string& backend, int threads,
                       const py::object& devices, const py::kwargs& changes) {
             return std::make_unique<Tracker>(changed(settings, changes), compute_of(backend, threads, devices));
           }),
           py::arg("settings") = py::none(), py::arg("backend") = "auto", py::arg("threads") = 0,
           py::arg("devices") = py::none(), "See the class.")
      .def("track", &Tracker::track, py::arg("depth"), py::arg("time"),
           "The Estimate of a depth image: float32 (H, W), metres, 0 where nothing was measured; time in seconds.")
      .def("track_points", &Tracker::track_points, py::arg("points"), py::arg("time"),
           py::arg("background") = py::none(),
           "The Estimate of a cloud: float32 (I, 3), with marks where rays past the person are known.")
      .def("track_pair", &Tracker::track_pair, py::arg("left"), py::arg("right"), py::arg("time"),
           "The Estimate of a rectified stereo pair: uint8 (H, W) each.")
      .def_property_readonly(
          "people", [](Tracker& own) { return own.locked([](auto& inner) { return inner.people(); }); },
          R"(The Estimates of everybody in the last frame, by their numbers; one that says why if there is nobody.

track() gives the first of them.)")
      .def(
          "choose", [](Tracker& own, double x, double y) { own.locked([&](auto& inner) { inner.choose(x, y); }); },
          py::arg("x"), py::arg("y"),
          R"(Follows whoever is at this pixel of the next frame; of several people, first of all.

Where one person is followed, nobody else is until somebody is there.)")
      .def(
          "settled", [](Tracker& own) { return own.locked([](auto& inner) { return inner.settled(); }); },
          R"(Estimates that `lag` later frames have settled since the last call, oldest first.

Each frame comes back once, with corrected joints and deviations; of several people all of a frame, one after another.)")
      .def(
          "finish", [](Tracker& own) { return own.ended([](auto& inner) { return inner.finish(); }); },
          "Settles all frames that are left.")
      .def(
          "keep_up", [](Tracker& own, double fps) { own.locked([&](auto& inner) { inner.keep_up(fps); }); },
          py::arg("fps"), R"(Keeps up with a live source of this many frames per second.

track() measures itself, and takes fewer particles and points while frames take too long or the source drops some.
Numbers that the settings gave are kept.)")
      .def_property_readonly(
          "pace",
          [](Tracker& own) {
            const body::PaceCounts pace = own.locked([](auto& inner) { return inner.pace(); });
            return std::tuple(pace.particles, pace.points, pace.search_rest);
          },
          "What keep_up() chose: particles, points, and how many times rarer searches for rivals are than usual.")
      .def(
          "set_faces",
          [](Tracker& own, const std::vector<body::FaceObservation>& faces, double ms) {
            own.locked([&](auto& inner) { inner.set_faces(faces, ms); });
          },
          py::arg("faces"), py::arg("ms") = 0.0,
          R"(FaceObservations of the next frame, which tell the person's front from the back.

See kinema.person.FaceObserver. None: the points alone decide. ms: what looking for them took, for keep_up().)")
      .def_property_readonly(
          "skeleton",
          [](Tracker& own) { return own.locked([](auto& inner) { return body::Skeleton(inner.skeleton()); }); },
          "The person as fitted so far.");
  bind_scene(tracker);
  bind_members(tracker);
}

}  // namespace kinema::python
