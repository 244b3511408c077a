// What an HTTP request says of itself: a line each for its target, Host, Origin and Cookie.
#include "fuzz.h"
#include "serve/access.h"
#include "serve/uploads.h"

#include <algorithm>
#include <array>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinema;
  const std::string_view bytes = fuzz::text_of(data, size);
  std::array<std::string_view, 4> lines;
  std::size_t begin = 0;
  for (std::string_view& line : lines) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    line = bytes.substr(begin, end - begin);
    begin = std::min(end + 1, bytes.size());
  }
  const std::string_view target = lines[0], host = lines[1], origin = lines[2], cookies = lines[3];
  fuzz::expect_result_or_error([&] {
    if (const auto parsed = serve::parse_target(target)) {
      fuzz::require(parsed->path.starts_with('/') && parsed->path.find("..") == std::string::npos);
      if (const auto place = serve::Uploads::parse(parsed->path, "/upload/")) {
        fuzz::require(!place->name.empty() && place->name.front() != '/');
        fuzz::require(place->name.find("..") == std::string::npos);
      }
    }
    serve::Uploads::parse(target, "/upload/");
    serve::names_this_machine(host);
    serve::is_loopback(host);
    serve::same_origin(origin, host);
    serve::cookie(cookies, "kinema");
    serve::same_secret(cookies, host);
  });
  return 0;
}
