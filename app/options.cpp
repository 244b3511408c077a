#include "app/options.h"

namespace kinema::app {

void add_other_common_options(Verb verb, CommonOptions& options) {
  const char* group = "Everywhere";
  verb.option("--threads", options.threads, "Number of CPU threads, 0: one per core; results do not depend on it")
      .type("N")
      .between(0, 4096)
      .group(group);
  verb.option("--seed", options.seed, "Seed of all random numbers: the same seed gives the same bits")
      .type("N")
      .group(group);
  verb.flag("--json", options.json, "Print the results as one JSON object on standard output").group(group);
}

void add_common_options(Verb verb, CommonOptions& options) {
  verb.text(
          "--backend", [&options](const std::string& word) { options.backend = parse_backend(word); },
          "Where to compute (auto: KINEMA_BACKEND if it is set, else a GPU if there is one, else the CPU)")
      .type("auto|reference|cpu|cuda")
      .group("Everywhere");
  add_other_common_options(verb, options);
}

void print_json(const nlohmann::ordered_json& json) {
  // a file's name may not be UTF-8; it must not end the run
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

}  // namespace kinema::app
