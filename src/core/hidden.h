// State that a class hides in its source file.
#pragma once

#include <memory>

namespace kinema {

/// Owns a value whose type only the source file knows that makes it: unlike std::unique_ptr it needs no destructor there.
template <class T>
struct Hidden : std::unique_ptr<T, void (*)(T*)> {
  Hidden() : std::unique_ptr<T, void (*)(T*)>(nullptr, nullptr) {}
  explicit Hidden(T* made) : std::unique_ptr<T, void (*)(T*)>(made, [](T* value) { delete value; }) {}
};

}  // namespace kinema
