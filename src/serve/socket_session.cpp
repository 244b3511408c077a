#include "serve/socket_session.h"

#include <boost/asio/post.hpp>

#include <utility>

namespace kinema::serve {
namespace {

namespace beast = boost::beast;
namespace websocket = beast::websocket;

// What the system buffers for a page that does not read: a frame or two, so that what it reads next is recent.
constexpr int send_buffer = 1 << 18;

class SocketSession : public std::enable_shared_from_this<SocketSession> {
public:
  SocketSession(beast::tcp_stream stream, ServerContext& context, std::shared_ptr<ConnectionSlot> slot)
      : context_(context), slot_(std::move(slot)), socket_(std::move(stream)) {}

  void start(beast::http::request<beast::http::empty_body> request) {
    beast::error_code ignored;
    beast::tcp_stream& stream = beast::get_lowest_layer(socket_);
    stream.expires_never();  // the WebSocket keeps its own time
    stream.socket().set_option(boost::asio::ip::tcp::no_delay(true), ignored);
    stream.socket().set_option(boost::asio::socket_base::send_buffer_size(send_buffer), ignored);
    socket_.set_option(websocket::stream_base::timeout{context_.limits.request, context_.limits.idle, true});
    socket_.read_message_max(context_.limits.message_bytes);
    socket_.auto_fragment(false);
    request_ = std::move(request);
    socket_.async_accept(request_, [self = shared_from_this()](beast::error_code error) {
      if (!error) self->open();
    });
  }

private:
  void open() {
    // called by any thread: the work is posted to the server's own
    const std::weak_ptr<SocketSession> self = weak_from_this();
    session_.emplace(context_.hub, context_.make_handlers,
                     [self, &context = context_, executor = socket_.get_executor()] {
                       const std::lock_guard lock(context.mutex);
                       if (context.closed) return;
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
      session_->received_text(bytes);
    } else {
      session_->received_message(bytes);
    }
    buffer_.consume(buffer_.size());
    pump();
    if (!closing_) read();
  }

  // Sends what there is, one packet at a time.
  void pump() {
    if (closing_) return;
    if (session_->stalled()) return disconnect();
    if (writing_) return;
    auto packet = session_->next();
    if (!packet) {
      if (session_->broken()) close();
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

  void disconnect() {
    closing_ = true;
    beast::get_lowest_layer(socket_).close();
  }

  void close() {
    closing_ = true;
    // a client that breaks the protocol is not waited for either
    socket_.set_option(websocket::stream_base::timeout{context_.limits.close, context_.limits.idle, false});
    socket_.async_close(websocket::close_code::policy_error, [self = shared_from_this()](beast::error_code) {});
  }

  ServerContext& context_;
  std::shared_ptr<ConnectionSlot> slot_;
  websocket::stream<beast::tcp_stream, false> socket_;  // false: no compression, which would cost time on this machine
  beast::http::request<beast::http::empty_body> request_;
  beast::flat_buffer buffer_;
  bool writing_ = false, closing_ = false;
  std::optional<PageSession> session_;
};

}  // namespace

void serve_socket(beast::tcp_stream stream, beast::http::request<beast::http::empty_body> request,
                  ServerContext& context, std::shared_ptr<ConnectionSlot> slot) {
  std::make_shared<SocketSession>(std::move(stream), context, std::move(slot))->start(std::move(request));
}

}  // namespace kinema::serve
