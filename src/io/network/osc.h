// Messages of Open Sound Control 1.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::io {

class OscMessage {
public:
  explicit OscMessage(std::string address) : address_(std::move(address)) {}

  OscMessage& text(std::string_view value);
  OscMessage& whole(std::int32_t value);
  OscMessage& number(double value);  ///< as a float
  OscMessage& numbers(std::span<const double> values);

  std::vector<std::byte> bytes() const;

private:
  std::string address_, types_ = ",";
  std::vector<std::byte> arguments_;
};

/// Messages in bundles whose time tag is a time in seconds since 1970; as many bundles as needed so that each datagram
/// fits an Ethernet frame.
std::vector<std::vector<std::byte>> osc_bundles(double unix_time, std::span<const OscMessage> messages);

}  // namespace kinema::io
