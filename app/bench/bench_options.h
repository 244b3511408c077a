// Options shared by the verbs of `kinema bench`.
#pragma once

#include "app/options/options.h"
#include "bench/bench_run.h"

#include <string>
#include <vector>

namespace kinema::app {

/// --out, --seconds, --quick and the options of every verb; `timed` names what is timed for that many seconds.
void add_bench_options(Verb verb, const std::string& name, const std::string& timed, bench::BenchOptions& bench,
                       CommonOptions& common);

/// An option that takes some of `known`; by default all that run here.
void add_choice(Verb verb, const std::string& option, const std::vector<std::string>& known,
                std::vector<std::string>& chosen);

/// The values of these options; throws Error if they make no sense.
void take_common(const CommonOptions& common, bench::BenchOptions& bench);

/// For a benchmark of one GPU: that of --devices, for this thread. Throws Error if there are several.
void use_one_device(CommonOptions& common);

/// --backend restricts what add_choice() chose; `as` is its name there.
void take_backend(const CommonOptions& common, const std::string& option, const std::string& as,
                  std::vector<std::string>& chosen);

}  // namespace kinema::app
