// Frames as another program sends them (docs/stream.md), and a command that runs while a test does something else.
#pragma once

#include "command.h"

#include <filesystem>
#include <string>

#include <sys/types.h>

namespace kinema::app {

/// Frames `first` up to `last` of a recording as a stream; `more`: further members of its header.
std::string stream_of(const std::filesystem::path& recording, const std::string& more = "", std::size_t first = 0,
                      std::size_t last = 1000000);

/// The depth images alone, one after the other.
std::string depth_units_of(const std::filesystem::path& recording);

/// Bytes that cannot be compressed.
std::string noise_of(std::size_t bytes);

/// The first block of code in this language.
std::string code_block(const std::filesystem::path& page, const std::string& language);

/// Connects as soon as somebody listens, sends and closes: a socket in the file system, and a port of this machine.
void send_to_socket(const std::filesystem::path& path, const std::string& bytes);
void send_to_port(int port, const std::string& bytes);

/// One that nobody uses, now.
int free_port();

/// A pyrealsense2.py that serves the file "units": 640 x 480 pixels, 30 frames per second.
extern const char* const realsense_stand_in;

/// The kinema command in the background; killed if the test does not wait for it.
class RunningCommand {
public:
  RunningCommand(const Arguments& arguments, const std::filesystem::path& folder);
  ~RunningCommand();
  RunningCommand(const RunningCommand&) = delete;
  RunningCommand& operator=(const RunningCommand&) = delete;

  Outcome wait();
  void signal(int number) const;
  pid_t process() const { return child_; }

private:
  std::filesystem::path streams_;
  pid_t child_ = -1;
};

}  // namespace kinema::app
