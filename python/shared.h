// What objects of the library have in common in Python: threads may share one, and trackers have members of the same names.
#pragma once

#include "kinema/compute.h"
#include "kinema/error.h"
#include "kinema/source.h"

#include <pybind11/pybind11.h>

#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace kinema::python {

/// How to compute. `devices`: None, the first; 'all' or '0,2'; or a sequence of numbers. With the backend 'auto' the others go on
/// when a device fails, and Python is warned; else that is an error.
Compute compute_of(const std::string& backend, int threads, const pybind11::object& devices = pybind11::none());

/// The times of the frames that a tracker was given: filters divide by their differences, so they may not go back.
class Clock {
public:
  /// The time of the next frame, seconds. Throws Error if it is before the last one.
  void advance(double time) {
    if (!std::isfinite(time)) throw Error("time must be a finite number of seconds");
    if (time < last_) {
      throw Error("time goes backwards, from " + std::to_string(last_) + " to " + std::to_string(time) +
                  " s: another recording needs another tracker");
    }
    last_ = time;
  }

  /// A new sequence starts.
  void reset() { last_ = -std::numeric_limits<double>::infinity(); }

private:
  double last_ = -std::numeric_limits<double>::infinity();
};

/// What Python threads may share: without the GIL, two could use it at once.
template <class Held>
class Shared {
public:
  template <class... Arguments>
  explicit Shared(Arguments&&... arguments) {
    const pybind11::gil_scoped_release release;
    held_.emplace(std::forward<Arguments>(arguments)...);
  }

  // without the GIL, which a thread of what is held may need to end
  ~Shared() {
    const pybind11::gil_scoped_release release;
    held_.reset();
  }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;

  /// Calls `use` with what is held, exclusively and without the GIL.
  template <class Use>
  auto locked(Use&& use) {
    const pybind11::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    return use(*held_);
  }

private:
  std::optional<Held> held_;
  std::mutex mutex_;
};

template <class Tracker>
class SharedTracker : public Shared<Tracker> {
public:
  using Shared<Tracker>::Shared;

  /// The same for a frame of this time, which may not be before that of the last one.
  template <class Use>
  auto tracked(double time, Use&& use) {
    return this->locked([&](Tracker& tracker) {
      clock_.advance(time);
      return use(tracker);
    });
  }

  /// The same for what ends a sequence of frames: the next one has times of its own.
  template <class Use>
  auto ended(Use&& use) {
    return this->locked([&](Tracker& tracker) {
      clock_.reset();
      return use(tracker);
    });
  }

private:
  Clock clock_;
};

/// track(frame), skip, restart, settings and backend of a class that derives from a SharedTracker.
template <class Shared>
void bind_members(pybind11::class_<Shared>& bound) {
  namespace py = pybind11;
  bound
      .def(
          "track",
          [](Shared& own, const io::Frame& frame) {
            return own.tracked(frame.time, [&](auto& inner) { return inner.track(frame); });
          },
          py::arg("frame"), "The Estimate of the next frame of a source. A frame with a gap is skipped.")
      .def(
          "skip",
          [](Shared& own, double time, const std::string& why) {
            return own.tracked(time, [&](auto& inner) { return inner.skip(time, why); });
          },
          py::arg("time"), py::arg("why"), "A frame that is missing, and why: its Estimate finds nobody.")
      .def(
          "restart", [](Shared& own) { own.locked([](auto& inner) { inner.restart(); }); },
          "Searches in the next frame, as in the first and after a loss. What was learnt of the person is kept.")
      .def_property_readonly(
          "settings", [](Shared& own) { return own.locked([](auto& inner) { return inner.settings(); }); },
          "The TrackerSettings with all open values filled in.")
      .def_property_readonly(
          "backend",
          [](Shared& own) { return own.locked([](auto& inner) { return std::string(name(inner.backend())); }); },
          "What runs: 'reference', 'cpu' or 'cuda'.");
}

}  // namespace kinema::python
