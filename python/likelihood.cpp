// kinema.body.Likelihood: the likelihood of poses given one frame's points.
#include "kinema/body.h"

#include "arrays.h"
#include "module.h"
#include "shared.h"
#include "texts.h"

#include <pybind11/stl.h>

#include <array>
#include <memory>

namespace kinema::python {
namespace {

class Likelihood : public Shared<std::unique_ptr<body::Likelihood>> {
public:
  Likelihood(const body::LikelihoodSettings& settings, const Compute& compute)
      : Shared(body::make_likelihood(settings, compute)), backend_(choose(compute.backend)) {}

  std::string backend() const { return std::string(name(backend_)); }

  std::pair<std::size_t, std::size_t> set_points(const py::object& points, const py::object& background) {
    const Points given(points, background);
    const body::PointCount count = locked([&](auto& likelihood) { return likelihood->set_points(given.view); });
    return {count.used, count.dropped};
  }

  py::array_t<double> evaluate(const py::object& capsules) {
    const auto last = static_cast<py::ssize_t>(body::capsule_floats);
    const py::array array = floats(capsules, "capsules", 3, last, "(J, K, 7)");
    body::CapsulesView view;
    view.data = static_cast<const float*>(array.data());
    view.rows = static_cast<std::size_t>(array.shape(0));
    view.columns = static_cast<std::size_t>(array.shape(1));
    view.depth = body::capsule_floats;

    py::array_t<double> out(array.shape(0));
    const std::span<double> result(out.mutable_data(), view.rows);
    locked([&](auto& likelihood) { likelihood->evaluate(view, result); });
    return out;
  }

private:
  Backend backend_;
};

}  // namespace

void bind_likelihood(py::module_& module) {
  const body::LikelihoodSettings defaults;
  auto likelihood =
      public_class<Likelihood>(module, "Likelihood", R"(One frame's points, held against any number of poses.

tau          distances are cut off here, in metres
sigma        standard deviation of a point about the skin, in metres
association  'nearest': the capsule surface nearest to the point along its ray; 'first-hit': the one met first
camera       where all rays start
free_space   points marked as background cost 0 when their ray meets nothing before them, tau^2 otherwise
backend      'auto', 'reference', 'cpu' or 'cuda'
threads      for the CPU work; 0: one per core. Results do not depend on it
devices      GPUs that share the poses: 'all', '0,2' or numbers; None: the first. Results do not depend on it

Raises kinema.Error where the settings make no sense or the backend is not there.)");
  likelihood
      .def(py::init([](double tau, double sigma, const std::string& association, const std::array<double, 3>& camera,
                       bool free_space, const std::string& backend, int threads, const py::object& devices) {
             body::LikelihoodSettings settings;
             settings.tau = tau;
             settings.sigma = sigma;
             settings.association =
                 static_cast<body::Association>(number_of(association, "association", {"nearest", "first-hit"}));
             settings.camera = {camera[0], camera[1], camera[2]};
             settings.free_space = free_space;
             return std::make_unique<Likelihood>(settings, compute_of(backend, threads, devices));
           }),
           py::kw_only(), py::arg("tau") = defaults.tau, py::arg("sigma") = defaults.sigma,
           py::arg("association") = "nearest", py::arg("camera") = py::make_tuple(0.0, 0.0, 0.0),
           py::arg("free_space") = defaults.free_space, py::arg("backend") = "auto", py::arg("threads") = 0,
           py::arg("devices") = py::none(), "See the class.")
      .def_property_readonly("backend", &Likelihood::backend, "The backend that was chosen.")
      .def("set_points", &Likelihood::set_points, py::arg("points"), py::arg("background") = py::none(),
           R"(The points of a frame: float32 (I, 3); optionally a bool or uint8 mark (I,) for background points.

Returns (used, dropped): dropped points are not finite, or lie at the camera itself.)")
      .def("evaluate", &Likelihood::evaluate, py::arg("capsules"),
           R"(log p of the points for each of J poses, without its constant: float64 (J,).

capsules: float32 (J, K, 7), each ax ay az r bx by bz. The GIL is released while it runs.)");
}

}  // namespace kinema::python
