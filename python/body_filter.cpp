// kinema.body: the parts of the tracker: foreground, filter and smoother.
#include "kinema/body_filter.h"

#include "arrays.h"
#include "body_settings.h"
#include "compute.h"
#include "kinema/body_smoother.h"
#include "kinema/foreground.h"
#include "module.h"
#include "shared_tracker.h"
#include "texts.h"

#include <pybind11/stl.h>

#include <memory>
#include <mutex>

namespace kinema::python {
namespace {

using body::Skeleton;

py::object skin_array(std::vector<float> capsules) {
  const auto count = static_cast<py::ssize_t>(capsules.size() / body::capsule_floats);
  return array_of(std::move(capsules), {count, static_cast<py::ssize_t>(body::capsule_floats)});
}

// Expected capsules, or None.
std::span<const float> expected_capsules(const py::object& expected, py::array& kept) {
  if (expected.is_none()) return {};
  kept = floats(expected, "expected", 2, static_cast<py::ssize_t>(body::capsule_floats), "(K, 7)");
  return {static_cast<const float*>(kept.data()), static_cast<std::size_t>(kept.size())};
}

py::tuple cloud_arrays(PointCloud cloud) {
  const auto count = static_cast<py::ssize_t>(cloud.size());
  const py::array marks = array_of(std::move(cloud.background));
  return py::make_tuple(array_of(std::move(cloud.xyz), {count, 3}), marks.attr("view")(py::dtype::of<bool>()));
}

// A floor in Python's form: its unit normal and offset.
using FloorNumbers = std::tuple<double, double, double, double>;

// A foreground that Python threads may share: without the GIL, two could use it at once.
class Foreground {
public:
  Foreground(const Camera& camera, const body::ForegroundSettings& settings, int threads)
      : foreground_(camera, settings, Compute(Backend::cpu, threads)) {}

  void set_background(const py::object& depth) {
    const Depth image(depth);
    const py::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    foreground_.set_background(image.view);
  }

  py::tuple cut(const py::object& depth, const py::object& expected) {
    const Depth image(depth);
    return cut_any(image.view, expected);
  }

  py::tuple cut_points(const py::object& points, const py::object& background, const py::object& expected) {
    const Points given(points, background);
    return cut_any(given.view, expected);
  }

  std::optional<FloorNumbers> floor() {
    const py::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    const std::optional<Plane> plane = foreground_.floor();
    if (!plane) return std::nullopt;
    return FloorNumbers{plane->normal.x, plane->normal.y, plane->normal.z, plane->offset};
  }

private:
  template <class Seen>
  py::tuple cut_any(const Seen& seen, const py::object& expected) {
    py::array kept;
    const std::span<const float> capsules = expected_capsules(expected, kept);
    PointCloud cloud;
    {
      const py::gil_scoped_release release;
      const std::scoped_lock lock(mutex_);
      cloud = foreground_.cut(seen, capsules);
    }
    return cloud_arrays(std::move(cloud));
  }

  body::Foreground foreground_;
  std::mutex mutex_;
};

class Filter {
public:
  Filter(const body::TrackerSettings& settings, const Compute& compute)
      : backend_(choose(compute.backend)), settings_(settings) {
    body::fill_in(settings_, backend_);
    filter_ = body::make_filter(settings_, compute);
  }

  const body::TrackerSettings& settings() const { return settings_; }
  std::string backend() const { return std::string(name(backend_)); }

  body::Estimate track(double time, const py::object& points, const py::object& background,
                       const std::optional<FloorNumbers>& floor) {
    const Points given(points, background);
    body::Frame frame{time, given.view, {}};
    if (floor) {
      const auto& [x, y, z, offset] = *floor;
      frame.floor = Plane{{x, y, z}, offset, true};
    }
    const py::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    clock_.advance(time);
    body::Estimate estimate = filter_->track(frame);
    estimate.frame = frames_++;
    estimate.skeleton = std::make_shared<Skeleton>(filter_->skeleton());
    skin_ = estimate.found ? body::pose_capsules(filter_->skeleton(), estimate.pose) : std::vector<float>();
    return estimate;
  }

  // The GIL is released before the mutex is waited for: track() holds it, and takes the GIL to warn of a lost device.
  Skeleton skeleton() {
    const py::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    return filter_->skeleton();
  }

  py::object skin() {
    std::vector<float> skin;
    {
      const py::gil_scoped_release release;
      const std::scoped_lock lock(mutex_);
      skin = skin_;
    }
    return skin.empty() ? py::none() : skin_array(std::move(skin));
  }

private:
  Backend backend_;
  body::TrackerSettings settings_;
  std::unique_ptr<body::Filter> filter_;
  std::vector<float> skin_;  // of the last frame; empty if nobody was found
  std::int64_t frames_ = 0;
  Clock clock_;
  std::mutex mutex_;
};

class Smoother {
public:
  Smoother(Filter& filter, std::size_t lag)
      : filter_(filter), lag_(lag), smoother_(body::make_smoother(filter.settings(), lag)) {}

  std::size_t lag() const { return lag_; }

  std::vector<body::Estimate> add(double time, const py::object& points, const py::object& background,
                                  const body::Estimate& estimate) {
    const Points given(points, background);
    const Skeleton skeleton = filter_.skeleton();
    const py::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    return smoother_->add({time, given.view, {}}, estimate, skeleton);
  }

  std::vector<body::Estimate> finish() {
    const py::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    return smoother_->finish();
  }

private:
  Filter& filter_;
  std::size_t lag_;
  std::unique_ptr<body::Smoother> smoother_;
  std::mutex mutex_;
};

void bind_foreground(py::module_& module) {
  const body::ForegroundSettings defaults;
  py::class_<Foreground> foreground(module, "Foreground", R"(Cuts the person out of depth images or clouds.

camera              a Camera; for clouds any
nearest, farthest   depths outside are nobody's, metres
planes              find floor and walls, and remove them
gate                points this near to the expected skin are the person's, metres
points              at most this many of the person, evenly spread; 0: all
background_points   at most this many rays that see past it; 0: all
threads             0: one per core. Results do not depend on it)");
  foreground.attr("__module__") = "kinema.body";
  foreground
      .def(py::init([](const Camera& camera, double nearest, double farthest, bool planes, double gate,
                       std::size_t points, std::size_t background_points, int threads) {
             body::ForegroundSettings settings;
             settings.nearest = nearest;
             settings.farthest = farthest;
             settings.planes = planes;
             settings.gate = gate;
             settings.points = points;
             settings.background_points = background_points;
             return std::make_unique<Foreground>(camera, settings, threads);
           }),
           py::arg("camera"), py::kw_only(), py::arg("nearest") = defaults.nearest,
           py::arg("farthest") = defaults.farthest, py::arg("planes") = defaults.planes,
           py::arg("gate") = defaults.gate, py::arg("points") = defaults.points,
           py::arg("background_points") = defaults.background_points, py::arg("threads") = 0, "See the class.")
      .def("set_background", &Foreground::set_background, py::arg("depth"),
           "A depth image of the scene without the person.")
      .def("cut", &Foreground::cut, py::arg("depth"), py::arg("expected") = py::none(),
           R"(Points and marks for Filter.track, of a depth image: float32 (H, W), metres, 0 where nothing was measured.

expected: Filter.skin, where the person was last; None while it is looked for.)")
      .def("cut_points", &Foreground::cut_points, py::arg("points"), py::arg("background") = py::none(),
           py::arg("expected") = py::none(), "The same of a cloud: float32 (I, 3), and marks where there are any.")
      .def_property_readonly("floor", &Foreground::floor,
                             R"(The floor for Filter.track: (x, y, z, offset), None where none is seen.

x, y, z is its unit normal, and x X + y Y + z Z + offset the height of a point above it.)")
      .def("__repr__", [](Foreground& own) {
        return std::string(own.floor() ? "Foreground(floor known)" : "Foreground(no floor yet)");
      });
}

}  // namespace

void bind_body_filter(py::module_& module) {
  bind_foreground(module);

  py::class_<Filter> filter(module, "Filter",
                            R"(The particle filter beneath Tracker, for points that you cut out yourself.

Filter(settings=None, backend='auto', threads=0, devices=None, **changes): as Tracker.)");
  filter.attr("__module__") = "kinema.body";
  filter
      .def(py::init([](const std::optional<body::TrackerSettings>& settings, const std::string& backend, int threads,
                       const py::object& devices, const py::kwargs& changes) {
             return std::make_unique<Filter>(changed(settings, changes), compute_of(backend, threads, devices));
           }),
           py::arg("settings") = py::none(), py::arg("backend") = "auto", py::arg("threads") = 0,
           py::arg("devices") = py::none(), "See the class.")
      .def_property_readonly("backend", &Filter::backend, "The backend that was chosen.")
      .def_property_readonly("settings", &Filter::settings, "With what was left open filled in.")
      .def_property_readonly("skeleton", &Filter::skeleton, "The person as fitted so far.")
      .def_property_readonly(
          "skin", &Filter::skin,
          "Capsules of the last frame, float32 (K, 7): what a Foreground expects. None where nobody is.")
      .def("track", &Filter::track, py::arg("time"), py::arg("points"), py::arg("background") = py::none(),
           py::arg("floor") = py::none(),
           R"(The Estimate of the next frame: seconds, float32 (I, 3) and optionally marks for background points.

floor: Foreground.floor; it holds the size of a person who is not known.

The first frame, and any after the person was lost, starts a search. The GIL is released while it runs.)");

  py::class_<Smoother> smoother(module, "Smoother", R"(Estimates of a Filter, corrected by what was seen after them.

filter   whose estimates they are
lag      how many later frames correct an estimate)");
  smoother.attr("__module__") = "kinema.body";
  smoother
      .def(py::init<Filter&, std::size_t>(), py::arg("filter"), py::arg("lag") = std::size_t{15},
           py::keep_alive<1, 2>(), "See the class.")
      .def("add", &Smoother::add, py::arg("time"), py::arg("points"), py::arg("background"), py::arg("estimate"),
           R"(What Filter.track was given, and its estimate. Returns the Estimates that are settled by now.

Each that was added comes back once, in order.)")
      .def("finish", &Smoother::finish, "All that are not settled yet.")
      .def("__repr__", [](const Smoother& own) { return "Smoother(lag=" + std::to_string(own.lag()) + ")"; });
}

}  // namespace kinema::python
