// The flags that mean the same for every verb, and what a verb hands to main().
#pragma once

#include "app/ranks.h"
#include "kinema/backend.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

namespace kinema::app {

struct CommonOptions {
  Backend backend = Backend::automatic;
  int threads = 0;  // 0: all cores
  std::uint64_t seed = 1;
  bool json = false;
};

/// All of them but the backend.
inline void add_other_common_options(CLI::App& verb, CommonOptions& options) {
  verb.add_option("--threads", options.threads, "Threads of the CPU work, 0: all cores; results do not depend on it")
      ->type_name("N")
      ->check(CLI::Range(0, 4096).description(""))
      ->group("Everywhere");
  verb.add_option("--seed", options.seed, "Of all random numbers: the same seed gives the same bits")
      ->type_name("N")
      ->group("Everywhere");
  verb.add_flag("--json", options.json, "Results as one JSON object on standard output")->group("Everywhere");
}

inline void add_common_options(CLI::App& verb, CommonOptions& options) {
  verb.add_option_function<std::string>(
          "--backend", [&options](const std::string& word) { options.backend = parse_backend(word); },
          "Where to compute (auto: KINEMA_BACKEND if it is set, else a GPU if there is one, else the CPU)")
      ->type_name("auto|reference|cpu|cuda")
      ->group("Everywhere");
  add_other_common_options(verb, options);
}

/// What a verb does once the command line is read. Ranks other than the first call it only for verbs that share work.
struct Task {
  std::function<void(const Ranks&)> run;
  bool shared = false;
};

inline void print_json(const nlohmann::ordered_json& json) {
  // a file's name may be no UTF-8; it must not end the run
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

// One function a verb: adds it below `parent`, and sets `task` when the verb is chosen.
void add_devices(CLI::App& parent, Task& task);
void add_demo(CLI::App& parent, Task& task);
void add_serve(CLI::App& parent, Task& task);
void add_body_likelihood(CLI::App& parent, Task& task);
void add_body_evaluate(CLI::App& parent, Task& task);
void add_body_simulate(CLI::App& parent, Task& task);
void add_body_track(CLI::App& parent, Task& task);
void add_head_calibrate(CLI::App& parent, Task& task);
void add_head_track(CLI::App& parent, Task& task);
void add_face_train(CLI::App& parent, Task& task);
void add_face_fit(CLI::App& parent, Task& task);
void add_face_evaluate(CLI::App& parent, Task& task);
void add_face_info(CLI::App& parent, Task& task);
void add_bench_body(CLI::App& parent, Task& task);
void add_bench_head(CLI::App& parent, Task& task);
void add_bench_face(CLI::App& parent, Task& task);

}  // namespace kinema::app
