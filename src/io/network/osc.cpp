#include "io/network/live_sender.h"

#include <bit>
#include <cmath>

namespace kinema::io {
namespace {

// An Ethernet frame carries 1500 bytes, of which headers take 48 at most.
constexpr std::size_t largest_datagram = 1400;

// OSC time is NTP time: seconds since 1900, and units of 2^-32 seconds.
constexpr double from_1900_to_1970 = 2208988800.0;

void add_word(std::vector<std::byte>& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::byte>(value >> shift));
}

// Strings are zero-terminated and padded to words of four bytes.
void add_text(std::vector<std::byte>& bytes, std::string_view words) {
  for (char c : words) bytes.push_back(static_cast<std::byte>(c));
  do {
    bytes.push_back(std::byte{0});
  } while (bytes.size() % 4 != 0);
}

void append(std::vector<std::byte>& bytes, const std::vector<std::byte>& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

}  // namespace

OscMessage& OscMessage::text(std::string_view value) {
  types_ += 's';
  add_text(arguments_, value);
  return *this;
}

OscMessage& OscMessage::whole(std::int32_t value) {
  types_ += 'i';
  add_word(arguments_, static_cast<std::uint32_t>(value));
  return *this;
}

OscMessage& OscMessage::number(double value) {
  types_ += 'f';
  add_word(arguments_, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  return *this;
}

OscMessage& OscMessage::numbers(std::span<const double> values) {
  for (double value : values) number(value);
  return *this;
}

std::vector<std::byte> OscMessage::bytes() const {
  std::vector<std::byte> bytes;
  add_text(bytes, address_);
  add_text(bytes, types_);
  append(bytes, arguments_);
  return bytes;
}

std::vector<std::vector<std::byte>> osc_bundles(double unix_time, std::span<const OscMessage> messages) {
  std::vector<std::byte> head;
  const double seconds = std::floor(unix_time);
  add_text(head, "#bundle");
  add_word(head, static_cast<std::uint32_t>(static_cast<std::uint64_t>(seconds + from_1900_to_1970)));
  add_word(head, static_cast<std::uint32_t>((unix_time - seconds) * 4294967296.0));
  std::vector<std::vector<std::byte>> bundles;
  for (const OscMessage& message : messages) {
    const std::vector<std::byte> bytes = message.bytes();
    if (bundles.empty() || bundles.back().size() + 4 + bytes.size() > largest_datagram) bundles.push_back(head);
    add_word(bundles.back(), static_cast<std::uint32_t>(bytes.size()));
    append(bundles.back(), bytes);
  }
  return bundles;
}

}  // namespace kinema::io
