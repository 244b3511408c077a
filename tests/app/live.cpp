#include "live.h"

#include "io/pictures/image_file.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <stdexcept>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

std::string pixels_of(const io::DepthImage& image) {
  return {reinterpret_cast<const char*>(image.units.data()), image.units.size() * sizeof(std::uint16_t)};
}

std::string pixels_of(const fs::path& path) {
  const io::Picture picture = io::read_picture(path);
  return {picture.bgr.begin(), picture.bgr.end()};
}

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

void send(const sockaddr* address, socklen_t size, const std::string& bytes) {
  int connection = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  // until the command listens; a minute is more than any machine takes
  for (int attempt = 0; ::connect(connection, address, size) != 0; ++attempt) {
    if (attempt > 6000) throw std::runtime_error("nobody listens");
    ::poll(nullptr, 0, 10);
    // one that was refused cannot be used again
    ::close(connection);
    connection = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  }
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t count = ::send(connection, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
    if (count <= 0) throw std::runtime_error("the command does not read");
    at += static_cast<std::size_t>(count);
  }
  ::close(connection);
}

}  // namespace

std::string stream_of(const fs::path& recording, const std::string& more, std::size_t first, std::size_t last) {
  const bool depth = fs::exists(recording / "depth");
  nlohmann::ordered_json header = nlohmann::ordered_json::parse(bytes_of(recording / "camera.json"));
  const double fps = header["fps"];
  header["kinema"] = 1;
  header[depth ? "depth" : "pair"] = depth ? "uint16" : "bgr";
  if (!more.empty()) header.update(nlohmann::ordered_json::parse("{" + more + "}"));
  std::string stream = header.dump() + "\n";
  const std::vector<fs::path> files = files_of(recording / (depth ? "depth" : "left"));
  for (std::size_t i = first; i < std::min(last, files.size()); ++i) {
    stream += nlohmann::json{{"time", static_cast<double>(i) / fps}}.dump() + "\n";
    stream += depth ? pixels_of(io::read_depth_image(files[i]))
                    : pixels_of(files[i]) + pixels_of(recording / "right" / files[i].filename());
  }
  return stream;
}

std::string depth_units_of(const fs::path& recording) {
  std::string units;
  for (const fs::path& file : files_of(recording / "depth")) units += pixels_of(io::read_depth_image(file));
  return units;
}

std::string noise_of(std::size_t bytes) {
  std::mt19937 random(7);
  std::string noise(bytes, '\0');
  for (char& byte : noise) byte = static_cast<char>(random());
  return noise;
}

std::string code_block(const fs::path& page, const std::string& language) {
  const std::string text = bytes_of(page), begin = "```" + language + "\n";
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) throw std::runtime_error(page.string() + " has no " + begin);
  const std::size_t start = from + begin.size();
  return text.substr(start, text.find("```", start) - start);
}

void send_to_socket(const fs::path& path, const std::string& bytes) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  send(reinterpret_cast<sockaddr*>(&address), sizeof(address), bytes);
}

void send_to_port(int port, const std::string& bytes) {
  sockaddr_in address = loopback(port);
  send(reinterpret_cast<sockaddr*>(&address), sizeof(address), bytes);
}

int free_port() {
  const int trial = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  if (::bind(trial, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
    throw std::runtime_error("no free port");
  ::getsockname(trial, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(trial);
  return ntohs(address.sin_port);
}

const char* const realsense_stand_in = R"(
import math

SIZE = 640 * 480 * 2
UNITS = open("units", "rb").read()


class stream:
    depth = "depth"


class Lens:
    width, height, fx, fy, ppx, ppy = 640, 480, 525.0, 525.0, 319.5, 239.5


class Profile:
    def get_stream(self, which):
        return self

    def as_video_stream_profile(self):
        return self

    def get_intrinsics(self):
        return Lens

    def fps(self):
        return 30


class Frame:
    def __init__(self, number):
        self.number = number

    def get_depth_frame(self):
        return self if (self.number + 1) * SIZE <= len(UNITS) else None

    def get_timestamp(self):
        ms = 1000 * (self.number / 30)  # the number that 1/1000 of it is the time, to the bit
        return next(x for x in (ms, math.nextafter(ms, 0), math.nextafter(ms, 1e9)) if x / 1000 == self.number / 30)

    def get_data(self):
        return memoryview(UNITS)[self.number * SIZE : (self.number + 1) * SIZE]


class pipeline:
    def __init__(self):
        self.number = -1

    def start(self):
        return Profile()

    def wait_for_frames(self):
        self.number += 1
        return Frame(self.number)
)";

RunningCommand::RunningCommand(const Arguments& arguments, const fs::path& folder) {
  std::string name = (fs::temp_directory_path() / "kinema-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no scratch folder: " + name);
  streams_ = name;
  child_ = ::fork();
  if (child_ < 0) throw std::runtime_error("cannot run kinema");
  if (child_ > 0) return;
  const auto redirect = [&](const char* file, int flags, int to) {
    if (::dup2(::open(file, flags, 0666), to) < 0) ::_exit(126);
  };
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect((streams_ / "out").c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect((streams_ / "err").c_str(), O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  ::unsetenv("KINEMA_BACKEND");
  std::vector<char*> words = {const_cast<char*>(KINEMA_COMMAND)};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  ::execv(KINEMA_COMMAND, words.data());
  ::_exit(127);
}

RunningCommand::~RunningCommand() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  std::error_code ignored;
  fs::remove_all(streams_, ignored);
}

void RunningCommand::signal(int number) const { ::kill(child_, number); }

Outcome RunningCommand::wait() {
  int status = 0;
  if (::waitpid(child_, &status, 0) != child_) throw std::runtime_error("cannot wait for kinema");
  child_ = -1;
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), bytes_of(streams_ / "out"),
          bytes_of(streams_ / "err")};
}

}  // namespace kinema::app
