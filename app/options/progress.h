// A progress bar on standard error: only on a terminal, and only if the work takes long enough to read it.
#pragma once

#include "core/stopwatch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <string>

namespace kinema::app {

class Progress {
public:
  Progress(std::string what, std::size_t total, bool wanted)
      : what_(std::move(what)), total_(total), wanted_(wanted && total > 0 && ::isatty(STDERR_FILENO) == 1) {}
  ~Progress() {
    if (shown_) std::fputs("\r\x1b[K", stderr);
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `note` follows the numbers.
  void show(std::size_t done, const std::string& note = {}) {
    if (!wanted_ || last_.ms() < (shown_ ? 100 : 1000)) return;
    constexpr std::size_t width = 30;
    const std::size_t filled = width * done / total_;
    fmt::print(stderr, "\r\x1b[K{} [{:=<{}}{:<{}}] {}/{}{}", what_, "", filled, "", width - filled, done, total_, note);
    std::fflush(stderr);
    last_ = {};
    shown_ = true;
  }

  /// A line above the bar; also where there is no terminal.
  void note(const std::string& line) {
    // what cannot be written is not worth ending the work for
    std::fputs(fmt::format("{}{}\n", shown_ ? "\r\x1b[K" : "", line).c_str(), stderr);
    std::fflush(stderr);
  }

private:
  std::string what_;
  std::size_t total_;
  bool wanted_;
  bool shown_ = false;
  Stopwatch last_;  // when it was drawn
};

}  // namespace kinema::app
