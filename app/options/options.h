// The flags with the same meaning for every verb, and what a verb passes to run_command().
#pragma once

#include "app/options/command_line.h"
#include "app/options/ranks.h"
#include "kinema/compute.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinema::app {

/// Where a verb prints. Jobs that share a process have files of their own.
struct Console {
  std::FILE* out = stdout;
  std::FILE* err = stderr;
};

/// A line on standard error, or where the messages of a job go. If it cannot be written, the work goes on.
template <class... Values>
void warn(std::FILE* err, fmt::format_string<Values...> format, Values&&... values) {
  const std::string line = "kinema: " + fmt::format(format, std::forward<Values>(values)...) + "\n";
  std::fputs(line.c_str(), err);
}

struct CommonOptions {
  Console console;
  Compute compute;  // losses: see check_devices()
  std::uint64_t seed = 1;
  bool json = false;
};

/// All of them except the backend and the devices.
void add_other_common_options(Verb verb, CommonOptions& options);

void add_common_options(Verb verb, CommonOptions& options);

/// Throws Error if a device of --devices is missing. With --backend auto a device that fails later is reported on
/// standard error, and the others go on, or for the face the CPU.
void check_devices(CommonOptions& options);

/// Under mpirun: ranks on one machine take different GPUs of --devices, or share its cores.
void divide_machine(const Ranks& ranks, CommonOptions& options);

/// The work of a verb after the command line is read. Ranks other than the first call it only for verbs that share
/// work.
struct Task {
  std::function<void(const Ranks&)> run;
  bool shared = false;             // by the ranks
  bool needs_mpi = true;           // where it is shared: ranks tell each other what they do
  std::vector<std::string> words;  // of the command line, after the program's name
  Console console;  // set before a verb is chosen; verbs that are no jobs of a batch print where the process does
};

/// On standard output.
void print_json(const nlohmann::ordered_json& json, Console console = {});

// One function per verb: adds it below `parent`, and sets `task` when the verb is chosen.
void add_devices(Verb parent, Task& task);
void add_cameras(Verb parent, Task& task);
void add_record(Verb parent, Task& task);
void add_batch(Verb parent, Task& task);
void add_batch_worker(Verb parent, Task& task);
void add_demo(Verb parent, Task& task);
void add_serve(Verb parent, Task& task);
void add_body_likelihood(Verb parent, Task& task);
void add_body_evaluate(Verb parent, Task& task);
void add_body_simulate(Verb parent, Task& task);
void add_body_track(Verb parent, Task& task);
void add_stereo_calibrate(Verb parent, Task& task);
void add_head_calibrate(Verb parent, Task& task);
void add_head_track(Verb parent, Task& task);
void add_track(Verb parent, Task& task);
void add_face_draw(Verb parent, Task& task);
void add_face_film(Verb parent, Task& task);
void add_face_train(Verb parent, Task& task);
void add_face_fit(Verb parent, Task& task);
void add_face_evaluate(Verb parent, Task& task);
void add_face_info(Verb parent, Task& task);
void add_bench_body(Verb parent, Task& task);
void add_bench_head(Verb parent, Task& task);
void add_bench_face(Verb parent, Task& task);
void add_bench_papers(Verb parent, Task& task);

}  // namespace kinema::app
