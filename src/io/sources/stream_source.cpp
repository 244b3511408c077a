#include "io/sources/openers.h"

#include "io/files/descriptor.h"
#include "io/files/text.h"
#include "io/sources/stream_format.h"
#include "kinema/error.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace kinema::io {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// A program that connects and then says nothing must not keep out the next one.
constexpr auto header_patience = 2s;

bool readable(const Descriptor& input, std::chrono::milliseconds wait) {
  pollfd waiting{input.number(), POLLIN, 0};
  return ::poll(&waiting, 1, static_cast<int>(std::clamp<long long>(wait.count(), 0, 1 << 30))) > 0;
}

[[noreturn]] void fail(const std::string& name, const char* what) {
  throw Error(fmt::format("{}: {}: {}", name, what, std::strerror(errno)), Error::Cause::running);
}

class Stream final : public RawSource {
public:
  Stream(std::string name, Descriptor input, bool socket)
      : name_(std::move(name)), input_(std::move(input)), socket_(socket) {}

  /// Reads the header; false if it has not come yet.
  bool begin(std::chrono::milliseconds wait) {
    if (!fill(wait)) return false;
    if (!parser_.header() && closed_) throw Error(fmt::format("{}: ended before a header came", name_));
    return parser_.header().has_value();
  }

  /// Says what follows the header.
  void describe(const RecordingSettings& settings, SourceUse use) {
    format_ = stream_raw_format(*parser_.header(), name_, settings, use);
    format_.reopens = socket_;
  }

  Got read(RawFrame& frame, std::chrono::milliseconds wait) override {
    const auto until = Clock::now() + wait;
    for (;;) {
      if (std::optional<RawFrame> next = parse()) {
        frame = std::move(*next);
        return Got::frame;
      }
      if (parser_.ended()) return Got::end;
      if (closed_) return end();
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
      if (!fill(std::max(left, 0ms))) return Got::nothing;
    }
  }

private:
  // Where the sender went away without a word, a live stream may come back.
  Got end() const {
    if (parser_.inside_frame()) {
      throw Error(fmt::format("{}: ended within frame {}", name_, parser_.frames()), Error::Cause::running);
    }
    if (format_.live && socket_) {
      throw Error(fmt::format("{}: the program that sends frames is gone", name_), Error::Cause::running);
    }
    return Got::end;
  }

  std::optional<RawFrame> parse() {
    try {
      return parser_.next();
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", name_, error.what()));
    }
  }

  // Takes what has arrived; false if nothing did.
  bool fill(std::chrono::milliseconds wait) {
    if (!readable(input_, wait)) return false;
    const ssize_t count = ::read(input_.number(), buffer_.data(), buffer_.size());
    if (count < 0) {
      if (errno == EINTR || errno == EAGAIN) return false;
      if (errno != ECONNRESET) fail(name_, "cannot be read");
    }
    closed_ = count <= 0;
    try {
      if (count > 0) parser_.add({buffer_.data(), static_cast<std::size_t>(count)});
    } catch (const Error& error) {
      throw Error(fmt::format("{}: {}", name_, error.what()));
    }
    return true;
  }

  std::string name_;
  Descriptor input_;
  bool socket_;
  StreamParser parser_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{1} << 18);
  bool closed_ = false;
};

// The socket at which kinema listens, on this machine only.
class Listener {
public:
  explicit Listener(const std::string& word) : name_(word), socket_(open(word)) {}
  ~Listener() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  std::optional<Descriptor> accept(std::chrono::milliseconds wait) const {
    if (!readable(socket_, wait)) return std::nullopt;
    const int connection = ::accept4(socket_.number(), nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0) return std::nullopt;  // it went away again
    return Descriptor(connection);
  }

private:
  Descriptor open(const std::string& word) {
    const bool local = word.starts_with("unix:");
    Descriptor socket(::socket(local ? AF_UNIX : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (socket.number() < 0) fail(name_, "no socket");
    local ? bind_path(socket, word.substr(5)) : bind_port(socket, word.substr(4));
    if (::listen(socket.number(), 4) != 0) fail(name_, "cannot listen");
    return socket;
  }

  void bind_path(const Descriptor& socket, const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty()) throw Error("unix: is not an address: give the path of the socket, as in unix:/tmp/frames");
    if (path.size() >= sizeof(address.sun_path)) {
      throw Error(fmt::format("{}: the path of a socket has at most {} bytes", name_, sizeof(address.sun_path) - 1));
    }
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    const auto* where = reinterpret_cast<const sockaddr*>(&address);
    remove_stale(path, where, sizeof(address));
    if (::bind(socket.number(), where, sizeof(address)) != 0) {
      throw Error(fmt::format("{}: cannot be made: {}", name_, std::strerror(errno)));
    }
    path_ = path;
  }

  // A socket that nobody listens at is left from a run that was killed.
  void remove_stale(const std::string& path, const sockaddr* where, socklen_t size) const {
    struct stat there {};
    if (::lstat(path.c_str(), &there) != 0) return;
    if (!S_ISSOCK(there.st_mode)) throw Error(fmt::format("{}: there is another file of that name", name_));
    const Descriptor trial(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(trial.number(), where, size) == 0 || errno != ECONNREFUSED) {
      throw Error(fmt::format("{}: another program listens there already", name_));
    }
    ::unlink(path.c_str());
  }

  void bind_port(const Descriptor& socket, const std::string& text) const {
    const auto port = exact_number_in<std::uint16_t>(text);
    if (!port || *port < 1) {
      throw Error(fmt::format("{}: is not an address: give a port of this machine, as in tcp:7007", name_));
    }
    const int yes = 1;
    ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(*port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      throw Error(fmt::format("{}: cannot be opened: {}", name_, std::strerror(errno)));
    }
  }

  std::string name_, path_;
  Descriptor socket_;
};

RawOpener standard_input(const RecordingSettings& settings, SourceUse use) {
  return [settings, use, waiting = std::make_shared<std::unique_ptr<Stream>>()]() -> std::unique_ptr<RawSource> {
    if (::isatty(STDIN_FILENO) == 1) {
      throw Error("standard input is a terminal: pipe frames into the command (docs/stream.md says how)");
    }
    if (!*waiting) *waiting = std::make_unique<Stream>("standard input", Descriptor(STDIN_FILENO), false);
    if (!(*waiting)->begin(200ms)) return nullptr;
    (*waiting)->describe(settings, use);
    return std::move(*waiting);
  };
}

}  // namespace

bool names_stream(const std::string& word) {
  return word == "-" || word.starts_with("unix:") || (word.starts_with("tcp:") && !word.starts_with("tcp://"));
}

RawOpener stream_opener(const std::string& word, const RecordingSettings& settings, SourceUse use) {
  if (word == "-") return standard_input(settings, use);
  return [listener = std::make_shared<Listener>(word), word, settings, use]() -> std::unique_ptr<RawSource> {
    std::optional<Descriptor> connection = listener->accept(200ms);
    if (!connection) return nullptr;
    auto stream = std::make_unique<Stream>(word, std::move(*connection), true);
    try {
      const auto until = Clock::now() + header_patience;
      while (!stream->begin(100ms)) {
        if (Clock::now() > until) throw Error(fmt::format("{}: no header came", word));
      }
    } catch (const Error& error) {
      // a browser, or somebody who looks for open ports; whoever is expected may still come
      if (settings.wait.note)
        settings.wait.note(fmt::format("{}; closed that connection, and waits for another", error.what()));
      return nullptr;
    }
    stream->describe(settings, use);
    return stream;
  };
}

}  // namespace kinema::io
