// One connection of a page once it speaks WebSocket: the transport of a PageSession.
#pragma once

#include "serve/http_session.h"

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

namespace kinema::serve {

void serve_socket(boost::beast::tcp_stream stream, boost::beast::http::request<boost::beast::http::empty_body> request,
                  ServerContext& context, std::shared_ptr<ConnectionSlot> slot);

}  // namespace kinema::serve
