// Faults of a stereo pair that its pictures show before they are matched.
#pragma once

#include "kinema/image.h"

#include <cstdint>
#include <string>

namespace kinema::stereo {

/// One line that says what is wrong, or nothing: a lens that is covered, or one that is out of focus.
std::string lens_fault(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right);

/// The same over the first pairs of a camera, which may be dark or blurred while it adjusts itself.
class LensCheck {
public:
  /// What is wrong with this pair, or nothing. After a pair with nothing wrong it looks no further.
  const std::string& look(ImageView<const std::uint8_t> left, ImageView<const std::uint8_t> right);

  /// That of the last pair that was looked at.
  const std::string& fault() const { return fault_; }

  /// So many pairs had a fault, from the first on, that it will stay.
  bool lasts() const;

  /// Another pair may tell more.
  bool looks() const { return !done_ && !lasts(); }

private:
  std::string fault_;
  int faulty_ = 0;
  bool done_ = false;
};

}  // namespace kinema::stereo
