#include "serve/access.h"

#include "kinema/error.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

namespace kinema::serve {
namespace {

constexpr std::size_t longest_target = 1024;

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

// "localhost:8080" without its port; "[::1]:8080" without port and brackets.
std::string_view without_port(std::string_view host) {
  if (host.starts_with('[')) {
    const auto end = host.find(']');
    return end == std::string_view::npos ? std::string_view{} : host.substr(1, end - 1);
  }
  return host.substr(0, host.find(':'));
}

}  // namespace

std::string make_token() {
  std::array<std::uint8_t, 16> random{};
  if (::getrandom(random.data(), random.size(), 0) != static_cast<ssize_t>(random.size())) {
    throw Error("the system gave no random numbers for a token", Error::Cause::running);
  }
  std::string token;
  for (std::uint8_t byte : random) token += fmt::format("{:02x}", byte);
  return token;
}

bool same_secret(std::string_view given, std::string_view expected) {
  if (given.size() != expected.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |= static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(expected[i]);
  }
  return difference == 0;
}

std::optional<Target> parse_target(std::string_view target) {
  if (target.size() > longest_target || !target.starts_with('/')) return std::nullopt;
  Target result;
  const auto query = target.find('?');
  const std::string_view path = target.substr(0, query);
  for (std::size_t i = 0; i < path.size(); ++i) {
    const bool dot = path[i] == '.' && plain(path[i - 1]) && i + 1 < path.size() && plain(path[i + 1]);
    const bool slash = path[i] == '/' && (i == 0 || path[i - 1] != '/');
    if (!plain(path[i]) && !dot && !slash) return std::nullopt;
  }
  result.path = path;
  constexpr std::string_view name = "token=";
  std::string_view rest = query == std::string_view::npos ? std::string_view{} : target.substr(query + 1);
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find('&'));
    if (part.starts_with(name)) result.token = part.substr(name.size());
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  return result;
}

std::string cookie(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    std::string_view part = header.substr(0, header.find(';'));
    header.remove_prefix(std::min(header.size(), part.size() + 1));
    while (part.starts_with(' ')) part.remove_prefix(1);
    if (part.starts_with(name) && part.substr(name.size()).starts_with('=')) {
      return std::string(part.substr(name.size() + 1));
    }
  }
  return {};
}

bool is_loopback(std::string_view address) { return address.starts_with("127.") || address == "::1"; }

bool names_this_machine(std::string_view host) {
  const std::string name = lower(without_port(host));
  if (name == "localhost" || name == "::1") return true;
  // numbers alone: "127.0.0.1.example.com" is somebody else
  return name.starts_with("127.") &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0 || c == '.'; });
}

bool same_origin(std::string_view origin, std::string_view host) {
  if (origin.empty()) return true;
  const auto scheme = origin.find("://");
  return scheme != std::string_view::npos && lower(origin.substr(scheme + 3)) == lower(host);
}

}  // namespace kinema::serve
