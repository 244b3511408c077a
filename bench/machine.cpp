#include "bench/machine.h"

#include "bench/body/likelihood_embree.h"
#include "core/threads.h"
#include "kinema/error.h"
#include "kinema_commit.h"

#include <fmt/format.h>

#include <sys/utsname.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>

namespace kinema::bench {
namespace {

// The value of the first "key : value" line with that key.
std::string cpuinfo(const std::string& key) {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "";
}

std::string cpu_name() {
  if (const std::string model = cpuinfo("model name"); !model.empty()) return model;

  // Arm kernels report numbers only; these are common server cores
  const std::string part = cpuinfo("CPU part");
  struct Core {
    const char *part, *name;
  };
  for (const Core core : {Core{"0xd08", "Cortex-A72"}, Core{"0xd0b", "Cortex-A76"}, Core{"0xd0c", "Neoverse N1"},
                          Core{"0xd40", "Neoverse V1"}, Core{"0xd49", "Neoverse N2"}, Core{"0xd4f", "Neoverse V2"},
                          Core{"0xd83", "Neoverse V3"}, Core{"0xd8e", "Neoverse N3"}})
    if (part == core.part) return core.name;
  return part.empty() ? "unknown" : "Arm, part " + part;
}

std::string utc_date() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace

Machine describe_machine(int threads) {
  Machine machine;
  machine.cpu = cpu_name();
  utsname system{};
  if (uname(&system) == 0) machine.system = std::string(system.sysname) + " " + system.machine;
  machine.cores = usable_cores();
  machine.memory_bytes =
      static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  machine.threads = Threads(threads).count();
  machine.gpus = gpus();
  machine.build = build();
  machine.build_type = KINEMA_BUILD_TYPE;
  machine.embree = embree_version();
  return machine;
}

std::string no_gpu_reason() {
#ifdef KINEMA_HAVE_CUDA
  return gpus().empty() ? "there is no GPU" : "";
#else
  return "CUDA is not built into this command";
#endif
}

void begin_run(const BenchOptions& options, double usual, double quick, RunReport& report) {
  if (!std::isfinite(options.seconds) || options.seconds < 0)
    throw Error(fmt::format("{} is not a time to measure for: give seconds above 0", options.seconds));
  const char* commit = std::getenv("KINEMA_COMMIT");
  report.date = utc_date();
  report.commit = commit != nullptr ? commit : KINEMA_BUILT_COMMIT;
  report.machine = describe_machine(options.threads);
  report.seed = options.seed;
  report.seconds = options.seconds > 0 ? options.seconds : options.quick ? quick : usual;
}

}  // namespace kinema::bench
