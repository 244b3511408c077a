// Sets body.TrackerSettings from Python by name.
#pragma once

#include "kinema/body_tracker.h"

#include <pybind11/pybind11.h>

#include <optional>

namespace kinema::python {

/// A copy of the settings (None: the defaults) with these attributes changed. Raises AttributeError for unknown names.
body::TrackerSettings changed(const std::optional<body::TrackerSettings>& settings, const pybind11::kwargs& changes);

}  // namespace kinema::python
