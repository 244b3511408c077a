#include "app/command_table.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace kinema::app {
namespace {

nlohmann::ordered_json names(const CLI::Option& option) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& name : option.get_snames()) list.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) list.push_back("--" + name);
  return list;
}

nlohmann::ordered_json entry(const CLI::Option& option) {
  nlohmann::ordered_json json;
  json["names"] = names(option);
  if (option.get_positional()) json["position"] = option.get_name(true);
  if (option.get_expected_max() > 0) json["value"] = option.get_type_name();
  if (const std::string text = option.get_default_str(); !text.empty()) json["default"] = text;
  if (option.get_required()) json["required"] = true;
  json["group"] = option.get_group();
  json["help"] = option.get_description();
  return json;
}

}  // namespace

nlohmann::ordered_json command_table(const CLI::App& command) {
  nlohmann::ordered_json json;
  json["name"] = command.get_name();
  json["help"] = command.get_description();
  if (const std::string footer = command.get_footer(); !footer.empty()) json["footer"] = footer;
  json["options"] = nlohmann::ordered_json::array();
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_group().empty()) json["options"].push_back(entry(*option));
  }
  json["verbs"] = nlohmann::ordered_json::array();
  for (const CLI::App* verb : command.get_subcommands([](const CLI::App* app) { return !app->get_group().empty(); }))
    json["verbs"].push_back(command_table(*verb));
  return json;
}

}  // namespace kinema::app
