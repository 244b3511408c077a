// The only exception of the library. Its message is one line for users: what is wrong, where, and how to correct it.
#pragma once

#include <stdexcept>
#include <string>

namespace kinema {

class Error : public std::runtime_error {
public:
  enum class Cause {
    input,    ///< the call or the data it was given is wrong (the command exits with 2)
    running,  ///< a failure at run time: memory, disk, device (the command exits with 1)
  };

  explicit Error(const std::string& message, Cause cause = Cause::input) : std::runtime_error(message), cause_(cause) {}

  Cause cause() const noexcept { return cause_; }

private:
  Cause cause_;
};

}  // namespace kinema
