// kinema cameras: the sources that --input takes beside files, what is connected, and what this build lacks.
#include "app/options/options.h"
#include "io/sources/source_schemes.h"

#include <memory>

namespace kinema::app {
namespace {

std::string users(const io::Scheme& scheme) {
  return fmt::format("{}{}{}", scheme.body ? "body" : "", scheme.body && scheme.colour ? ", " : "",
                     scheme.colour ? "head, face" : "");
}

void print_cameras() {
  const std::vector<io::Scheme> all = io::schemes();
  fmt::print("sources for --input, besides files\n");
  for (const io::Scheme& scheme : all) {
    fmt::print("  {:<22} {} ({})\n", scheme.forms, scheme.description, users(scheme));
    if (!scheme.package.empty()) {
      fmt::print("  {:<22} not in this build: install {} and build again\n", "", scheme.package);
    }
  }
  fmt::print("\nconnected\n");
  bool any = false;
  for (const io::Scheme& scheme : all) {
    for (const io::Connected& device : scheme.connected) {
      fmt::print("  {:<22} {}\n", device.input, device.name);
      any = true;
    }
  }
  if (!any) fmt::print("  none\n");
}

nlohmann::ordered_json cameras_json() {
  nlohmann::ordered_json json;
  json["sources"] = nlohmann::ordered_json::array();
  json["connected"] = nlohmann::ordered_json::array();
  for (const io::Scheme& scheme : io::schemes()) {
    json["sources"].push_back({{"forms", scheme.forms},
                               {"description", scheme.description},
                               {"body", scheme.body},
                               {"colour", scheme.colour},
                               {"available", scheme.package.empty()},
                               {"package", scheme.package}});
    for (const io::Connected& device : scheme.connected) {
      json["connected"].push_back({{"input", device.input}, {"name", device.name}});
    }
  }
  return json;
}

}  // namespace

void add_cameras(Verb parent, Task& task) {
  Verb verb = parent.add("cameras", "List the cameras and other live sources that --input takes");
  const auto json = std::make_shared<bool>(false);
  verb.under("Everywhere").flag("--json", *json, "Print the list as one JSON object on standard output");
  verb.chosen([json, &task] {
    task.run = [json](const Ranks&) {
      if (*json)
        print_json(cameras_json());
      else
        print_cameras();
    };
  });
}

}  // namespace kinema::app
