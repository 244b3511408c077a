#include "app/options/options.h"

#include "core/cuda/device.h"

#include <cstdlib>

namespace kinema::app {

void add_other_common_options(Verb verb, CommonOptions& options) {
  verb = verb.under("Everywhere");
  verb.option("--threads", options.compute.threads, "N",
              "Number of CPU threads, 0: one per core; results do not depend on it")
      .between(0, 4096);
  verb.option("--seed", options.seed, "N", "Seed of all random numbers: the same seed gives the same bits");
  verb.flag("--json", options.json, "Print the results as one JSON object on standard output");
}

void add_common_options(Verb verb, CommonOptions& options) {
  verb.under("Everywhere")
      .parsed("--backend", options.compute.backend, parse_backend, "auto|reference|cpu|cuda",
              "Where to compute (auto: KINEMA_BACKEND if it is set, else a GPU if there is one, else the CPU)");
  verb.under("Everywhere")
      .parsed("--devices", options.compute.devices, parse_devices, "all|0,2,...",
              "GPUs that share the work in equal parts; results do not depend on it (see kinema devices)");
  add_other_common_options(verb, options);
}

void check_devices(CommonOptions& options) {
  if (options.compute.backend == Backend::automatic) {
    options.compute.losses =
        std::make_shared<DeviceLosses>([log = options.console.err](const std::string& line) { warn(log, "{}", line); });
  }
  if (options.compute.devices.empty()) return;
  const char* word = std::getenv("KINEMA_BACKEND");
  const bool automatic = options.compute.backend == Backend::automatic && (word == nullptr || *word == '\0');
  // a GPU that is named is wanted: its work does not go to the CPU unsaid
  kinema::check_devices(options.compute.devices, automatic ? Backend::cuda : choose(options.compute.backend));
}

void divide_machine(const Ranks& ranks, CommonOptions& options) {
  if (ranks.count() == 1) return;
  if (options.compute.threads == 0) options.compute.threads = ranks.cores();
  if (choose(options.compute.backend) == Backend::cuda) {
    std::vector<int> devices = options.compute.devices;
    if (devices.empty()) devices = parse_devices("all");
    cuda::use_device(devices[static_cast<std::size_t>(ranks.local_rank()) % devices.size()]);
  }
  options.compute.devices.clear();  // this rank has its own
}

void print_json(const nlohmann::ordered_json& json, Console console) {
  // a file's name may not be UTF-8; it must not end the run
  fmt::print(console.out, "{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace kinema::app
