// A device that fails while it computes: the work can go on without it.
#pragma once

#include "kinema/error.h"

namespace kinema {

class DeviceFailure : public Error {
public:
  explicit DeviceFailure(const std::string& message) : Error(message, Error::Cause::running) {}
};

}  // namespace kinema
