// Ctrl-C as a wish: the work under way is finished, and what was done is kept. A second Ctrl-C ends the program.
#pragma once

#include <csignal>

namespace kinema::app {

class Interrupt {
public:
  Interrupt() {
    asked_ = 0;
    old_ = std::signal(SIGINT, [](int) {
      asked_ = 1;
      std::signal(SIGINT, SIG_DFL);
    });
  }
  ~Interrupt() { std::signal(SIGINT, old_); }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool asked() const { return asked_ != 0; }

private:
  static inline volatile std::sig_atomic_t asked_ = 0;
  void (*old_)(int) = SIG_DFL;
};

}  // namespace kinema::app
