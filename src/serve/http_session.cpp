#include "serve/http_session.h"

#include "serve/access.h"
#include "serve/socket_session.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace kinema::serve {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;

constexpr std::string_view token_cookie = "kinema_token";

// Scripts and connections of the page's own alone; the address, which may hold the token, is told to nobody.
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
  HttpSession(boost::asio::ip::tcp::socket socket, House& house, std::shared_ptr<Seat> seat)
      : stream_(std::move(socket)), house_(house), seat_(std::move(seat)), buffer_(2 * house.limits.header_bytes) {}

  void read() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(house_.limits.header_bytes));
    parser_->body_limit(0);
    stream_.expires_after(house_.limits.request);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) { self->answer(error); });
  }

private:
  using Request = http::request<http::string_body>;

  void answer(beast::error_code error) {
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return refuse(http::status::request_header_fields_too_large, "the header is too long", false);
    }
    if (error == http::error::body_limit) {
      return refuse(http::status::payload_too_large, "requests have no body here", false);
    }
    if (error == http::error::end_of_stream || error == beast::error::timeout) return close();
    if (error) return refuse(http::status::bad_request, "this is no request", false);

    const Request& request = parser_->get();
    const std::string_view host = header(http::field::host);
    const auto target = parse_target(view(request.target()));
    if (!target) return refuse(http::status::bad_request, "there is no such place", false);
    if (!allowed(*target, host)) {
      ++house_.unauthorised;
      return refuse(http::status::forbidden, "open the address that kinema printed", false);
    }
    if (beast::websocket::is_upgrade(request)) return upgrade(*target);
    if (request.method() != http::verb::get && request.method() != http::verb::head) {
      return refuse(http::status::method_not_allowed, "pages are only read", false);
    }
    send_page(*target);
  }

  bool allowed(const Target& target, std::string_view host) {
    if (!same_origin(header(http::field::origin), host)) return false;
    if (house_.token.empty()) return names_this_machine(host);
    return same_secret(target.token, house_.token) ||
           same_secret(cookie(header(http::field::cookie), token_cookie), house_.token);
  }

  void upgrade(const Target& target) {
    if (target.path != "/live") return refuse(http::status::not_found, "there is no such place", false);
    serve_socket(std::move(stream_), parser_->release(), house_, std::move(seat_));
  }

  void send_page(const Target& target) {
    const std::string_view path = target.path == "/" ? "/index.html" : std::string_view(target.path);
    const auto page =
        std::find_if(house_.pages.begin(), house_.pages.end(), [&](const Page& one) { return one.path == path; });
    if (page == house_.pages.end()) return refuse(http::status::not_found, "there is no such page", true);
    using Span = http::span_body<const char>;
    auto response = std::make_shared<http::response<Span>>(http::status::ok, parser_->get().version());
    response->set(http::field::content_type, boost::string_view(page->type.data(), page->type.size()));
    // scripts and styles of the page bring the token along by themselves
    if (!house_.token.empty() && same_secret(target.token, house_.token)) {
      response->set(http::field::set_cookie,
                    std::string(token_cookie) + "=" + house_.token + "; HttpOnly; SameSite=Strict; Path=/");
    }
    response->body() = {page->content.data(), page->content.size()};
    send(std::move(response), true);
  }

  void refuse(http::status status, std::string_view why, bool keep) {
    const unsigned version = parser_->is_header_done() ? parser_->get().version() : 11;
    auto response = std::make_shared<http::response<http::string_body>>(status, version);
    response->set(http::field::content_type, "text/plain; charset=utf-8");
    response->body() = std::string(why) + "\n";
    send(std::move(response), keep);
  }

  template <class Response>
  void send(std::shared_ptr<Response> response, bool keep) {
    for (const auto& [name, value] : protections) response->set(name, value);
    keep = keep && parser_->get().keep_alive();
    response->keep_alive(keep);
    const auto size = response->body().size();
    response->content_length(size);
    const bool head = parser_->is_header_done() && parser_->get().method() == http::verb::head;
    if (head) response->body() = {};
    stream_.expires_after(house_.limits.request);
    http::async_write(stream_, *response,
                      [self = shared_from_this(), response, keep, head](beast::error_code error, std::size_t) {
                        if (error || !keep || head) return self->close();
                        self->read();
                      });
  }

  void close() {
    beast::error_code ignored;
    stream_.socket().shutdown(boost::asio::ip::tcp::socket::shutdown_send, ignored);
  }

  static std::string_view view(boost::string_view text) { return {text.data(), text.size()}; }
  std::string_view header(http::field field) const { return view(parser_->get()[field]); }

  beast::tcp_stream stream_;
  House& house_;
  std::shared_ptr<Seat> seat_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
};

}  // namespace

void serve_http(boost::asio::ip::tcp::socket socket, House& house, std::shared_ptr<Seat> seat) {
  std::make_shared<HttpSession>(std::move(socket), house, std::move(seat))->read();
}

}  // namespace kinema::serve
