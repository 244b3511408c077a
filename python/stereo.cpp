// kinema.stereo: disparities of rectified pairs.
#include "kinema/stereo.h"

#include "arrays.h"
#include "module.h"
#include "shared.h"
#include "texts.h"

#include <pybind11/stl.h>

#include <array>
#include <memory>

namespace kinema::python {
namespace {

class Matcher : public Shared<std::unique_ptr<stereo::Matcher>> {
public:
  Matcher(const Camera& camera, double baseline, double nearest, double farthest, const std::string& backend,
          int threads)
      : Shared(stereo::make_matcher(camera, baseline, {nearest, farthest}, compute_of(backend, threads))) {}

  py::tuple match(const py::object& left, const py::object& right, const std::array<double, 3>& rows) {
    const Grey of_left(left), of_right(right);
    stereo::Disparities out;
    locked([&](auto& matcher) {
      matcher->match(of_left.view, of_right.view, {rows[0], rows[1], rows[2]}, matcher->whole(), out);
    });
    const std::vector<py::ssize_t> shape{out.height, out.width};
    return py::make_tuple(array_of(std::move(out.disparity), shape), array_of(std::move(out.deviation), shape));
  }

  double focal_baseline() {
    return locked([](auto& matcher) { return matcher->focal_baseline(); });
  }
};

}  // namespace

void bind_stereo(py::module_& module) {
  const stereo::Settings defaults;
  auto matcher = public_class<Matcher>(module, "Matcher", R"(Matches rectified pairs of one size.

camera             of the left picture
baseline           metres between the cameras
nearest, farthest  range of depths, in metres
backend            'auto', 'reference', 'cpu' or 'cuda'
threads            of the CPU; 0: one per core. Results do not depend on it)");
  matcher
      .def(py::init<const Camera&, double, double, double, const std::string&, int>(), py::arg("camera"),
           py::arg("baseline"), py::arg("nearest") = defaults.nearest, py::arg("farthest") = defaults.farthest,
           py::arg("backend") = "auto", py::arg("threads") = 0, "See the class.")
      .def("match", &Matcher::match, py::arg("left"), py::arg("right"),
           py::arg("rows") = std::array<double, 3>{0, 0, 0},
           R"(Disparities of uint8 pictures (H, W), and their deviations: float32 (H, W), pixels, 0 where unknown.

rows: how far the right picture lies below the left one, a + b x + c y with x and y from -1 to 1.)")
      .def_property_readonly("focal_baseline", &Matcher::focal_baseline,
                             "Disparity times depth, in pixels times metres.")
      .def("__repr__", [](Matcher& own) {
        return "Matcher(focal length times baseline " + number(own.focal_baseline(), 4) + " px m)";
      });
}

}  // namespace kinema::python
