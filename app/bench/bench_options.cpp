#include "app/bench/bench_options.h"

#include "core/cuda/device.h"
#include "kinema/error.h"

#include <cmath>

namespace kinema::app {

void add_bench_options(Verb verb, const std::string& name, const std::string& timed, bench::BenchOptions& bench,
                       CommonOptions& common) {
  verb.option("--out", bench.out, "DIR", fmt::format("Folder for {0}.txt, {0}.json and {0}.html", name));
  verb.option("--seconds", bench.seconds, "S", fmt::format("Approximate time spent on {}", timed));
  verb.flag("--quick", bench.quick, "Shorter times, and fewer sizes where several are timed, for a first look");
  add_common_options(verb, common);
}

void add_choice(Verb verb, const std::string& option, const std::vector<std::string>& known,
                std::vector<std::string>& chosen) {
  verb.option(option, chosen, "NAME,NAME,...", fmt::format("Any of {} [all available]", fmt::join(known, ", "))).list();
}

void take_common(const CommonOptions& common, bench::BenchOptions& bench) {
  if (!std::isfinite(bench.seconds) || bench.seconds < 0)
    throw Error(fmt::format("--seconds is {}: it must be a finite number, not below 0", bench.seconds));
  bench.seed = common.seed;
  bench.threads = common.compute.threads;
  bench.json = common.json;
}

void use_one_device(CommonOptions& common) {
  check_devices(common);
  if (common.compute.devices.size() > 1)
    throw Error("--devices names several GPUs, and this measures one: kinema bench body measures divided work");
  if (common.compute.devices.size() == 1 && !gpus().empty()) cuda::use_device(common.compute.devices.front());
}

void take_backend(const CommonOptions& common, const std::string& option, const std::string& as,
                  std::vector<std::string>& chosen) {
  if (common.compute.backend == Backend::automatic) return;
  if (!chosen.empty()) throw Error(fmt::format("--backend and {} exclude each other: give one of them", option));
  chosen = {as};
}

}  // namespace kinema::app
