// kinema serve, and --view, as far as they end by themselves; what they show is tested in web/tests.
#include "command.h"

namespace kinema::app {
namespace {

TEST(Serve, RefusesAnAddressThatIsNone) {
  const Problem problem;
  const std::string says = KINEMA_PAGES ? "is not an address to serve at" : "live page";
  expect_one_line(run_kinema({"serve", "--address", "here", "--port", "0"}, problem.folder()), 2, says);
}

TEST(Serve, RefusesAPortThatIsNone) {
  const Problem problem;
  expect_one_line(run_kinema({"serve", "--port", "70000"}, problem.folder()), 2, "--port");
}

TEST(Serve, RefusesOtherMachinesWithoutTheToken) {
  const Problem problem;
  const std::string says = KINEMA_PAGES ? "leave out --no-token" : "live page";
  expect_one_line(run_kinema({"serve", "--address", "0.0.0.0", "--no-token", "--port", "0"}, problem.folder()), 2,
                  says);
}

TEST(Serve, RefusesAFilterThatIsNotThere) {
  const Problem problem;
  expect_one_line(run_kinema({"serve", "--filter", "none.json", "--port", "0"}, problem.folder()), 2, "none.json");
}

}  // namespace
}  // namespace kinema::app
