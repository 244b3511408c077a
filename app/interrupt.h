// Ctrl-C as a wish: the work under way is finished, and what was done is kept. A second Ctrl-C ends the program.
#pragma once

#include <atomic>
#include <csignal>

namespace kinema::app {

class Interrupt {
public:
  // of several at once, such as a page's server and what runs behind it, the first one counts
  Interrupt() {
    if (holders_++ > 0) return;
    asked_ = 0;
    old_ = std::signal(SIGINT, [](int) {
      asked_ = 1;
      std::signal(SIGINT, SIG_DFL);
    });
  }
  ~Interrupt() {
    if (--holders_ == 0) std::signal(SIGINT, old_);
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool asked() const { return asked_ != 0; }

private:
  static inline volatile std::sig_atomic_t asked_ = 0;
  static inline std::atomic<int> holders_ = 0;
  static inline void (*old_)(int) = SIG_DFL;
};

}  // namespace kinema::app
