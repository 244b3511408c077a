// A program as a child process that cannot outlive this one: if this process is killed, so is the child.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinema::app {

/// Beyond standard input, output and error.
constexpr int channel_descriptor = 3;

struct ChildSettings {
  std::vector<std::string> words;     ///< the program's path, and its arguments
  std::filesystem::path folder;       ///< its working directory
  std::filesystem::path output, log;  ///< files for its standard output and standard error

  int channel = -1;  ///< a descriptor that the child gets as channel_descriptor; -1: none

  /// Variables to set. Those by which MPI knows a rank are removed: the child is none.
  std::vector<std::pair<std::string, std::string>> environment;
};

struct ChildEnd {
  int exit_code = 0;  ///< 127: the program could not be started
  int signal = 0;     ///< that ended it; 0: none
  double cpu_seconds = 0;
  std::uint64_t peak_bytes = 0;  ///< largest resident memory
};

class ChildProcess {
public:
  /// Starts it in a process group of its own, so that Ctrl-C reaches only this process. Call it from one thread that
  /// lives as long as the child: Linux kills the child when that thread ends. Throws Error if no process can be started
  /// or a file cannot be opened.
  explicit ChildProcess(const ChildSettings& settings);

  /// Kills it if it is running.
  ~ChildProcess();

  ChildProcess(ChildProcess&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  ChildProcess& operator=(ChildProcess&&) = delete;

  /// How it ended; nothing while it runs. Not to be called again after that.
  std::optional<ChildEnd> ended();

private:
  pid_t id_ = -1;
};

}  // namespace kinema::app
