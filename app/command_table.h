// What the command line takes, as a table: its verbs, their options and help. Manual pages and the completion of shells are
// made of it (scripts/make_manual.py), so that they say what --help says.
#pragma once

#include <nlohmann/json.hpp>

namespace CLI {
class App;
}

namespace kinema::app {

/// Without verbs and options that the help hides.
nlohmann::ordered_json command_table(const CLI::App& command);

}  // namespace kinema::app
