// Shared by the report pages of all benchmarks: the machine, and measured values as text.
#pragma once

#include "bench/machine.h"
#include "bench/statistics.h"
#include "report/report.h"

#include <optional>
#include <string>

namespace kinema::bench {

/// Machine, build, commit and date, and one line on the data.
report::List machine_list(const RunReport& run, const std::string& problem);

/// The curve of a backend in plots, and the number of its colour.
struct Curve {
  const char* backend;
  int colour;
};

/// Without series: counts on the x axis, both axes logarithmic.
report::Plot logarithmic_plot(const std::string& title, const char* x_label, const char* y_label, report::Unit y_unit);

/// "1.2 ms – 1.4 ms"
std::string quartiles(const Spread& ms);

std::string or_dash(const std::optional<double>& value, report::Unit unit);

}  // namespace kinema::bench
