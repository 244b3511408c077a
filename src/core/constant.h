// A constant that was chosen by trial. Each tracker keeps its own in src/<tracker>/constants.h, or constants_<part>.h below:
//
//   /// Below this the head counts as lost. [synthetic clips of docs/head.md]
//   KINEMA_CONSTANT(double, lost_below, 0.3);  // share of the usual contrast
//
// At most two lines say what it does and, in brackets, what it was chosen on; without them the value was never revised, and
// what it was chosen on is not recorded. After the unit may stand which measurement of scripts/constant_runs.py shows its
// effect ("; measured: film"), and before the constant why none does ("Not measured: it only limits memory."). docs/constants.md,
// which scripts/measure_constants.py makes of this, shows how much the result depends on each.
//
// In an ordinary build this is `inline constexpr`. In a build with the CMake option KINEMA_TUNABLE, for measuring how
// much a result depends on it, it is a variable initialised once, at program start, from the environment:
//
//   KINEMA_CONSTANTS=head.lost_below=0.6,body.gate_depth=0.2
//
// The first part of a name is the folder below src. Such a build has no cuda backend, since device code cannot read
// host variables. A constant may not be used where the language requires a constant expression (the size of an array, a
// template argument), and one derived from another is declared `inline const auto`, after it.
//
// A part of a tracker that no constant can switch off has a switch, at the end of src/<tracker>/constants.h or in
// src/<tracker>/constants_mechanisms.h:
//
//   KINEMA_MECHANISM(furniture);
//
// It is true, except in such a build with KINEMA_CONSTANTS=body.furniture=0.
#pragma once

#ifdef KINEMA_TUNABLE
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace kinema::detail {

/// "body" for ".../src/body/foreground/constants_scene.h"
constexpr std::string_view tracker_of(std::string_view path) {
  path = path.substr(path.rfind("/src/") + 5);
  return path.substr(0, path.find('/'));
}

/// The value of `folder.name` in KINEMA_CONSTANTS, or else the given one. A value that is not a number ends the
/// program: a measurement with an unchanged constant would look like one without any effect.
template <class T>
T constant(std::string_view path, std::string_view name, T value) {
  const char* variable = std::getenv("KINEMA_CONSTANTS");
  std::string_view left = variable == nullptr ? "" : variable;
  while (!left.empty()) {
    const std::string entry(left.substr(0, left.find(',')));
    left.remove_prefix(std::min(entry.size() + 1, left.size()));
    const auto equals = entry.find('=');
    if (entry.substr(0, equals) != std::string(tracker_of(path)) + "." + std::string(name)) continue;
    char* end = nullptr;
    const char* number = equals == std::string::npos ? "" : entry.c_str() + equals + 1;
    const double parsed = std::strtod(number, &end);
    if (end == number || *end != '\0') {
      std::fprintf(stderr, "KINEMA_CONSTANTS: \"%s\" is not name=number\n", entry.c_str());
      std::exit(2);
    }
    value = static_cast<T>(parsed);
  }
  return value;
}

}  // namespace kinema::detail

#define KINEMA_CONSTANT(type, name, value) \
  inline const type name = ::kinema::detail::constant<type>(__FILE__, #name, value)
#else
#define KINEMA_CONSTANT(type, name, value) inline constexpr type name = value
#endif

#define KINEMA_MECHANISM(name) KINEMA_CONSTANT(bool, name, true)
