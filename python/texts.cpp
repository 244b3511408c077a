#include "texts.h"

#include "kinema/error.h"

#include <algorithm>
#include <cstdio>

namespace py = pybind11;

namespace kinema::python {

std::string number(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  return text;
}

std::string outcome(bool found, const std::string& why) {
  if (found) return "found";
  return why.empty() ? "not found" : "not found: " + why;
}

std::string counted(std::size_t count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::size_t number_of(const std::string& word, const char* argument, std::span<const std::string_view> words) {
  const auto found = std::find(words.begin(), words.end(), word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string list;
  for (std::size_t i = 0; i < words.size(); ++i)
    list += (i == 0 ? "'" : i + 1 < words.size() ? ", '" : " or '") + std::string(words[i]) + "'";
  throw Error(std::string(argument) + " must be " + list + ", not '" + word + "'");
}

std::string differences(const py::object& object, const py::object& other) {
  std::string text;
  const py::object property = py::module_::import("builtins").attr("property");
  for (const auto& [name, member] : py::dict(py::type::of(object).attr("__dict__").attr("items")())) {
    if (!py::isinstance(member, property)) continue;
    const auto value = py::repr(object.attr(name)).cast<std::string>();
    if (value == py::repr(other.attr(name)).cast<std::string>()) continue;
    text += (text.empty() ? "" : ", ") + py::str(name).cast<std::string>() + "=" + value;
  }
  return text;
}

void name_backends(py::module_& module) {
  const py::object object = py::module_::import("builtins").attr("object");
  for (const auto& [name, member] : py::dict(module.attr("__dict__"))) {
    if (!PyType_Check(member.ptr()) || !member.attr("__repr__").is(object.attr("__repr__"))) continue;
    const auto word = py::str(name).cast<std::string>();
    py::setattr(member, "__repr__",
                py::cpp_function(
                    [word](const py::object& own) {
                      if (!py::hasattr(own, "backend")) return word + "()";
                      return word + "(backend=" + py::repr(own.attr("backend")).cast<std::string>() + ")";
                    },
                    py::name("__repr__"), py::is_method(member)));
  }
}

}  // namespace kinema::python
