// kinema serve: the live page alone.
#include "app/options/interrupt.h"
#include "app/options/options.h"
#include "app/page/view.h"
#include "io/faces/filter_json.h"
#include "kinema/files.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinema::app {
namespace {

struct ServeOptions {
  ViewOptions view;
  std::string filter, model;
};

void run(const ServeOptions& options) {
  const Interrupt interrupt;  // so that dropped files do not remain, from the first one on
  std::optional<head::Calibration> calibration;
  if (!options.filter.empty()) calibration = io::read_filter(options.filter);
  std::shared_ptr<const face::Model> model;  // refused before anything is served
  if (!options.model.empty()) model = std::make_shared<const face::Model>(read_face_model(options.model));
  View view(options.view, std::move(calibration), true);
  for (const char* channel : {"body", "head", "face"}) view.hub().channel(channel);
  if (model) view.faces().set_model(model);
  if (const auto shown = view.faces().model()) {
    serve::FaceFeed(view.hub().channel("face"), model ? options.model : "kinema's own model", shown).finish();
  }
  view.wait();
}

}  // namespace

void add_serve(Verb parent, Task& task) {
  Verb verb = parent.add("serve",
                         "Serve the live page: track heads and faces in the browser's camera, dropped files, and "
                         "frames of other programs");
  const auto options = std::make_shared<ServeOptions>();
  add_server_options(verb.under("Options"), options->view);
  verb.option("--filter", options->filter, "filter.json", "The user's colours, in place of a calibration on the page");
  verb.option("--model", options->model, "M.kface",
              "The face model for the browser's camera, in place of kinema's own");
  verb.chosen([options, &task] { task.run = [options](const Ranks&) { run(*options); }; });
}

}  // namespace kinema::app
