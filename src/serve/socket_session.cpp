#include "serve/socket_session.h"

#include <boost/asio/post.hpp>

#include <utility>

namespace kinema::serve {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

// What the system holds for a page that does not read: a frame or two, so that what it reads next is not old.
constexpr int send_buffer = 1 << 18;

class SocketSession : public std::enable_shared_from_this<SocketSession> {
public:
  SocketSession(beast::tcp_stream stream, House& house, std::shared_ptr<Seat> seat)
      : house_(house), seat_(std::move(seat)), socket_(std::move(stream)) {}

  void start(beast::http::request<beast::http::empty_body> request) {
    beast::error_code ignored;
    beast::tcp_stream& stream = beast::get_lowest_layer(socket_);
    stream.expires_never();  // the WebSocket keeps its own time
    stream.socket().set_option(boost::asio::ip::tcp::no_delay(true), ignored);
    stream.socket().set_option(boost::asio::socket_base::send_buffer_size(send_buffer), ignored);
    socket_.set_option(websocket::stream_base::timeout{house_.limits.request, house_.limits.silence, true});
    socket_.read_message_max(house_.limits.message_bytes);
    socket_.auto_fragment(false);
    request_ = std::move(request);
    socket_.async_accept(request_, [self = shared_from_this()](beast::error_code error) {
      if (!error) self->open();
    });
  }

private:
  void open() {
    // woken by any thread: the word goes to the server's own
    const std::weak_ptr<SocketSession> self = weak_from_this();
    conversation_.emplace(house_.hub, house_.make_partner, [self, &house = house_, executor = socket_.get_executor()] {
      const std::lock_guard lock(house.door);
      if (house.closed) return;
      boost::asio::post(executor, [self] {
        if (const auto session = self.lock()) session->pump();
      });
    });
    pump();
    read();
  }

  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](beast::error_code error, std::size_t) {
      if (!error) self->received();
    });
  }

  void received() {
    const std::string_view bytes(static_cast<const char*>(buffer_.data().data()), buffer_.size());
    if (socket_.got_text()) {
      conversation_->received_text(bytes);
    } else {
      conversation_->received_message(bytes);
    }
    buffer_.consume(buffer_.size());
    pump();
    if (!closing_) read();
  }

  // Sends what there is, one packet at a time.
  void pump() {
    if (closing_) return;
    if (conversation_->stalled()) return cut_off();
    if (writing_) return;
    auto packet = conversation_->next();
    if (!packet) {
      if (conversation_->broken()) hang_up();
      return;
    }
    writing_ = true;
    socket_.binary(packet->binary);
    const boost::asio::const_buffer bytes(packet->bytes->data(), packet->bytes->size());
    socket_.async_write(bytes, [self = shared_from_this(), kept = packet->bytes](beast::error_code error, std::size_t) {
      self->writing_ = false;
      if (!error) self->pump();
    });
  }

  void cut_off() {
    closing_ = true;
    beast::get_lowest_layer(socket_).close();
  }

  void hang_up() {
    closing_ = true;
    // one who breaks the rules may not say goodbye either
    socket_.set_option(websocket::stream_base::timeout{house_.limits.goodbye, house_.limits.silence, false});
    socket_.async_close(websocket::close_code::policy_error, [self = shared_from_this()](beast::error_code) {});
  }

  House& house_;
  std::shared_ptr<Seat> seat_;
  websocket::stream<beast::tcp_stream, false> socket_;  // false: no compression, which would cost time on this machine
  beast::http::request<beast::http::empty_body> request_;
  beast::flat_buffer buffer_;
  bool writing_ = false, closing_ = false;
  std::optional<Conversation> conversation_;
};

}  // namespace

void serve_socket(beast::tcp_stream stream, beast::http::request<beast::http::empty_body> request, House& house,
                  std::shared_ptr<Seat> seat) {
  std::make_shared<SocketSession>(std::move(stream), house, std::move(seat))->start(std::move(request));
}

}  // namespace kinema::serve
