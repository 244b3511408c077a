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
  View view(options.view, std::move(calibration));
  view.wait();
}

}  // namespace

void add_serve(Verb parent, Task& task) {
  Verb verb = parent.add("serve", "The live page: head and window from the browser's own camera");
  const auto options = std::make_shared<Options>();
  add_server_options(verb, options->view, "Options");
  verb.option("--filter", options->filter, "The user's colours, instead of a calibration on the page")
      .type("filter.json");
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
