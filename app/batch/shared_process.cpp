#include "app/batch/shared_process.h"

#include "kinema/error.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace kinema::app {
namespace {

// A message is the number of its bytes, then its texts, each with a zero after it.
using Size = std::uint32_t;

std::string packed(const Message& message) {
  std::string bytes(sizeof(Size), '\0');
  for (const std::string& text : message) bytes.append(text.c_str(), text.size() + 1);
  const Size size = static_cast<Size>(bytes.size() - sizeof(Size));
  std::memcpy(bytes.data(), &size, sizeof size);
  return bytes;
}

// Takes the first message off `bytes` if it is complete.
std::optional<Message> unpack(std::string& bytes) {
  Size size = 0;
  if (bytes.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof size);
  if (bytes.size() - sizeof size < size) return std::nullopt;
  Message message;
  for (std::size_t at = sizeof size; at < sizeof size + size;) {
    message.emplace_back(bytes.c_str() + at);
    at += message.back().size() + 1;
  }
  bytes.erase(0, sizeof size + size);
  return message;
}

using Variables = std::vector<std::pair<std::string, std::string>>;

// Unless the user has set it.
void add_default(Variables& variables, const char* name, const char* value) {
  if (std::getenv(name) == nullptr) variables.emplace_back(name, value);
}

ChildSettings settings_of(const std::filesystem::path& program, const std::filesystem::path& folder, int channel,
                          Variables variables) {
  // streams beyond the number of hardware queues wait for each other; by default there are 8, at most 32
  add_default(variables, "CUDA_DEVICE_MAX_CONNECTIONS", "32");
  // otherwise the first video would set it (video_capture_opencv.cpp), while other threads may read the environment
  add_default(variables, "OPENCV_FFMPEG_LOGLEVEL", "-8");
  ChildSettings settings;
  settings.words = {program.string(), "batch-worker"};
  settings.folder = folder;
  settings.output = settings.log = "/dev/null";  // what jobs print goes to their own files
  settings.channel = channel;
  settings.environment = std::move(variables);
  return settings;
}

}  // namespace

std::pair<Channel, Channel> Channel::make_pair() {
  int ends[2] = {};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Error(fmt::format("no sockets could be made: {}", std::strerror(errno)), Error::Cause::running);
  }
  return {Channel(ends[0]), Channel(ends[1])};
}

bool Channel::send(const Message& message) {
  const std::string bytes = packed(message);
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t some = ::send(descriptor(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (some < 0 && errno != EINTR) return false;
    if (some > 0) sent += static_cast<std::size_t>(some);
  }
  return true;
}

std::optional<Message> Channel::receive(IfNone if_none) {
  for (;;) {
    if (auto message = unpack(unread_)) return message;
    if (!open_) return std::nullopt;
    char bytes[4096];
    const ssize_t some = ::recv(descriptor(), bytes, sizeof bytes, if_none == IfNone::give_up ? MSG_DONTWAIT : 0);
    if (some > 0) {
      unread_.append(bytes, static_cast<std::size_t>(some));
    } else if (some < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      return std::nullopt;
    } else if (some == 0 || errno != EINTR) {
      open_ = false;
    }
  }
}

Message to_message(const JobCall& call) {
  Message message = {std::to_string(call.number), call.output.string(), call.log.string()};
  message.insert(message.end(), call.words.begin(), call.words.end());
  return message;
}

JobCall call_of(const Message& message) {
  return {std::stoi(message.at(0)), message.at(1), message.at(2), {message.begin() + 3, message.end()}};
}

Message to_message(const JobEnd& end) {
  return {std::to_string(end.number), std::to_string(end.exit_code), std::to_string(end.cpu_seconds),
          std::to_string(end.peak_bytes)};
}

JobEnd end_of(const Message& message) {
  return {std::stoi(message.at(0)), std::stoi(message.at(1)), std::stod(message.at(2)), std::stoull(message.at(3))};
}

SharedProcess::SharedProcess(const std::filesystem::path& program, const std::filesystem::path& folder,
                             Variables environment)
    : SharedProcess(Channel::make_pair(), program, folder, std::move(environment)) {}

SharedProcess::SharedProcess(std::pair<Channel, Channel> ends, const std::filesystem::path& program,
                             const std::filesystem::path& folder, Variables environment)
    : channel_(std::move(ends.first)),
      child_(settings_of(program, folder, ends.second.descriptor(), std::move(environment))) {}

std::optional<JobEnd> SharedProcess::ended_job() {
  const std::optional<Message> message = channel_.receive(Channel::IfNone::give_up);
  return message ? std::optional(end_of(*message)) : std::nullopt;
}

}  // namespace kinema::app
