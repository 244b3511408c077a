// A process that runs several jobs of a batch at once, as threads: on a GPU they share one CUDA context, whose streams
// compute side by side, while a GPU runs the kernels of different processes in turns.
#pragma once

#include "app/batch/child_process.h"
#include "io/files/descriptor.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinema::app {

/// A list of texts without zero bytes, such as the words of a command. They need not be UTF-8.
using Message = std::vector<std::string>;

/// Messages between a process and the one that started it, over a pair of sockets.
class Channel {
public:
  /// Takes the descriptor of a connected stream socket.
  explicit Channel(int descriptor) : socket_(descriptor) {}

  /// Both ends, which exec closes. Throws Error of cause running.
  static std::pair<Channel, Channel> make_pair();

  int descriptor() const { return socket_.number(); }

  /// False if the other end is gone. Waits while the other end has much to read.
  bool send(const Message& message);

  enum class IfNone { wait, give_up };
  /// Nothing if the other end is gone and all its messages were read, or if there is none yet and `if_none` says so.
  std::optional<Message> receive(IfNone if_none);

private:
  io::Descriptor socket_;
  std::string unread_;
  bool open_ = true;  // the other end may still send
};

/// A job for such a process: a command, and files for what it prints.
struct JobCall {
  int number = 0;  ///< by which its end is known
  std::filesystem::path output, log;
  std::vector<std::string> words;  ///< after the program's name
};

struct JobEnd {
  int number = 0;
  int exit_code = 0;
  double cpu_seconds = 0;        ///< its share: jobs that run at the same time count alike
  std::uint64_t peak_bytes = 0;  ///< largest resident memory of the process so far, which all its jobs share
};

Message to_message(const JobCall& call);
Message to_message(const JobEnd& end);
JobCall call_of(const Message& message);
JobEnd end_of(const Message& message);

class SharedProcess {
public:
  /// Starts it. `folder`: the working directory of all its jobs. Throws Error if that fails.
  SharedProcess(const std::filesystem::path& program, const std::filesystem::path& folder,
                std::vector<std::pair<std::string, std::string>> environment);

  /// False if the process has ended.
  bool start(const JobCall& call) { return channel_.send(to_message(call)); }

  /// A job that has ended, if there is one.
  std::optional<JobEnd> ended_job();

  /// How the process ended, to be asked when there is no ended_job(); nothing while it runs.
  std::optional<ChildEnd> ended() { return child_.ended(); }

  /// Readable when a job has ended.
  int descriptor() const { return channel_.descriptor(); }

private:
  SharedProcess(std::pair<Channel, Channel> ends, const std::filesystem::path& program,
                const std::filesystem::path& folder, std::vector<std::pair<std::string, std::string>> environment);

  Channel channel_;
  ChildProcess child_;
};

}  // namespace kinema::app
