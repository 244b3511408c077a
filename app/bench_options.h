// What the verbs of `kinema bench` have in common.
#pragma once

#include "app/options.h"
#include "bench/bench_run.h"

#include <string>
#include <vector>

namespace kinema::app {

/// --out, --seconds, --quick and the options of every verb; `timed` says what is timed for so many seconds.
void add_bench_options(Verb verb, const std::string& name, const std::string& timed, bench::BenchOptions& bench,
                       CommonOptions& common);

/// An option that takes some of `known`, all that run here where it is not given.
void add_choice(Verb verb, const std::string& option, const std::vector<std::string>& known,
                std::vector<std::string>& chosen);

/// What the command line said of them all; throws Error where it makes no sense.
void take_common(const CommonOptions& common, bench::BenchOptions& bench);

/// --backend narrows what add_choice() chose; `as` is what it is called there.
void take_backend(const CommonOptions& common, const std::string& option, const std::string& as,
                  std::vector<std::string>& chosen);

}  // namespace kinema::app
