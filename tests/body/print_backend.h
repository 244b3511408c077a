// How GoogleTest prints a backend: every test that does includes this, since the linker keeps one of several ways.
#pragma once

#include "kinema/backend.h"

#include <ostream>

namespace kinema {

inline void PrintTo(Backend backend, std::ostream* out) { *out << name(backend); }

}  // namespace kinema
