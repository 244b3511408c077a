// kinema.body: the tracker, its settings and estimates, and its output files.
#include "kinema/body_tracker.h"

#include "arrays.h"
#include "body_settings.h"
#include "compute.h"
#include "kinema/error.h"
#include "kinema/poses.h"
#include "module.h"
#include "recording.h"
#include "shared_tracker.h"

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <memory>
#include <tuple>

namespace kinema::python {
namespace {

class Tracker : public SharedTracker<body::Tracker> {
public:
  using SharedTracker::SharedTracker;

  body::Estimate track(const py::object& depth, double time) {
    const py::array kept = floats(depth, "depth", 2, 0, "(H, W)");
    const auto width = static_cast<std::size_t>(kept.shape(1)), height = static_cast<std::size_t>(kept.shape(0));
    const ImageView<const float> image{static_cast<const float*>(kept.data()), width, height, width};
    return locked([&](body::Tracker& tracker) { return tracker.track(image, time); });
  }

  body::Estimate track_points(const py::object& points, double time, const py::object& background) {
    const Points given(points, background);
    return locked([&](body::Tracker& tracker) { return tracker.track(given.view, time); });
  }

  body::Estimate track_pair(const py::object& left, const py::object& right, double time) {
    const Grey left_image(left), right_image(right);
    return locked([&](body::Tracker& tracker) { return tracker.track(left_image.view, right_image.view, time); });
  }
};

std::string word_of(body::CutOut cut_out) {
  if (cut_out == body::CutOut::automatic) return "auto";
  return cut_out == body::CutOut::yes ? "yes" : "no";
}

body::CutOut parse_cut_out(const std::string& word) {
  for (const body::CutOut cut_out : {body::CutOut::automatic, body::CutOut::yes, body::CutOut::no}) {
    if (word == word_of(cut_out)) return cut_out;
  }
  throw Error("cut_out must be 'auto', 'yes' or 'no', not '" + word + "'");
}

void bind_settings(py::module_& module) {
  using Settings = body::TrackerSettings;
  py::class_<Settings> settings(module, "TrackerSettings",
                                R"(What a Tracker is made with; by name: TrackerSettings(lag=0, particles=500).

camera              of depth images and stereo pairs; not needed for clouds
baseline            metres between the cameras of a stereo pair; above 0: depth comes from such pairs
skeleton            the person; by default an average human
fit_shape           fit lengths and radii of the skeleton to the person who is seen
height_known        the skeleton is as tall as the person: fit_shape fits proportions only
lag                 how many later frames correct an estimate before it is settled; 0: none
particles           poses tried in a layer; 0: what this machine holds
layers              annealing layers
refined             poses that are refined by least squares; 0: none
rivals              alternative poses that each frame is held against; 0: none
independent_points  the number of a frame's points that count as independent evidence
tempered            weights are the likelihood to the power of independent_points over the number of points; False: the
                    likelihood itself
unperturbed_particle  one particle is moved without noise
steady              the estimate at once is held to the motion of the last frames; False: the mean of the particles
rest_cutoff         cutoff of joints at rest in immediate estimates, hertz; lower is steadier, 0: no low pass
sensor_noise        standard deviation of a depth at 1 m, metres; it grows with the square of the distance
shared_noise        the part of it that all points have in common, as those of matched stereo pairs do
points              of the person that are kept of a frame; 0: what this machine holds
background_points   likewise of the rays that see past the person
nearest, farthest   depths outside are nobody's, metres
planes              find floor and walls, and remove them
cut_out             whether depth images hold only the person, so that empty pixels are rays past the person: 'auto', 'yes' or 'no'
seed                the same gives the same bits)");
  settings.attr("__module__") = "kinema.body";
  settings.def(py::init([](const py::kwargs& values) { return changed(std::nullopt, values); }))
      .def_readwrite("camera", &Settings::camera)
      .def_readwrite("baseline", &Settings::baseline)
      .def_readwrite("skeleton", &Settings::skeleton)
      .def_readwrite("fit_shape", &Settings::fit_shape)
      .def_readwrite("height_known", &Settings::height_known)
      .def_readwrite("lag", &Settings::lag)
      .def_readwrite("particles", &Settings::particles)
      .def_readwrite("layers", &Settings::layers)
      .def_readwrite("refined", &Settings::refined)
      .def_readwrite("rivals", &Settings::rivals)
      .def_readwrite("independent_points", &Settings::independent_points)
      .def_readwrite("tempered", &Settings::tempered)
      .def_readwrite("unperturbed_particle", &Settings::unperturbed_particle)
      .def_readwrite("steady", &Settings::steady)
      .def_readwrite("rest_cutoff", &Settings::rest_cutoff)
      .def_readwrite("sensor_noise", &Settings::sensor_noise)
      .def_readwrite("shared_noise", &Settings::shared_noise)
      .def_readwrite("points", &Settings::points)
      .def_readwrite("background_points", &Settings::background_points)
      .def_readwrite("seed", &Settings::seed)
      .def_property(
          "nearest", [](const Settings& own) { return own.foreground.nearest; },
          [](Settings& own, double metres) { own.foreground.nearest = metres; })
      .def_property(
          "farthest", [](const Settings& own) { return own.foreground.farthest; },
          [](Settings& own, double metres) { own.foreground.farthest = metres; })
      .def_property(
          "planes", [](const Settings& own) { return own.foreground.planes; },
          [](Settings& own, bool planes) { own.foreground.planes = planes; })
      .def_property(
          "cut_out", [](const Settings& own) { return word_of(own.foreground.cut_out); },
          [](Settings& own, const std::string& word) { own.foreground.cut_out = parse_cut_out(word); });
  module.def("paper_settings", &body::paper_settings, "The plain filter of the paper; see docs/tracking.md.");
  module.def(
      "settings_for",
      [](const Recording& recording, const py::kwargs& changes) {
        return body::settings_for(*recording.frames, changed(std::nullopt, changes));
      },
      py::arg("recording"),
      "TrackerSettings for a recording: with its camera, and the person of its skeleton.json where there is one.");
}

void bind_estimate(py::module_& module) {
  using body::Estimate;
  py::class_<Estimate> estimate(module, "Estimate", "Where the person is in a frame, and how sure that is.");
  estimate.attr("__module__") = "kinema.body";
  estimate.def_readonly("frame", &Estimate::frame, "Its number: that of a recorded frame, else counted from 0.")
      .def_readonly("time", &Estimate::time, "Seconds, of the frame.")
      .def_readonly("found", &Estimate::found,
                    "False: no person, or lost; of the rest only why and times then say anything.")
      .def_readonly("why", &Estimate::why, "Where not found: the reason.")
      .def_readonly("confidence", &Estimate::confidence,
                    "0 to 1: the share of the points' squared distances that the pose explains.")
      .def_property_readonly(
          "joints", [](const Estimate& own) { return array_of(own.joints); },
          "Positions, float64 (joints, 3), metres in the camera's frame.")
      .def_property_readonly(
          "deviation", [](const Estimate& own) { return array_of(own.deviation); },
          "Of each joint the standard deviation along each axis, metres: float64 (joints,).")
      .def_property_readonly(
          "shape_deviation", [](const Estimate& own) { return array_of(own.shape_deviation); },
          R"(The part of deviation that comes from the person's proportions: float64 (joints,).

It is nearly the same in consecutive frames. Empty where the skeleton is given.)")
      .def_property_readonly(
          "angles", [](const Estimate& own) { return array_of(own.pose.angles); }, "Radians, by joint and freedom.")
      .def_property_readonly(
          "anatomical",
          [](const Estimate& own) {
            py::dict angles;
            for (const body::AnatomicalAngle& angle : own.anatomical) {
              angles[py::str(std::string(angle.name))] = py::make_tuple(angle.value, angle.deviation);
            }
            return angles;
          },
          "Joint angles by the ISB's conventions and their standard deviations, radians: {name: (angle, deviation)}.")
      .def_property_readonly(
          "position",
          [](const Estimate& own) {
            const Vec3& p = own.pose.position;
            return py::make_tuple(p.x, p.y, p.z);
          },
          "Of the pelvis.")
      .def_property_readonly(
          "rotation",
          [](const Estimate& own) {
            const Quaternion& q = own.pose.rotation;
            return py::make_tuple(q.w, q.x, q.y, q.z);
          },
          "Of the pelvis: a quaternion w, x, y, z.")
      .def_readonly("log_likelihood", &Estimate::log_likelihood,
                    "Of the likeliest particle: the sum of eq. 3 over all points, without its constant.")
      .def_readonly("effective_sample_size", &Estimate::effective_sample_size)
      .def_property_readonly(
          "skeleton", [](const Estimate& own) { return own.skeleton ? *own.skeleton : body::Skeleton(); },
          "The person that the pose belongs to, as fitted so far.")
      .def_readonly("faces", &Estimate::faces, "FaceObservations that were given with the frame.")
      .def_property_readonly(
          "times",
          [](const Estimate& own) {
            py::dict ms;
            for (const StageTime& time : own.times) ms[py::str(time.stage)] = time.ms;
            return ms;
          },
          "Where the time went: milliseconds by stage.");
}

void bind_writer(py::module_& module) {
  py::class_<io::PosesWriter> writer(module, "PosesWriter",
                                     R"(Writes estimates to poses.jsonl, or a table where the name ends in .csv.

The file appears at commit(); until then its lines stand in NAME.partial.)");
  writer.attr("__module__") = "kinema.body";
  writer.def(py::init<const std::filesystem::path&, const body::Skeleton&>(), py::arg("path"), py::arg("skeleton"))
      .def("add", &io::PosesWriter::add, py::arg("estimate"))
      .def("commit", &io::PosesWriter::commit);
}

}  // namespace

body::TrackerSettings changed(const std::optional<body::TrackerSettings>& settings, const py::kwargs& changes) {
  // attributes reject wrong names and types with Python's own messages
  const py::object object = py::cast(settings.value_or(body::TrackerSettings{}));
  for (const auto& [name, value] : changes) py::setattr(object, name, value);
  return object.cast<body::TrackerSettings>();
}

void bind_body_tracker(py::module_& module) {
  bind_settings(module);
  bind_estimate(module);
  bind_writer(module);

  py::class_<Tracker> tracker(module, "Tracker", R"(Follows a person through the frames of one camera.

Tracker(settings=None, backend='auto', **changes): TrackerSettings, 'auto', 'reference', 'cpu' or 'cuda', and any of the
settings by name.

The first frame, and any after the person was lost, starts a search. The GIL is released while it runs.)");
  tracker.attr("__module__") = "kinema.body";
  tracker
      .def(py::init([](const std::optional<body::TrackerSettings>& settings, const std::string& backend, int threads,
                       const py::object& devices, const py::kwargs& changes) {
             return std::make_unique<Tracker>(changed(settings, changes), compute_of(backend, threads, devices));
           }),
           py::arg("settings") = py::none(), py::arg("backend") = "auto", py::arg("threads") = 0,
           py::arg("devices") = py::none())
      .def("track", &Tracker::track, py::arg("depth"), py::arg("time"),
           "The Estimate of a depth image: float32 (H, W), metres, 0 where nothing was measured; time in seconds.")
      .def("track_points", &Tracker::track_points, py::arg("points"), py::arg("time"),
           py::arg("background") = py::none(),
           "The Estimate of a cloud: float32 (I, 3), with marks where rays past the person are known.")
      .def("track_pair", &Tracker::track_pair, py::arg("left"), py::arg("right"), py::arg("time"),
           "The Estimate of a rectified stereo pair: uint8 (H, W) each.")
      .def(
          "settled", [](Tracker& own) { return own.locked([](auto& inner) { return inner.settled(); }); },
          R"(Estimates that `lag` later frames have settled since the last call, oldest first.

Each frame comes back once, with corrected joints and deviations.)")
      .def(
          "finish", [](Tracker& own) { return own.locked([](auto& inner) { return inner.finish(); }); },
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
  bind_members(tracker);
}

}  // namespace kinema::python
