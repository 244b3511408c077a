// What repr() says of the package's objects: what is inside, short enough for a line.
#pragma once

#include <pybind11/pybind11.h>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace kinema::python {

/// With this many significant digits.
std::string number(double value, int digits = 3);

/// "found", or why not.
std::string outcome(bool found, const std::string& why);

/// "1 joint", "2 joints".
std::string counted(std::size_t count, const std::string& thing);

/// The place of a word among those that an argument may be. Throws Error, naming them, if it is none.
std::size_t number_of(const std::string& word, const char* argument, std::span<const std::string_view> words);
inline std::size_t number_of(const std::string& word, const char* argument,
                             std::initializer_list<std::string_view> words) {
  return number_of(word, argument, std::span(words.begin(), words.size()));
}

/// The properties of an object that differ from those of another of its type: "name=value, name=value".
std::string differences(const pybind11::object& object, const pybind11::object& other);

/// Of settings: those that are not as by default.
template <class Settings>
std::string text_of_settings(const pybind11::object& settings) {
  return "TrackerSettings(" + differences(settings, pybind11::cast(Settings())) + ")";
}

/// Gives the classes of a module that have no text of their own one that says which backend they have.
void name_backends(pybind11::module_& module);

}  // namespace kinema::python
