// Access to the server: tokens, the Host and Origin headers of browsers, and the targets of requests. All of this input is
// untrusted.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace kinema::serve {

/// 128 random bits, in hexadecimal.
std::string make_token();

/// In constant time, so that the time does not reveal how much of it was right.
bool same_secret(std::string_view given, std::string_view expected);

/// The path of a request's target, and the token in its query ("/?token=..."). Nothing where it is no plain path: it
/// must start with '/' and contain only letters, digits, '/', '-', '_' and single dots.
struct Target {
  std::string path;
  std::string token;
};
std::optional<Target> parse_target(std::string_view target);

/// The value of a cookie in a Cookie header; "" where it is not there.
std::string cookie(std::string_view header, std::string_view name);

/// 127.x.x.x or ::1.
bool is_loopback(std::string_view address);

/// Whether a Host header names this machine itself. A page elsewhere whose name was made to lead here (DNS rebinding)
/// says its own.
bool names_this_machine(std::string_view host);

/// A browser states the Origin of the page that connects: it must be the host that is asked. Programs state none.
bool same_origin(std::string_view origin, std::string_view host);

}  // namespace kinema::serve
