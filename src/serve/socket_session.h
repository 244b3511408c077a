// One connection of a page, once it speaks WebSocket: carries a Conversation.
#pragma once

#include "serve/http_session.h"

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

namespace kinema::serve {

void serve_socket(boost::beast::tcp_stream stream, boost::beast::http::request<boost::beast::http::empty_body> request,
                  House& house, std::shared_ptr<Seat> seat);

}  // namespace kinema::serve
