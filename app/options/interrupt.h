// Ctrl-C, or the end of the terminal or of the machine, as a request to stop: the work in progress is finished, and its
// results are kept. A second Ctrl-C ends the program.
#pragma once

#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <ctime>

namespace kinema::app {

class Interrupt {
public:
  // of several at once, such as a page's server and the run behind it, the first one counts
  Interrupt() {
    if (holders_++ > 0) return;
    first_ = 0;
    for (std::size_t i = 0; i < signals_.size(); ++i) {
      old_[i] = std::signal(signals_[i], take);
      if (old_[i] == SIG_IGN) std::signal(signals_[i], SIG_IGN);  // as under nohup
    }
  }
  ~Interrupt() {
    if (--holders_ > 0) return;
    for (std::size_t i = 0; i < signals_.size(); ++i) std::signal(signals_[i], old_[i]);
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  bool asked() const { return first_ != 0; }

private:
  // timeout(1), mpirun and schedulers signal a process and then its group, which is one request and not two
  static constexpr long one_request_ms = 1000;

  static void take(int signal) {
    timespec time{};
    ::clock_gettime(CLOCK_MONOTONIC, &time);
    const long now = 1000L * time.tv_sec + time.tv_nsec / 1'000'000;
    if (first_ == 0) {
      first_ = now;
    } else if (now - first_ > one_request_ms) {
      std::signal(signal, SIG_DFL);
      std::raise(signal);
    }
  }

  static constexpr std::array<int, 3> signals_ = {SIGINT, SIGTERM, SIGHUP};
  static inline std::atomic<long> first_ = 0;  // when a signal came, milliseconds of a clock; 0: none did
  static inline std::atomic<int> holders_ = 0;
  static inline std::array<void (*)(int), 3> old_{};
};

}  // namespace kinema::app
