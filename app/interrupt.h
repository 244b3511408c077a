// Ctrl-C as a request to stop: the work in progress is finished, and its results are kept. A second Ctrl-C ends the
// program.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>

namespace kinema::app {

class Interrupt {
public:
  /// Which signals count: Ctrl-C only, or also those of a system shutdown or a closed terminal.
  enum class From { keyboard, anybody };

  // of several at once, such as a page's server and the run behind it, the first one counts
  explicit Interrupt(From from = From::keyboard) {
    if (holders_++ > 0) return;
    asked_ = 0;
    taken_ = from == From::keyboard ? 1 : signals_.size();
    for (std::size_t i = 0; i < taken_; ++i) {
      old_[i] = std::signal(signals_[i], [](int signal) {
        asked_ = 1;
        std::signal(signal, SIG_DFL);
      });
      if (old_[i] == SIG_IGN) std::signal(signals_[i], SIG_IGN);  // as under nohup
    }
  }
  ~Interrupt() {
    if (--holders_ > 0) return;
    for (std::size_t i = 0; i < taken_; ++i) std::signal(signals_[i], old_[i]);
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool asked() const { return asked_ != 0; }

private:
  static constexpr std::array<int, 3> signals_ = {SIGINT, SIGTERM, SIGHUP};
  static inline volatile std::sig_atomic_t asked_ = 0;
  static inline std::atomic<int> holders_ = 0;
  static inline std::size_t taken_ = 0;
  static inline std::array<void (*)(int), 3> old_{};
};

}  // namespace kinema::app
