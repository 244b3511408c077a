#include "app/batch/child_process.h"

#include "io/files/descriptor.h"
#include "kinema/error.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

namespace kinema::app {
namespace {

io::Descriptor opened(const std::filesystem::path& path, int flags) {
  io::Descriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0666));
  if (file.open()) return file;
  throw Error(fmt::format("{}: could not be opened: {}", path.string(), std::strerror(errno)), Error::Cause::running);
}

std::vector<std::string> environment_of(const ChildSettings& settings) {
  std::vector<std::string> variables;
  for (char** variable = ::environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const bool of_mpi = text.starts_with("OMPI_") || text.starts_with("PMI_") || text.starts_with("PMIX_");
    const auto replaced = [&](const auto& set) {
      return text.starts_with(set.first) && text.substr(set.first.size()).starts_with('=');
    };
    if (!of_mpi && std::none_of(settings.environment.begin(), settings.environment.end(), replaced)) {
      variables.emplace_back(text);
    }
  }
  for (const auto& [name, value] : settings.environment) variables.push_back(fmt::format("{}={}", name, value));
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> made;
  made.reserve(texts.size() + 1);
  for (std::string& text : texts) made.push_back(text.data());
  made.push_back(nullptr);
  return made;
}

// In the child, after the other descriptors, whose numbers it may take.
bool pass_on(int channel) {
  if (channel < 0) return true;
  if (channel == channel_descriptor) return ::fcntl(channel, F_SETFD, 0) == 0;  // else closed by exec
  return ::dup2(channel, channel_descriptor) >= 0;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

ChildProcess::ChildProcess(const ChildSettings& settings) {
  // between fork and exec only calls that are safe in a signal handler are allowed: everything is prepared here
  std::vector<std::string> words = settings.words, variables = environment_of(settings);
  const std::vector<char*> arguments = pointers(words), environment = pointers(variables);
  const std::string folder = settings.folder.string();
  const io::Descriptor input = opened("/dev/null", O_RDONLY),
                       output = opened(settings.output, O_WRONLY | O_CREAT | O_TRUNC),
                       log = opened(settings.log, O_WRONLY | O_CREAT | O_TRUNC);
  const pid_t parent = ::getpid();
  id_ = ::fork();
  if (id_ < 0) {
    throw Error(fmt::format("no process could be started: {}", std::strerror(errno)), Error::Cause::running);
  }
  if (id_ > 0) return;

  ::setpgid(0, 0);
#if defined(__linux__)
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);  // it ended before that call
#endif
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(input.number(), STDIN_FILENO) >= 0 && ::dup2(output.number(), STDOUT_FILENO) >= 0 &&
      ::dup2(log.number(), STDERR_FILENO) >= 0 && pass_on(settings.channel) && ::chdir(folder.c_str()) == 0) {
    ::execve(arguments.front(), arguments.data(), environment.data());
  }
  ::_exit(127);
}

ChildProcess::~ChildProcess() {
  if (id_ <= 0) return;
  ::kill(id_, SIGKILL);
  while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::optional<ChildEnd> ChildProcess::ended() {
  int status = 0;
  rusage used{};
  const pid_t id = ::wait4(id_, &status, WNOHANG, &used);
  if (id == 0 || (id < 0 && errno == EINTR)) return std::nullopt;
  id_ = -1;
  if (id < 0) return ChildEnd{.exit_code = 127};
  ChildEnd end;
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  end.peak_bytes = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  return end;
}

}  // namespace kinema::app
