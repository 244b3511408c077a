// Reading sources from Python: without the GIL, and so that Ctrl-C ends the wait for a camera.
#pragma once

#include "kinema/error.h"
#include "kinema/source.h"
#include "texts.h"

#include <pybind11/pybind11.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinema::python {

/// A frame with the width of its depth image, which the frame itself does not store.
struct Frame : io::Frame {
  pybind11::ssize_t width = 0;
};

/// The strings of a path, a name of a source, or a sequence of them.
std::vector<std::string> inputs_of(const pybind11::object& input);

/// Ends the wait for a source when Python has a signal to handle, and warns of whoever came and was not taken.
io::SourceWait interruptible();

/// Raises what a signal raised during a call without the GIL, such as KeyboardInterrupt.
void raise_interrupt();

/// The next frame of a source; false at its end. Called with the GIL, which it releases while it waits for the frame.
bool next_frame(io::Source& source, io::Frame& frame);

/// A source that Python threads may share: without the GIL, two could read it at once.
template <class Source>
class SharedSource {
public:
  const Source& source() const { return *source_; }

protected:
  /// `open`: called without the GIL, since it may wait for another thread of this process, such as one that connects to it.
  template <class Open>
  SharedSource(std::vector<std::string> input, const Open& open) : input_(std::move(input)) {
    try {
      const pybind11::gil_scoped_release release;
      source_ = open(input_);
    } catch (const Error&) {
      raise_interrupt();
      throw;
    }
  }
  ~SharedSource() {
    // its threads may need the GIL to end
    const pybind11::gil_scoped_release release;
    source_.reset();
  }
  SharedSource(const SharedSource&) = delete;
  SharedSource& operator=(const SharedSource&) = delete;

  /// Whoever has the lock may wait for the GIL.
  std::unique_lock<std::mutex> lock() {
    const pybind11::gil_scoped_release release;
    return std::unique_lock(mutex_);
  }
  bool read(io::Frame& frame) { return next_frame(*source_, frame); }

  const std::vector<std::string>& input() const { return input_; }

  /// What its text begins with: of what class it is, where it comes from, and how many frames it has.
  std::string text_of(const char* name, const std::optional<std::size_t>& count) const {
    return std::string(name) + "('" + input_.front() + (input_.size() > 1 ? "', ..., " : "', ") +
           (count ? counted(*count, "frame") : std::string(source_->live() ? "live" : "length unknown"));
  }

private:
  std::vector<std::string> input_;
  std::unique_ptr<Source> source_;
  std::mutex mutex_;
};

/// What Python sees of every source, of a class with next(), size() and text().
template <class Frames>
void bind_source(pybind11::class_<Frames>& bound) {
  namespace py = pybind11;
  bound
      .def(
          "__iter__", [](py::object self) { return self; }, "Itself.")
      .def("__next__", &Frames::next, "The next Frame.")
      .def(
          "__len__",
          [](const Frames& own) {
            const std::optional<std::size_t> size = own.size();
            if (!size) throw py::type_error("the number of frames is not known before they have been read");
            return *size;
          },
          "How many frames there are, read or not.")
      .def(
          "__bool__", [](const Frames&) { return true; }, "True, also where the number of frames is not known.")
      .def("__repr__", &Frames::text)
      .def_property_readonly("size", &Frames::size, "How many frames there are; None where that is not known.")
      .def_property_readonly(
          "fps", [](const Frames& own) { return own.source().fps(); }, "Frames per second.")
      .def_property_readonly(
          "live", [](const Frames& own) { return own.source().live(); }, "Frames come from a camera, without end.")
      .def_property_readonly(
          "late", [](const Frames& own) { return own.source().late(); },
          "Frames of a live source that were replaced by newer ones before they were read.");
}

}  // namespace kinema::python
