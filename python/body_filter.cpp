// kinema.body: the parts of the tracker: foreground, filter and smoother.
#include "kinema/body_filter.h"

#include "arrays.h"
#include "body_settings.h"
#include "kinema/body_smoother.h"
#include "kinema/foreground.h"
#include "module.h"
#include "shared.h"
#include "texts.h"

#include <pybind11/stl.h>

#include <memory>

namespace kinema::python {
namespace {

using body::Skeleton;

// Expected capsules, or None.
std::span<const float> expected_capsules(const py::object& expected, py::array& kept) {
  if (expected.is_none()) return {};
  kept = floats(expected, "expected", 2, static_cast<py::ssize_t>(body::capsule_floats), "(K, 7)");
  return {static_cast<const float*>(kept.data()), static_cast<std::size_t>(kept.size())};
}

class Foreground : public Shared<body::Foreground> {
public:
  using Shared::Shared;

  void set_background(const py::object& depth) {
    const Depth image(depth);
    locked([&](body::Foreground& foreground) { foreground.set_background(image.view); });
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
    return floor_numbers(locked([](body::Foreground& foreground) { return foreground.floor(); }));
  }

private:
  template <class Seen>
  py::tuple cut_any(const Seen& seen, const py::object& expected) {
    py::array kept;
    const std::span<const float> capsules = expected_capsules(expected, kept);
    return cloud_arrays(locked([&](body::Foreground& foreground) { return foreground.cut(seen, capsules); }));
  }
};

// A filter, and what is asked of it between two frames.
struct FilterState {
  FilterState(const body::TrackerSettings& with, const Compute& compute)
      : backend(choose(compute.backend)), settings(with) {
    body::fill_in(settings, backend);
    filter = body::make_filter(settings, compute);
  }

  Backend backend;
  body::TrackerSettings settings;
  std::unique_ptr<body::Filter> filter;
  std::vector<float> skin;  // of the last frame; empty if nobody was found
  std::int64_t frames = 0;
};

class Filter : public SharedTracker<FilterState> {
public:
  using SharedTracker::SharedTracker;

  body::TrackerSettings settings() {
    return locked([](FilterState& state) { return state.settings; });
  }
  std::string backend() {
    return locked([](FilterState& state) { return std::string(name(state.backend)); });
  }

  body::Estimate track(double time, const py::object& points, const py::object& background,
                       const std::optional<FloorNumbers>& floor) {
    const Points given(points, background);
    body::Frame frame{time, given.view, {}};
    if (floor) {
      const auto& [x, y, z, offset] = *floor;
      frame.floor = Plane{{x, y, z}, offset, true};
    }
    return tracked(time, [&](FilterState& state) {
      body::Estimate estimate = state.filter->track(frame);
      estimate.frame = state.frames++;
      estimate.skeleton = std::make_shared<Skeleton>(state.filter->skeleton());
      state.skin = estimate.found ? body::pose_capsules(state.filter->skeleton(), estimate.pose) : std::vector<float>();
      return estimate;
    });
  }

  Skeleton skeleton() {
    return locked([](FilterState& state) { return Skeleton(state.filter->skeleton()); });
  }

  py::object skin() {
    std::vector<float> capsules = locked([](FilterState& state) { return state.skin; });
    if (capsules.empty()) return py::none();
    const auto count = static_cast<py::ssize_t>(capsules.size() / body::capsule_floats);
    return array_of(std::move(capsules), {count, static_cast<py::ssize_t>(body::capsule_floats)});
  }
};

class Smoother : public Shared<std::unique_ptr<body::Smoother>> {
public:
  Smoother(Filter& filter, std::size_t lag)
      : Shared(body::make_smoother(filter.settings(), lag)), filter_(filter), lag_(lag) {}

  std::size_t lag() const { return lag_; }

  std::vector<body::Estimate> add(double time, const py::object& points, const py::object& background,
                                  const body::Estimate& estimate) {
    const Points given(points, background);
    const Skeleton skeleton = filter_.skeleton();
    return locked([&](auto& smoother) { return smoother->add({time, given.view, {}}, estimate, skeleton); });
  }

  std::vector<body::Estimate> finish() {
    return locked([](auto& smoother) { return smoother->finish(); });
  }

private:
  Filter& filter_;
  std::size_t lag_;
};

void bind_foreground(py::module_& module) {
  const body::ForegroundSettings defaults;
  auto foreground = public_class<Foreground>(module, "Foreground", R"(Cuts the person out of depth images or clouds.

camera              a Camera; for clouds any
nearest, farthest   depths outside are nobody's, metres
planes              find floor and walls, and remove them
gate                points this near to the expected skin are the person's, metres
points              at most this many of the person, evenly spread; 0: all
background_points   at most this many rays that see past it; 0: all
threads             0: one per core. Results do not depend on it)");
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
             return std::make_unique<Foreground>(camera, settings, Compute(Backend::cpu, threads));
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

  auto filter = public_class<Filter>(module, "Filter",
                                     R"(The particle filter beneath Tracker, for points that you cut out yourself.

Filter(settings=None, backend='auto', threads=0, devices=None, **changes): as Tracker.)");
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

  auto smoother =
      public_class<Smoother>(module, "Smoother", R"(Estimates of a Filter, corrected by what was seen after them.

filter   whose estimates they are
lag      how many later frames correct an estimate)");
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
