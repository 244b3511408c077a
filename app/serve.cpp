// kinema serve: the live page by itself.
#include "app/options.h"
#include "app/view.h"

#include <memory>

namespace kinema::app {

void add_serve(CLI::App& parent, Task& task) {
  CLI::App* verb = parent.add_subcommand("serve", "The live page: head and window from the browser's own camera");
  const auto options = std::make_shared<ViewOptions>();
  add_server_options(*verb, *options, "Options");
  verb->callback([options, &task] {
    task.run = [options](const Ranks&) {
      View view(*options);
      view.wait();
    };
  });
}

}  // namespace kinema::app
