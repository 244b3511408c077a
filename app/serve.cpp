// kinema serve: the live page by itself.
#include "app/options.h"
#include "app/view.h"
#include "io/filter_json.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinema::app {
namespace {

struct Options {
  ViewOptions view;
  std::string filter;
};

void run(const Options& options) {
  std::optional<head::Calibration> calibration;
  if (!options.filter.empty()) calibration = io::read_filter(options.filter);
  View view(options.view, std::move(calibration), true);
  for (const char* channel : {"body", "head", "face"}) view.hub().channel(channel);
  view.wait();
}

}  // namespace

void add_serve(CLI::App& parent, Task& task) {
  CLI::App* verb = parent.add_subcommand("serve", "The live page: head and window from the browser's own camera");
  const auto options = std::make_shared<Options>();
  add_server_options(*verb, options->view, "Options");
  verb->add_option("--filter", options->filter, "The user's colours, instead of a calibration on the page")
      ->type_name("filter.json");
  verb->callback([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
