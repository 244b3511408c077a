// Files damaged at random, for readers that must accept or refuse whatever stands in them.
#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <utility>

namespace kinema::io {

class Mutation {
public:
  explicit Mutation(unsigned seed) : random_(seed) {}

  /// A number from 0, at random.
  std::size_t any(std::size_t below) { return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_); }

  /// The bytes with damage in one to three places; `pieces` are what may be inserted.
  std::string of(std::string bytes, std::span<const std::string> pieces) {
    for (std::size_t place = 0, count = 1 + any(3); place < count && !bytes.empty(); ++place) {
      const std::size_t at = any(bytes.size());
      switch (any(6)) {
        case 0:
          bytes[at] = static_cast<char>(any(256));
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << any(8)));
          break;
        case 2:
          bytes.erase(at, 1 + any(4));
          break;
        case 3:
          bytes.insert(at, pieces[any(pieces.size())]);
          break;
        case 4:
          bytes.resize(at);
          break;
        default:
          std::swap(bytes[at], bytes[any(bytes.size())]);
          break;
      }
    }
    return bytes;
  }

private:
  std::mt19937 random_;
};

}  // namespace kinema::io
