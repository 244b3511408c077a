#include "app/batch/shared_process.h"

#include <cstdlib>

namespace kinema::app {
namespace {

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
