#include "io/osc.h"

#include <bit>
#include <cmath>
#include <string_view>

namespace kinema::io {
namespace {

class Packet {
public:
  // Text ends with a zero and fills whole words of four bytes.
  void text(std::string_view words) {
    for (char c : words) bytes_.push_back(static_cast<std::byte>(c));
    do {
      bytes_.push_back(std::byte{0});
    } while (bytes_.size() % 4 != 0);
  }
  void word(std::uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes_.push_back(static_cast<std::byte>(value >> shift));
  }
  void number(double value) { word(std::bit_cast<std::uint32_t>(static_cast<float>(value))); }
  void append(const Packet& other) { bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end()); }

  std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte> take() { return std::move(bytes_); }

private:
  std::vector<std::byte> bytes_;
};

}  // namespace

std::vector<std::byte> osc_bundle(double unix_time, const std::optional<Vec3>& position, double score) {
  Packet message;
  if (position) {
    message.text("/kinema/head");
    message.text(",ffff");
    for (double value : {position->x, position->y, position->z, score}) message.number(value);
  } else {
    message.text("/kinema/head/lost");
    message.text(",");
  }
  // an OSC time is an NTP time: seconds since 1900, and 2^-32 of them
  constexpr double from_1900_to_1970 = 2208988800.0;
  const double seconds = std::floor(unix_time);
  Packet bundle;
  bundle.text("#bundle");
  bundle.word(static_cast<std::uint32_t>(static_cast<std::uint64_t>(seconds + from_1900_to_1970)));
  bundle.word(static_cast<std::uint32_t>((unix_time - seconds) * 4294967296.0));
  bundle.word(static_cast<std::uint32_t>(message.size()));
  bundle.append(message);
  return bundle.take();
}

}  // namespace kinema::io
