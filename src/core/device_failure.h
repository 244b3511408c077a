// A device that fails while it computes: the work can go on without it.
#pragma once

#include "kinema/error.h"

#include <optional>

namespace kinema {

class DeviceFailure : public Error {
public:
  /// `device`: its number, where it is known.
  explicit DeviceFailure(const std::string& message, std::optional<int> device = std::nullopt)
      : Error(message, Error::Cause::running), device_(device) {}

  std::optional<int> device() const { return device_; }

private:
  std::optional<int> device_;
};

}  // namespace kinema
