// A client that says what it likes, byte by byte: HTTP and WebSocket over a plain socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinema::serve {

class Client {
public:
  /// `receive_buffer`: bytes that the system keeps for a client that does not read; 0: as many as it likes.
  /// `from`: an address of this machine.
  explicit Client(std::uint16_t port, int receive_buffer = 0, const char* from = "127.0.0.1");
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// False where the other side has hung up.
  bool send(std::string_view bytes);

  /// Says that nothing more will be sent; answers are still read.
  void finish();

  struct Response {
    int status = 0;  ///< 0: it hung up without an answer
    std::string head, body;
  };
  Response receive();
  Response get(const std::string& target, const std::string& more_headers = "", const std::string& host = "localhost");

  /// The handshake of a WebSocket; its answer.
  Response upgrade(const std::string& more_headers = "", const std::string& host = "localhost",
                   const std::string& target = "/live");

  enum Opcode : std::uint8_t { continued = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };
  bool send_frame(Opcode opcode, std::string_view payload, bool last = true);
  /// The head of a frame whose payload is to be `length` bytes, which need not follow.
  bool send_frame_head(Opcode opcode, std::uint64_t length, bool last = true);

  struct Frame {
    int opcode = -1;  ///< -1: hung up
    std::string payload;
  };
  Frame receive_frame();

  /// Reads to the end; true where the other side hung up, false where it is still there after the time to wait.
  bool hung_up();

private:
  bool read_exactly(std::size_t count, std::string& out);

  int socket_ = -1;
  std::string read_ahead_;
};

}  // namespace kinema::serve
