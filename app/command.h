// The kinema command: reads the command line, runs the verb, and turns errors into a line and an exit code. 0: success.
// 2: invalid command line or input. 1: failure while running.
#pragma once

#include "app/options/options.h"

#include <string>
#include <vector>

namespace kinema::app {

/// `words` are those after the program's name. The jobs of a batch that share a process call it from several threads.
int run_command(const std::vector<std::string>& words, const Ranks& ranks, Console console = {});

}  // namespace kinema::app
