// kinema.body: NumPy arrays go to the library as they lie in memory. An array of another type, order or shape is
// refused rather than converted, since a silent copy of a large one costs more than the work.
#include "kinema/body.h"

#include "kinema/error.h"
#include "module.h"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace py = pybind11;

namespace {

std::string describe_shape(const py::array& array) {
  std::string text = "(";
  for (py::ssize_t i = 0; i < array.ndim(); ++i) text += (i > 0 ? ", " : "") + std::to_string(array.shape(i));
  return text + (array.ndim() == 1 ? ",)" : ")");
}

py::array as_array(const py::object& object, const char* name, const char* wanted) {
  if (!py::isinstance<py::array>(object)) {
    throw kinema::Error(std::string(name) + " must be a NumPy array " + wanted + ", not " +
                        std::string(py::str(py::type::of(object).attr("__name__"))));
  }
  return py::reinterpret_borrow<py::array>(object);
}

void require_contiguous(const py::array& array, const char* name) {
  if ((array.flags() & py::array::c_style) == 0) {
    throw kinema::Error(std::string(name) + " must be C-contiguous: pass numpy.ascontiguousarray(" + name + ")");
  }
}

// A float32 array of this many dimensions whose last is `last`, without a copy.
py::array floats(const py::object& object, const char* name, py::ssize_t dimensions, py::ssize_t last,
                 const char* wanted) {
  const py::array array = as_array(object, name, wanted);
  if (!py::isinstance<py::array_t<float>>(array)) {
    throw kinema::Error(std::string(name) + " must be float32, not " + std::string(py::str(array.dtype())) + ": pass " +
                        name + ".astype(numpy.float32)");
  }
  if (array.ndim() != dimensions || array.shape(dimensions - 1) != last) {
    throw kinema::Error(std::string(name) + " must have the shape " + wanted + ", not " + describe_shape(array));
  }
  require_contiguous(array, name);
  return array;
}

kinema::body::Association parse_association(const std::string& word) {
  if (word == "nearest") return kinema::body::Association::nearest;
  if (word == "first-hit") return kinema::body::Association::first_hit;
  throw kinema::Error("association must be 'nearest' or 'first-hit', not '" + word + "'");
}

// A likelihood that Python threads may share: with the GIL released, two could be inside it at once.
class Likelihood {
public:
  Likelihood(double tau, double sigma, const std::string& association, const std::array<double, 3>& camera,
             bool free_space, const std::string& backend, int threads) {
    kinema::body::LikelihoodSettings settings;
    settings.tau = tau;
    settings.sigma = sigma;
    settings.association = parse_association(association);
    settings.camera = {camera[0], camera[1], camera[2]};
    settings.free_space = free_space;
    settings.threads = threads;
    backend_ = kinema::choose(kinema::parse_backend(backend));
    likelihood_ = kinema::body::make_likelihood(settings, backend_);
  }

  std::string backend() const { return std::string(kinema::name(backend_)); }

  std::pair<std::size_t, std::size_t> set_points(const py::object& points, const py::object& background) {
    const py::array xyz = floats(points, "points", 2, 3, "(I, 3)");
    kinema::PointsView view;
    view.xyz = static_cast<const float*>(xyz.data());
    view.size = static_cast<std::size_t>(xyz.shape(0));

    std::optional<py::array> marks;  // keeps the memory that the view points to
    if (!background.is_none()) {
      marks = as_array(background, "background", "(I,)");
      const char kind = marks->dtype().kind();
      if (marks->itemsize() != 1 || (kind != 'b' && kind != 'u')) {
        throw kinema::Error("background must be bool or uint8, not " + std::string(py::str(marks->dtype())));
      }
      if (marks->ndim() != 1 || marks->shape(0) != xyz.shape(0)) {
        throw kinema::Error("background must have one mark a point, the shape (" + std::to_string(view.size) +
                            ",), not " + describe_shape(*marks));
      }
      require_contiguous(*marks, "background");
      view.background = {static_cast<const std::uint8_t*>(marks->data()), view.size};
    }

    kinema::body::PointCount count;
    {
      const py::gil_scoped_release release;
      const std::scoped_lock lock(mutex_);
      count = likelihood_->set_points(view);
    }
    return {count.used, count.dropped};
  }

  py::array_t<double> evaluate(const py::object& capsules) {
    const auto last = static_cast<py::ssize_t>(kinema::body::capsule_floats);
    const py::array array = floats(capsules, "capsules", 3, last, "(J, K, 7)");
    kinema::body::CapsulesView view;
    view.data = static_cast<const float*>(array.data());
    view.rows = static_cast<std::size_t>(array.shape(0));
    view.columns = static_cast<std::size_t>(array.shape(1));
    view.depth = kinema::body::capsule_floats;

    py::array_t<double> out(array.shape(0));
    const std::span<double> result(out.mutable_data(), view.rows);
    {
      const py::gil_scoped_release release;
      const std::scoped_lock lock(mutex_);
      likelihood_->evaluate(view, result);
    }
    return out;
  }

private:
  kinema::Backend backend_ = kinema::Backend::automatic;
  std::unique_ptr<kinema::body::Likelihood> likelihood_;
  std::mutex mutex_;
};

}  // namespace

void bind_body(py::module_& module) {
  const kinema::body::LikelihoodSettings defaults;
  py::class_<Likelihood> likelihood(module, "Likelihood", R"(One frame's points, held against any number of poses.

tau          distances are cut off here, in metres
sigma        standard deviation of a point about the skin, in metres
association  'nearest': the capsule surface nearest to the point along its ray; 'first-hit': the one met first
camera       where all rays start
free_space   points marked as background cost 0 when their ray meets nothing before them, tau^2 otherwise
backend      'auto', 'reference', 'cpu' or 'cuda'
threads      for the CPU work; 0: one a core. Results do not depend on it

Raises kinema.Error where the settings make no sense or the backend is not there.)");
  likelihood.attr("__module__") = "kinema.body";
  likelihood
      .def(py::init<double, double, const std::string&, const std::array<double, 3>&, bool, const std::string&, int>(),
           py::kw_only(), py::arg("tau") = defaults.tau, py::arg("sigma") = defaults.sigma,
           py::arg("association") = "nearest", py::arg("camera") = py::make_tuple(0.0, 0.0, 0.0),
           py::arg("free_space") = defaults.free_space, py::arg("backend") = "auto",
           py::arg("threads") = defaults.threads)
      .def_property_readonly("backend", &Likelihood::backend, "The backend that was chosen.")
      .def("set_points", &Likelihood::set_points, py::arg("points"), py::arg("background") = py::none(),
           R"(The points of a frame: float32 (I, 3); optionally a bool or uint8 mark (I,) for background points.

Returns (used, dropped): dropped points are not finite, or lie at the camera itself.)")
      .def("evaluate", &Likelihood::evaluate, py::arg("capsules"),
           R"(log p of the points for each of J poses, without its constant: float64 (J,).

capsules: float32 (J, K, 7), each ax ay az r bx by bz. The GIL is released while it runs.)");
}
