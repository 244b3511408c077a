// Signals as requests to stop.
#include "app/options/interrupt.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace kinema::app {
namespace {

// In a process of its own: exit code 0 if the signals were taken as one request.
template <class Raise>
[[noreturn]] void ask(Raise raise) {
  const Interrupt interrupt;
  if (interrupt.asked()) std::_Exit(2);
  raise();
  std::_Exit(interrupt.asked() ? 0 : 1);
}

TEST(Interrupt, SignalsOfAShutdownAreRequestsAsCtrlCIs) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(ask([&] { std::raise(signal); }), ::testing::ExitedWithCode(0), "") << signal;
  }
}

TEST(Interrupt, TwoSignalsAtOnceAreOneRequest) {
  EXPECT_EXIT(ask([] {
                std::raise(SIGTERM);
                std::raise(SIGTERM);
                std::raise(SIGINT);
              }),
              ::testing::ExitedWithCode(0), "");
}

TEST(Interrupt, ALaterSignalEndsTheProgram) {
  EXPECT_EXIT(ask([] {
                for (;;) std::raise(SIGINT);
              }),
              ::testing::KilledBySignal(SIGINT), "");
}

TEST(Interrupt, SignalsThatWereIgnoredStayIgnored) {
  EXPECT_EXIT(
      {
        std::signal(SIGHUP, SIG_IGN);  // as nohup does
        const Interrupt interrupt;
        std::raise(SIGHUP);
        std::_Exit(interrupt.asked() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace kinema::app
