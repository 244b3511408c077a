// Reading sources from Python: without the GIL, and so that Ctrl-C ends the wait for a camera.
#pragma once

#include "kinema/source.h"

#include <pybind11/pybind11.h>

#include <string>
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

}  // namespace kinema::python
