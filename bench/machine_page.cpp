#include "bench/machine_page.h"

#include <fmt/format.h>

namespace kinema::bench {

report::List machine_list(const RunReport& run, const std::string& problem) {
  const Machine& machine = run.machine;
  const Build& build = machine.build;
  report::List list;
  const auto add = [&](const char* term, const std::string& text) {
    if (!text.empty()) list.entries.push_back({term, text});
  };
  add("CPU", fmt::format("{}, {} cores, {} threads, {}", machine.cpu, machine.cores, machine.threads, machine.system));
  for (const Gpu& gpu : machine.gpus) add("GPU", fmt::format("{}, {} multiprocessors", gpu.name, gpu.multiprocessors));
  add("kinema", fmt::format("{} {}, {}, SIMD {}, threads {}{}{}", build.version, machine.build_type, build.compiler,
                            build.simd, build.threads, build.cuda.empty() ? "" : ", CUDA " + build.cuda,
                            machine.embree.empty() ? "" : ", Embree " + machine.embree));
  add("commit", run.commit);
  add("date", run.date);
  add("problem", problem);
  return list;
}

report::Plot logarithmic_plot(const std::string& title, const char* x_label, const char* y_label, report::Unit y_unit) {
  report::Plot plot;
  plot.title = title;
  plot.x = {x_label, report::Unit::count, true, {}, {}, false};
  plot.y = {y_label, y_unit, true, {}, {}, false};
  return plot;
}

std::string quartiles(const Spread& ms) {
  using report::Unit;
  return report::with_unit(ms.low, Unit::milliseconds) + " – " + report::with_unit(ms.high, Unit::milliseconds);
}

std::string or_dash(const std::optional<double>& value, report::Unit unit) {
  return value ? report::with_unit(*value, unit) : "–";
}

}  // namespace kinema::bench
