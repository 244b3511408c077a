#include "serve/http_session.h"

#include "kinema/error.h"
#include "serve/access.h"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace kinema::serve {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

// In place of the page.
constexpr std::string_view where_the_token_is =
    "This page needs its token. Open the whole address that kinema printed where it was started:\n\n"
    "    kinema: look at http://.../?token=...\n\n"
    "Who wants none on a machine without other users starts kinema with --no-token.";

// Only scripts and connections of the page's own origin; its address, which may contain the token, is never passed on.
constexpr std::array<std::pair<const char*, const char*>, 5> protections = {{
    {"Content-Security-Policy",
     "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; "
     "media-src 'self' blob:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Cache-Control", "no-store"},
}};

class HttpSession : public std::enable_shared_from_this<HttpSession> {
public:
  HttpSession(boost::asio::ip::tcp::socket socket, ServerContext& context, std::shared_ptr<ConnectionSlot> slot)
      : stream_(std::move(socket)),
        context_(context),
        slot_(std::move(slot)),
        buffer_(2 * context.limits.header_bytes) {
    beast::error_code gone;
    const auto address = stream_.socket().remote_endpoint(gone).address();
    context_.strangers.push_back({address, [this] {
                                    welcome();
                                    stream_.close();
                                  }});
    stranger_ = std::prev(context_.strangers.end());
  }
  ~HttpSession() { welcome(); }
  HttpSession(const HttpSession&) = delete;
  HttpSession& operator=(const HttpSession&) = delete;

  void read() {
    parser_.emplace();
    version_ = 11;
    keep_alive_ = head_ = unread_ = false;
    parser_->header_limit(static_cast<std::uint32_t>(context_.limits.header_bytes));
    parser_->body_limit(context_.uploads != nullptr ? context_.uploads->limits().file_bytes : 0);
    stream_.expires_after(context_.limits.request);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](beast::error_code error, std::size_t) { self->answer(error); });
  }

private:
  using Request = http::request<http::empty_body>;

  // It is a stranger no longer.
  void welcome() {
    if (stranger_) context_.strangers.erase(*stranger_);
    stranger_.reset();
  }

  void answer(beast::error_code error) {
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return refuse(http::status::request_header_fields_too_large, "the header is too long", false);
    }
    if (error == http::error::body_limit) return refuse_body("the body is longer than can be taken here");
    if (error == http::error::end_of_stream || error == beast::error::timeout) return close();
    if (error == boost::asio::error::operation_aborted) return;  // it gave way
    if (error) return refuse(http::status::bad_request, "this is not a request", false);

    const Request& request = parser_->get();
    version_ = request.version();
    keep_alive_ = request.keep_alive();
    head_ = request.method() == http::verb::head;
    const std::string_view host = header(http::field::host);
    const auto target = parse_target(view(request.target()));
    if (!target) return refuse(http::status::bad_request, "there is no such place", false);
    if (!expected(host)) return forbid("kinema does not answer pages of others");
    if (!has_token(*target)) return forbid(where_the_token_is);
    welcome();
    if (const auto place = Uploads::parse(target->path, "/upload/"); place && context_.uploads != nullptr) {
      return take_upload(*place);
    }
    if (!parser_->is_done()) return refuse_body("this request has no body");
    if (beast::websocket::is_upgrade(request)) return upgrade(*target);
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return refuse(http::status::method_not_allowed, "pages are only read", false);
    }
    if (const auto place = Uploads::parse(target->path, "/result/"); place && context_.uploads != nullptr) {
      return send_result(*place);
    }
    send_page(*target);
  }

  // A file that a page sends is written to disk as it arrives.
  void take_upload(const Uploads::Place& place) {
    unread_ = true;
    if (parser_->get().method() != http::verb::put || !parser_->content_length()) {
      return refuse(http::status::length_required, "files are sent with PUT and their length", false);
    }
    if (!context_.uploads->has(place.job)) return refuse(http::status::not_found, "there is no such job", false);
    const std::uint64_t length = *parser_->content_length();
    upload_.emplace(std::move(*parser_));
    try {
      incoming_ = context_.uploads->expect(place, length);
      beast::error_code error;
      upload_->get().body().open(incoming_->path().c_str(), beast::file_mode::write_new, error);
      if (error) throw Error(error.message(), Error::Cause::running);
    } catch (const Error& error) {
      return refuse_upload(error);
    }
    upload_end_ = std::chrono::steady_clock::now() + context_.limits.upload;
    read_upload();
  }

  // Piece by piece: a client that sends nothing for a while is gone, and one that never ends is stopped.
  void read_upload() {
    if (upload_->is_done()) return finish_upload();
    const auto left = upload_end_ - std::chrono::steady_clock::now();
    stream_.expires_after(std::min<std::chrono::steady_clock::duration>(left, context_.limits.idle));
    http::async_read_some(stream_, buffer_, *upload_,
                          [self = shared_from_this()](beast::error_code error, std::size_t) {
                            if (!error) return self->read_upload();
                            self->break_upload(error);
                          });
  }

  void finish_upload() {
    unread_ = false;
    upload_->get().body().close();
    try {
      incoming_->arrived();
    } catch (const Error& error) {
      return refuse_upload(error);
    }
    incoming_.reset();
    refuse(http::status::created, "taken", true);
  }

  void break_upload(beast::error_code error) {
    upload_->get().body().close();
    incoming_.reset();
    const bool short_of = error == http::error::partial_message || error == beast::error::timeout;
    if (short_of) return refuse(http::status::bad_request, "the file did not arrive whole", false);
    refuse(http::status::insufficient_storage, "the file cannot be kept: " + error.message(), false);
  }

  void refuse_upload(const Error& error) {
    incoming_.reset();
    const bool full = error.cause() == Error::Cause::running;
    refuse(full ? http::status::insufficient_storage : http::status::payload_too_large, error.what(), false);
  }

  void refuse_body(std::string_view why) {
    unread_ = true;
    refuse(http::status::payload_too_large, why, false);
  }

  void send_result(const Uploads::Place& place) {
    const auto path = context_.uploads->result(place);
    if (!path) return refuse(http::status::not_found, "there is no such result", true);
    http::file_body::value_type file;
    beast::error_code error;
    file.open(path->c_str(), beast::file_mode::scan, error);
    if (error) return refuse(http::status::not_found, "there is no such result", true);
    auto response = std::make_shared<http::response<http::file_body>>(
        std::piecewise_construct, std::make_tuple(std::move(file)), std::make_tuple(http::status::ok, version_));
    response->set(http::field::content_type, "application/octet-stream");
    response->set(http::field::content_disposition, "attachment");
    // what a slow network takes from a larger buffer within a deadline would not be seen
    stream_.socket().set_option(boost::asio::socket_base::send_buffer_size(1 << 18), error);
    send(std::move(response), true);
  }

  // From this server's own pages or from none, under a name that nobody else gave it.
  bool expected(std::string_view host) const {
    return same_origin(header(http::field::origin), host) && (!context_.local || names_this_machine(host));
  }

  bool has_token(const Target& target) const {
    return context_.token.empty() || same_secret(target.token, context_.token) ||
           same_secret(cookie(header(http::field::cookie), context_.cookie), context_.token);
  }

  void forbid(std::string_view why) {
    ++context_.unauthorised;
    refuse(http::status::forbidden, why, false);
  }

  void upgrade(const Target& target) {
    if (target.path != "/live") return refuse(http::status::not_found, "there is no such place", false);
    serve_socket(std::move(stream_), parser_->release(), context_, std::move(slot_));
  }

  void send_page(const Target& target) {
    const std::string_view path = target.path == "/" ? "/index.html" : std::string_view(target.path);
    const auto page =
        std::find_if(context_.pages.begin(), context_.pages.end(), [&](const Page& one) { return one.path == path; });
    if (page == context_.pages.end()) return refuse(http::status::not_found, "there is no such page", true);
    using Span = http::span_body<const char>;
    auto response = std::make_shared<http::response<Span>>(http::status::ok, version_);
    response->set(http::field::content_type, boost::string_view(page->type.data(), page->type.size()));
    // so that requests for the scripts and styles of the page carry the token too
    if (!context_.token.empty() && same_secret(target.token, context_.token)) {
      response->set(http::field::set_cookie,
                    context_.cookie + "=" + context_.token + "; HttpOnly; SameSite=Strict; Path=/");
    }
    response->body() = {page->content.data(), page->content.size()};
    send(std::move(response), true);
  }

  void refuse(http::status status, std::string_view why, bool keep) {
    auto response = std::make_shared<http::response<http::string_body>>(status, version_);
    response->set(http::field::content_type, "text/plain; charset=utf-8");
    response->body() = std::string(why) + "\n";
    send(std::move(response), keep);
  }

  template <class Body>
  void send(std::shared_ptr<http::response<Body>> response, bool keep) {
    for (const auto& [name, value] : protections) response->set(name, value);
    // the answer to HEAD states the length of a body that does not follow, which ends the connection
    keep = keep && keep_alive_ && !head_;
    response->keep_alive(keep);
    const auto size = response->body().size();
    response->content_length(size);
    if (head_) response->body() = {};
    write(response, std::make_shared<http::response_serializer<Body>>(*response), keep);
  }

  // Piece by piece, as uploads: a client that takes a long result slowly is there as long as it takes some of it.
  template <class Body>
  void write(std::shared_ptr<http::response<Body>> response, std::shared_ptr<http::response_serializer<Body>> rest,
             bool keep) {
    stream_.expires_after(context_.limits.idle);
    http::async_write_some(stream_, *rest,
                           [self = shared_from_this(), response, rest, keep](beast::error_code error, std::size_t) {
                             if (!error && !rest->is_done()) return self->write(response, rest, keep);
                             if (error || !keep) return self->close();
                             self->read();
                           });
  }

  // A client that is still sending what was refused would otherwise be disconnected before it can read why.
  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
    if (!unread_) return;
    stream_.expires_after(context_.limits.close);
    discard();
  }

  void discard() {
    buffer_.clear();
    stream_.async_read_some(buffer_.prepare(context_.limits.header_bytes),
                            [self = shared_from_this()](beast::error_code error, std::size_t) {
                              if (!error) self->discard();
                            });
  }

  static std::string_view view(boost::string_view text) { return {text.data(), text.size()}; }
  std::string_view header(http::field field) const { return view(parser_->get()[field]); }

  beast::tcp_stream stream_;
  ServerContext& context_;
  std::shared_ptr<ConnectionSlot> slot_;
  std::optional<std::list<Stranger>::iterator> stranger_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  std::optional<http::request_parser<http::file_body>> upload_;
  std::unique_ptr<Uploads::IncomingFile> incoming_;
  std::chrono::steady_clock::time_point upload_end_;
  unsigned version_ = 11;
  bool keep_alive_ = false, head_ = false;
  bool unread_ = false;  // a body that will not be read
};

}  // namespace

bool make_room(ServerContext& context) {
  std::map<boost::asio::ip::address, std::size_t> counts;
  std::size_t most = 0;
  for (const Stranger& stranger : context.strangers) most = std::max(most, ++counts[stranger.address]);
  const auto oldest = std::find_if(context.strangers.begin(), context.strangers.end(),
                                   [&](const Stranger& stranger) { return counts[stranger.address] == most; });
  if (oldest == context.strangers.end()) return false;
  const auto hang_up = oldest->hang_up;  // which removes it
  hang_up();
  return true;
}

void serve_http(boost::asio::ip::tcp::socket socket, ServerContext& context, std::shared_ptr<ConnectionSlot> slot) {
  std::make_shared<HttpSession>(std::move(socket), context, std::move(slot))->read();
}

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
