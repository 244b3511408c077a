// An open file, socket or device of the system.
#pragma once

#include <unistd.h>

#include <utility>

namespace kinema::io {

/// Closes what it holds, but for the standard streams.
class Descriptor {
public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() {
    if (number_ > STDERR_FILENO) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  bool open() const { return number_ >= 0; }
  int number() const { return number_; }

private:
  int number_;
};

}  // namespace kinema::io
